//! Grids from mesh and image files. Each is read once a process, as long as neither the file nor its
//! placement changes.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::SystemTime;

use crate::asset::envelope::Loudness;
use crate::asset::{self, AssetGrid, Cause, Column, Frames, Number, Placement, Request, Shared, Timing, Wanted, Work};
use crate::files::{Access, ReadError};
use crate::gpu::{Gpu, Making};
use crate::graph::FileOutput;
use crate::plan::{FileGrid, FileTrack, Plan};
use crate::problem::{Problem, Problems};
use crate::stage::types::Scalar;

/// Everything that a grid depends on: file, modification time, placement in the domain, domain, and whether files that
/// it refers to may lie anywhere.
type Key = (PathBuf, Option<SystemTime>, String);

/// Limit of files that a graph may name.
const MAX_NAMED: usize = 256;

fn cache() -> &'static Mutex<HashMap<Key, Arc<AssetGrid>>> {
    static CACHE: OnceLock<Mutex<HashMap<Key, Arc<AssetGrid>>>> = OnceLock::new();
    CACHE.get_or_init(Default::default)
}

/// A grid that a plan needs from a file.
#[derive(Clone, Debug)]
pub struct FileRequest {
    /// Path of the node that names the file.
    pub node: String,
    key: Key,
    request: Request,
    /// The sequence whose first file it is.
    frames: Option<Arc<Frames>>,
}

impl FileRequest {
    fn new(plan: &Plan, file: &FileGrid, shared: Shared) -> Result<FileRequest, Problem> {
        let Some(domain) = plan.domains.get(file.domain) else {
            return Err(Problem::new(&file.node, "file", "the plan has no such domain", "compile the graph again"));
        };
        let access = Access::new(&file.folder, file.anywhere);
        let named = Path::new(&file.file.path);
        let wanted = match file.output {
            FileOutput::Distance => Wanted::Distance,
            FileOutput::Image => Wanted::Image { fit: file.file.fit, linear: file.file.linear },
            FileOutput::Velocity => Wanted::Velocity { fps: plan.fps },
            FileOutput::Value => Wanted::Numbers { vector: false, fit: file.file.fit },
            FileOutput::Vector => Wanted::Numbers { vector: true, fit: file.file.fit },
            FileOutput::Particles => {
                let part = file.part.as_ref();
                let kind = match part.map_or(Scalar::U32, |part| part.scalar) {
                    Scalar::F32 => Number::Float,
                    Scalar::I32 => Number::Signed,
                    Scalar::U32 => Number::Unsigned,
                };
                let [components, stride, capacity] =
                    part.map_or([0; 3], |part| [part.components, part.stride, part.capacity]);
                Wanted::Particles(Column { components, stride, kind, capacity })
            }
        };
        let placement = file.file.place.map_or(Placement::InPlace, |(center, size)| Placement::Fit { center, size });
        let layer = match &file.part {
            Some(part) => part.attribute.clone(),
            None => file.file.layer.clone(),
        };
        let (set, points) = match file.output {
            FileOutput::Particles => (file.file.layer.clone(), file.file.points),
            _ => Default::default(),
        };
        let about = format!("{wanted:?} {layer:?} {set:?} {points:?} {placement:?} {domain:?} {access:?}");
        let request = Request {
            path: named.to_path_buf(),
            built_in: None,
            access: access.clone(),
            layer,
            neighbor: None,
            set,
            points,
            wanted,
            placement,
            domain: domain.clone(),
            shared,
        };
        if let Some(sequence) = &file.file.sequence {
            let path = access.folder.join(named);
            let failed = |cause: &Cause| problem(&file.node, &path, cause);
            let frames = Frames::find(request, sequence).map_err(|cause| failed(&cause))?;
            let first = frames.number(0).map_err(|cause| failed(&cause))?;
            let request = frames.request(first).map_err(|error| failed(&error.cause))?;
            let key = (path, None, format!("{about} {sequence:?} {}", frames.stamp()));
            return Ok(FileRequest { node: file.node.clone(), key, request, frames: Some(Arc::new(frames)) });
        }
        FileRequest::of_one(&file.node, named, request, about)
    }

