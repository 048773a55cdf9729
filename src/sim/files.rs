//! Values that come from files, read once a process as long as neither file nor place changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use crate::asset::{DistanceGrid, Placement, Work, distance_grid_watched};
use crate::graph::Domain;
use crate::plan::{FileGrid, Plan};
use crate::problem::{Problem, Problems};

/// All that a grid depends on: file, its last change, place in the domain, domain.
type Key = (PathBuf, Option<SystemTime>, String);

fn known() -> &'static Mutex<HashMap<Key, Arc<DistanceGrid>>> {
    static KNOWN: OnceLock<Mutex<HashMap<Key, Arc<DistanceGrid>>>> = OnceLock::new();
    KNOWN.get_or_init(Default::default)
}

/// A grid of distances that a plan needs from a file.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Path of the node that names the file.
    pub node: String,
    key: Key,
    placement: Placement,
    domain: Domain,
}

impl Wanted {
    fn new(plan: &Plan, file: &FileGrid) -> Result<Wanted, Problem> {
        let Some(domain) = plan.domains.get(file.domain) else {
            return Err(Problem::new(&file.node, "file", "the plan has no such domain", "compile the graph again"));
        };
        let path = file.folder.join(&file.file.path);
        let changed = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
        let key = (path, changed, format!("{:?} {domain:?}", file.file.fit));
        let placement = file.file.fit.map_or(Placement::InPlace, |(center, size)| Placement::Fit { center, size });
        Ok(Wanted { node: file.node.clone(), key, placement, domain: domain.clone() })
    }

    pub fn path(&self) -> &Path {
        &self.key.0
    }

    /// Of the file \[bytes\]; 0 where it is not there.
    pub fn bytes(&self) -> u64 {
        std::fs::metadata(self.path()).map_or(0, |about| about.len())
    }

    /// Whether both are one grid, whoever asks for it.
    pub fn same(&self, other: &Wanted) -> bool {
        self.key == other.key
    }

    /// The grid, if it was measured before.
    pub fn known(&self) -> Option<Arc<DistanceGrid>> {
        known().lock().ok()?.get(&self.key).cloned()
    }

    /// Reads the file and measures, told of and stopped by `work`. Takes seconds for a large mesh; afterwards it is known.
    ///
    /// # Errors
    /// A file that can't be used, with its node, cause and remedy; being stopped.
    pub fn load(&self, work: &Work) -> Result<Arc<DistanceGrid>, Problem> {
        if let Some(grid) = self.known() {
            return Ok(grid);
        }
        let grid = distance_grid_watched(self.path(), &self.placement, &self.domain, work);
        let grid = Arc::new(grid.map_err(|e| self.problem(&e.cause))?);
        if let Ok(mut known) = known().lock() {
            known.insert(self.key.clone(), grid.clone());
        }
        Ok(grid)
    }

    /// Why there is no grid.
    pub fn problem(&self, cause: &crate::asset::Cause) -> Problem {
        Problem::new(&self.node, "file", format!("{}: {cause}", self.path().display()), cause.remedy())
    }
}

/// What a plan needs from files, in the order of [`Plan::files`].
///
/// # Errors
/// A plan that is not whole.
pub fn wanted(plan: &Plan) -> Result<Vec<Wanted>, Problems> {
    Ok(plan.files.iter().map(|file| Wanted::new(plan, file)).collect::<Result<_, _>>()?)
}

/// Reads every file of a plan and measures distances, in the order of [`Plan::files`]. What is known already is there at once, so a
/// window has it loaded on another thread first.
///
/// # Errors
/// Every file that can't be used, with its node, cause and remedy.
pub fn read(plan: &Plan) -> Result<Vec<Arc<DistanceGrid>>, Problems> {
    let mut problems = Problems::default();
    let mut grids = Vec::new();
    let wanted = wanted(plan)?;
    for file in &wanted {
        match file.load(&Work::default()) {
            Ok(grid) => grids.push(grid),
            Err(problem) => problems.push(problem),
        }
    }
    if let Ok(mut known) = known().lock() {
        // Other versions and places of the same files are not asked for again.
        let ours = |key: &Key| wanted.iter().any(|file| file.key == *key);
        known.retain(|key, _| ours(key) || !wanted.iter().any(|file| file.key.0 == key.0));
    }
    if problems.is_empty() { Ok(grids) } else { Err(problems) }
}
