//! Values that come from files, read once a process as long as neither file nor place changes.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use crate::asset::{DistanceGrid, Placement, distance_grid};
use crate::plan::{FileGrid, Plan};
use crate::problem::{Problem, Problems};

/// All that a grid depends on: file, its last change, place in the domain, domain.
type Key = (PathBuf, Option<SystemTime>, String);

fn known() -> &'static Mutex<HashMap<Key, Arc<DistanceGrid>>> {
    static KNOWN: OnceLock<Mutex<HashMap<Key, Arc<DistanceGrid>>>> = OnceLock::new();
    KNOWN.get_or_init(Default::default)
}

/// Reads every file of a plan and measures distances, in the order of [`Plan::files`]. Takes seconds for a large mesh; the next
/// call for the same is immediate, so a window calls it on another thread first.
///
/// # Errors
/// Every file that can't be used, with its node, cause and remedy.
pub fn read(plan: &Plan) -> Result<Vec<Arc<DistanceGrid>>, Problems> {
    let mut problems = Problems::default();
    let mut grids = Vec::new();
    for file in &plan.files {
        match grid(plan, file) {
            Ok(grid) => grids.push(grid),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(grids) } else { Err(problems) }
}

fn grid(plan: &Plan, file: &FileGrid) -> Result<Arc<DistanceGrid>, Problem> {
    let Some(domain) = plan.domains.get(file.domain) else {
        return Err(Problem::new(&file.node, "file", "the plan has no such domain", "compile the graph again"));
    };
    let path = file.folder.join(&file.file.path);
    let changed = std::fs::metadata(&path).and_then(|m| m.modified()).ok();
    let key: Key = (path.clone(), changed, format!("{:?} {domain:?}", file.file.fit));
    if let Some(grid) = known().lock().ok().and_then(|known| known.get(&key).cloned()) {
        return Ok(grid);
    }
    let placement = file.file.fit.map_or(Placement::InPlace, |(center, size)| Placement::Fit { center, size });
    let grid = distance_grid(&path, &placement, domain).map_err(|e| {
        let cause = format!("{}: {}", path.display(), e.cause);
        Problem::new(&file.node, "file", cause, e.cause.remedy())
    })?;
    let grid = Arc::new(grid);
    if let Ok(mut known) = known().lock() {
        // An older version of the same file is not asked for again.
        known.retain(|(other, ..), _| *other != path);
        known.insert(key, grid.clone());
    }
    Ok(grid)
}