    /// The number over time of a plan.
    fn track(plan: &Plan, file: &FileTrack) -> Result<FileRequest, Problem> {
        let node = file.number.strip_suffix(".value").unwrap_or(&file.number);
        let number = plan.numbers.iter().find(|number| number.path() == file.number);
        let Some(track) = number.and_then(|number| number.track.as_ref()) else {
            return Err(Problem::new(node, "file", "the plan has no such number", "compile the graph again"));
        };
        let (attack, release) = (track.attack, track.release);
        let loudness = if track.peak { Loudness::Peak } else { Loudness::Rms };
        let timing = Timing { fps: plan.fps, loudness, attack, release };
        let access = Access::new(&file.folder, file.anywhere);
        let named = Path::new(&track.path);
        let about = format!("{timing:?} {:?} {access:?}", track.column);
        let request = Request::track(named, track.column.clone(), timing, access);
        FileRequest::of_one(node, named, request, about)
    }

    /// One file, as the graph names it.
    fn of_one(node: &str, named: &Path, request: Request, about: String) -> Result<FileRequest, Problem> {
        let access = request.access.clone();
        let found = access.resolve(named);
        let changed = found.as_ref().ok().and_then(|path| std::fs::metadata(path).and_then(|m| m.modified()).ok());
        // With access to all folders a name is resolved whether the file exists or not.
        let missing = changed.is_none() && !matches!(found, Err(ReadError::Outside));
        let built_in = asset::built_in(named).filter(|_| missing);
        let path = match (built_in, found) {
            (Some(_), _) => named.to_path_buf(),
            (None, found) => found.map_err(|e| problem(node, &access.folder.join(named), &e.into()))?,
        };
        let key = (path.clone(), changed, format!("{about} {}", built_in.is_some()));
        let request = Request { path, built_in, ..request };
        Ok(FileRequest { node: node.into(), key, request, frames: None })
    }

    /// The file, resolved.
    pub fn path(&self) -> &Path {
        &self.key.0
    }

    /// Size of the file \[bytes\]; 0 where it does not exist.
    pub fn bytes(&self) -> u64 {
        let on_disk = || std::fs::metadata(&self.request.path).map_or(0, |about| about.len());
        self.request.built_in.map_or_else(on_disk, |bytes| bytes.len() as u64)
    }

    /// Whether both requests are for the same grid.
    pub fn same(&self, other: &FileRequest) -> bool {
        self.key == other.key
    }

    /// The grid, if it was computed before.
    pub fn cached(&self) -> Option<Arc<AssetGrid>> {
        cache().lock().ok()?.get(&self.key).cloned()
    }

    /// Reads the file and computes its values; `work` receives the progress and can cancel it. Takes seconds for a large
    /// mesh. Afterwards the grid is cached.
    ///
    /// # Errors
    /// A file that cannot be used, with its node, cause and remedy; a cancelled load.
    pub fn load(&self, work: &Work) -> Result<Arc<AssetGrid>, Problem> {
        if let Some(grid) = self.cached() {
            return Ok(grid);
        }
        let grid = self.request.load(work);
        let grid = grid.map_err(|e| self.problem(&e.cause))?;
        let grid = Arc::new(AssetGrid { frames: self.frames.clone(), ..grid });
        if let Ok(mut cache) = cache().lock() {
            cache.insert(self.key.clone(), grid.clone());
        }
        Ok(grid)
    }

    /// The problem that explains why there is no grid.
    pub fn problem(&self, cause: &Cause) -> Problem {
        problem(&self.node, &self.request.path, cause)
    }
}

fn problem(node: &str, path: &Path, cause: &Cause) -> Problem {
    Problem::new(node, "file", asset::sentence(path, cause), cause.remedy())
}

/// Whether the problem is a file outside the graph's folder, which the user may allow.
pub fn is_outside(problem: &Problem) -> bool {
    problem.port == "file" && problem.cause.ends_with(&ReadError::Outside.to_string())
}

/// The files that a plan needs, in the order of [`Plan::files`] and then of [`Plan::tracks`].
///
/// # Errors
/// An inconsistent plan; too many files; every file that is missing or that the graph may not read.
pub fn wanted(plan: &Plan) -> Result<Vec<FileRequest>, Problems> {
    let named = plan.files.len() + plan.tracks.len();
    if named > MAX_NAMED {
        let cause = format!("the graph reads {named} files; the limit is {MAX_NAMED}");
        return Err(Problem::new("", "", cause, "join shapes in a modelling program").into());
    }
    let mut problems = Problems::default();
    let mut wanted = Vec::new();
    // A file of particles is decoded once for all its attributes.
    let mut shared: HashMap<&str, Shared> = HashMap::new();
    for file in &plan.files {
        match FileRequest::new(plan, file, shared.entry(&file.node).or_default().clone()) {
            Ok(file) => wanted.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    for track in &plan.tracks {
        match FileRequest::track(plan, track) {
            Ok(file) => wanted.push(file),
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() { Ok(wanted) } else { Err(problems) }
}

/// Gives the numbers over time of a plan their values, which follow the grids of [`Plan::files`].
pub(super) fn give_tracks(plan: &mut Plan, grids: &[Arc<AssetGrid>]) {
    for (file, grid) in plan.tracks.iter().zip(grids.iter().skip(plan.files.len())) {
        let numbers = plan.numbers.iter_mut().filter(|number| number.path() == file.number);
        numbers
            .filter_map(|number| number.track.as_mut())
            .for_each(|track| track.values = Some(grid.values.as_slice().into()));
    }
}

/// Reads and decodes every file of a plan, but computes no values.
///
/// # Errors
/// Every file that cannot be used, with its node, cause and remedy.
pub fn check(plan: &Plan) -> Result<(), Problems> {
    let mut problems = Problems::default();
    for file in &wanted(plan)? {
        if let Err(error) = file.request.check() {
            problems.push(file.problem(&error.cause));
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems) }
}

/// Checks a file that nothing reads, by the plans of its outputs: one of them has to be usable.
///
/// # Errors
/// Why its first output cannot be used.
pub fn check_unread(node: &str, plans: &[Plan]) -> Result<(), Problems> {
    let mut first = None;
    for plan in plans {
        let found = check(plan).err().map_or_else(Vec::new, |problems| problems.0);
        let node_problems: Vec<Problem> = found.into_iter().filter(|problem| problem.node == node).collect();
        if node_problems.is_empty() {
            return Ok(());
        }
        first = first.or(Some(Problems(node_problems)));
    }
    first.map_or(Ok(()), Err)
}

/// Reads every file of a plan and computes its values, in the order of [`wanted`]. Cached grids are available at
/// once, so the editor loads them on another thread first.
///
/// # Errors
/// Every file that cannot be used, with its node, cause and remedy.
pub fn read(plan: &Plan) -> Result<Vec<Arc<AssetGrid>>, Problems> {
    read_watched(plan, &Work::default())
}

/// Reads the files of a plan; `work` can cancel it.
///
/// # Errors
/// As [`read`]; a cancelled load.
pub fn read_watched(plan: &Plan, work: &Work) -> Result<Vec<Arc<AssetGrid>>, Problems> {
    let mut problems = Problems::default();
    let mut grids = Vec::new();
    let wanted = wanted(plan)?;
    for file in &wanted {
        match file.load(work) {
            Ok(grid) => grids.push(grid),
            Err(problem) => problems.push(problem),
        }
    }
    if let Ok(mut cache) = cache().lock() {
        // Grids of other versions and placements of the same files will not be needed again.
        let ours = |key: &Key| wanted.iter().any(|file| file.key == *key);
        cache.retain(|key, _| ours(key) || !wanted.iter().any(|file| file.key.0 == key.0));
    }
    if problems.is_empty() { Ok(grids) } else { Err(problems) }
}

/// What a plan needs before it runs: its files, read, and its pipelines, made by the driver while `go_on` returns true.
///
/// # Errors
/// As [`read_watched`] and [`Gpu::prepare_while`].
pub fn prepare(
    gpu: &Gpu,
    plan: &Plan,
    work: &Work,
    go_on: &mut dyn FnMut(&Making) -> bool,
) -> Result<Vec<Arc<AssetGrid>>, Problems> {
    let grids = read_watched(plan, work)?;
    gpu.prepare_while(plan, go_on)?;
    Ok(grids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;
    use crate::graph::Graph;
    use crate::library::Library;
    use crate::plan::PlanOptions;

    const GRAPH: &str = r#"(version: 1, nodes: {
        "box": (domain: (resolution: (6, 6, 6), width: 1)),
        "left": (file: "shape.obj", on: "box", params: {"center": (0.3, 0.5, 0.5), "size": 0.4}),
        "right": (file: "shape.obj", on: "box", params: {"center": (0.7, 0.5, 0.5), "size": 0.4}),
    })"#;

    fn plan(folder: &Path, text: &str) -> Plan {
        let graph = Graph::build(&Document::parse(text).unwrap(), Library::builtin()).unwrap();
        let keep = crate::plan::Keep::Wires(["left.distance", "right.distance"].map(String::from).into());
        Plan::compile(&graph, &PlanOptions { folder: folder.into(), keep, ..PlanOptions::default() }).unwrap()
    }

    #[test]
    fn a_file_in_two_places_is_known_in_both_and_forgotten_where_it_is_no_more() {
        let folder = std::env::temp_dir().join(format!("stagewright-places-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        std::fs::write(folder.join("shape.obj"), corners).unwrap();
        let before = plan(&folder, GRAPH);
        let stopped = Work::default();
        stopped.stop();
        let first = wanted(&before).unwrap().swap_remove(0);
        assert!(first.load(&stopped).is_err_and(|problem| problem.cause.ends_with("loading it was cancelled")));
        assert!(first.cached().is_none(), "what was stopped leaves nothing");
        assert_eq!(read(&before).unwrap().len(), 2);
        assert!(wanted(&before).unwrap().iter().all(|file| file.cached().is_some()));
        let after = plan(&folder, &GRAPH.replace("0.7", "0.6"));
        read(&after).unwrap();
        let cached: Vec<bool> = wanted(&before).unwrap().iter().map(|file| file.cached().is_some()).collect();
        assert_eq!(cached, [true, false], "the one that stayed");
        std::fs::remove_dir_all(folder).unwrap();
    }

    const DRAWN: &str = r#"(version: 1, nodes: {
        "box": (domain: (resolution: (40, 64), width: 0.1)),
        "left": (file: "vessels/pegs.png", on: "box", params: {"center": (0.05, 0.08, 0), "size": 0.1}),
        "right": (file: "vessels/pegs.png", on: "box", params: {"center": (0.05, 0.08, 0), "size": 0.1}),
    })"#;

    #[test]
    fn a_drawing_that_ships_is_there_without_its_file_but_the_file_takes_precedence() {
        let folder = std::env::temp_dir().join(format!("stagewright-drawn-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("vessels")).unwrap();
        let text = DRAWN.replace("vessels/pegs.png", "vessels/none.png");
        let missing = wanted(&plan(&folder, &text)).unwrap_err().to_string();
        assert!(missing.contains("vessels/none.png: there is no such file"), "{missing}");
        let drawn = plan(&folder, DRAWN);
        check(&drawn).unwrap();
        let shipped = read(&drawn).unwrap().swap_remove(0);
        // The neck is open, pegs and what lies beside the neck are not.
        let at = |x: usize, y: usize| shipped.values[y * 40 + x];
        assert!(at(19, 31) < 0.0 && at(10, 31) > 0.0 && at(19, 40) > 0.0, "{} {}", at(10, 31), at(19, 40));
        let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("graphs");
        assert_eq!(read(&plan(&root, DRAWN)).unwrap().swap_remove(0).values, shipped.values, "the same as the file");
        std::fs::write(folder.join("vessels/pegs.png"), "no image").unwrap();
        assert!(read(&plan(&folder, DRAWN)).is_err(), "the file in the graph's folder is read instead");
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_graph_reads_so_many_files_and_no_more() {
        let folder = std::env::temp_dir().join(format!("stagewright-many-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("shape.obj"), "").unwrap();
        for (count, fits) in [(MAX_NAMED, true), (MAX_NAMED + 1, false)] {
            let mut plan = plan(&folder, GRAPH);
            let file = plan.files.first().unwrap().clone();
            plan.files = vec![file; count];
            let wanted = wanted(&plan);
            assert_eq!(wanted.is_ok(), fits, "{:?}", wanted.err().map(|p| p.to_string()));
        }
        std::fs::remove_dir_all(folder).unwrap();
    }
}
