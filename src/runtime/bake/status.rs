//! What caches hold, and whether the graph still leads to it.

use std::collections::{BTreeMap, HashMap};
use std::io::Read;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf, is_separator};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::SystemTime;

use sha2::{Digest, Sha256};

use crate::asset;
use crate::cache::{BakedWire, Cache, CacheError, Index, STATES};
use crate::document::Bake;
use crate::files::{Access, portable, read};
use crate::graph::{Graph, NodeId};
use crate::plan::{Plan, PlayedCache, baked_wire};
use crate::problem::{Problem, Problems};
use crate::sim::checkpoint::Checkpoint;
use crate::sim::saver;

/// Limit of a file whose contents are hashed \[bytes\]; of larger ones the size and the time of the last change count.
const MAX_HASHED: u64 = 1 << 30;

/// What the cache of a bake holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Status {
    /// Name of the bake.
    pub name: String,
    /// The folder of the cache.
    pub folder: PathBuf,
    /// The wires, by node and port.
    pub wires: Vec<(NodeId, usize)>,
    /// How each is kept.
    pub stored: Vec<BakedWire>,
    /// All that they depend on, as [`crate::graph::upstream::Upstream::items`], with the contents of files.
    pub depends: BTreeMap<String, String>,
    /// Paths of the nodes that lead to them.
    pub nodes: std::collections::BTreeSet<String>,
    /// The frames that are there.
    pub frames: Option<RangeInclusive<u64>>,
    /// Size on disk \[bytes\].
    pub bytes: u64,
    /// Whether the cache can be played.
    pub condition: Condition,
    /// Whether the graph runs from it.
    pub plays: bool,
}

/// Whether a cache can be played.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// The cache holds the values that the graph leads to.
    Fresh,
    /// The graph leads to other values now; these are the reasons, the most telling first.
    Stale(Vec<String>),
    /// Wires have another type or size now, so it can't be played.
    Unfit(Vec<String>),
    /// There is no cache, or no frame in it.
    Missing,
    /// The cache can't be read.
    Damaged(String),
}

impl Status {
    /// Memory of a frame at most \[bytes\]; on disk it takes less.
    pub fn frame_bytes(&self) -> u64 {
        self.index("", (1, 1)).frame_bytes()
    }

    /// The index of a cache of these wires.
    pub fn index(&self, adapter: &str, frames: (u64, u64)) -> Index {
        Index::new(adapter, frames, self.stored.clone(), self.depends.clone())
    }

    /// The newest checkpoint beside its frames, up to a frame, from which a plan of the graph continues live as it was baked. `adapter`
    /// is the name of the one that runs it. `None` where the cache is not fresh.
    pub fn checkpoint(&self, plan: &Plan, adapter: &str, frame: u64) -> Option<Checkpoint> {
        let inputs = inputs(&self.index(adapter, (1, 1)));
        let fresh = self.condition == Condition::Fresh;
        let same = saver::Same { inputs: &inputs, adapter };
        fresh.then(|| saver::newest(&self.folder, STATES, same, plan, frame)).flatten()
    }

    /// Whether a graph can run from it.
    pub fn is_playable(&self) -> bool {
        matches!(self.condition, Condition::Fresh | Condition::Stale(_))
    }

    /// The names of the wires.
    pub fn wires(&self) -> Vec<String> {
        self.stored.iter().map(|wire| wire.name.clone()).collect()
    }

    /// What keeps the graph from running as it says, or makes it show something else; `None` where all is well.
    pub fn warning(&self) -> Option<Problem> {
        let name = &self.name;
        let (cause, remedy) = match &self.condition {
            Condition::Fresh => return None,
            Condition::Stale(why) => (
                format!("the bake {name} is played although it is stale: {}", reasons(why)),
                "bake it again, or run the graph live",
            ),
            Condition::Unfit(why) => (
                format!("the bake {name} does not fit the graph any more, which runs live: {}", reasons(why)),
                "bake it again",
            ),
            Condition::Missing => (format!("the bake {name} has no cache, so the graph runs live"), "bake it first"),
            Condition::Damaged(why) => {
                (format!("the bake {name} can't be played, so the graph runs live: {why}"), "bake it again")
            }
        };
        Some(Problem::new("", "", cause, remedy).warning())
    }
}

/// The first reasons, and how many others there are.
fn reasons(all: &[String]) -> String {
    let shown: Vec<&str> = all.iter().take(3).map(String::as_str).collect();
    match all.len().saturating_sub(shown.len()) {
        0 => shown.join("; "),
        more => format!("{}; and {more} more", shown.join("; ")),
    }
}

/// All bakes of a graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bakes {
    /// Bakes whose caches could be examined.
    pub all: Vec<Status>,
    /// What is wrong with others, and with those that are played.
    pub problems: Problems,
}

impl Bakes {
    /// The caches that a plan is played from.
    pub fn played(&self) -> Vec<PlayedCache> {
        let played = |status: &Status| PlayedCache {
            bake: status.name.clone(),
            folder: status.folder.clone(),
            wires: status.wires(),
        };
        self.all.iter().filter(|status| status.plays && status.is_playable()).map(played).collect()
    }
}

impl Bakes {
    /// The caches that a bake plays from: all that are played and fresh, but its own.
    pub(super) fn fresh_but(&self, name: &str) -> Vec<PlayedCache> {
        let fresh =
            |bake: &str| self.all.iter().any(|status| status.name == bake && status.condition == Condition::Fresh);
        self.played().into_iter().filter(|cache| cache.bake != name && fresh(&cache.bake)).collect()
    }
}

/// The bakes of a graph, and which of them it is played from.
pub fn playing(graph: &Graph, access: &Access) -> Bakes {
    let mut bakes = Bakes::default();
    for (name, bake) in &graph.bakes {
        match status_of(graph, name, bake, access) {
            Ok(status) => {
                if bake.play {
                    bakes.problems.0.extend(status.warning());
                }
                bakes.all.push(status);
            }
            Err(problem) => bakes.problems.push(problem.warning()),
        }
    }
    bakes
}

/// What the cache of a bake holds. No frame is read.
///
/// # Errors
/// Wires that the graph does not have, or that can't be baked; a folder that the graph may not name.
pub fn status_of(graph: &Graph, name: &str, bake: &Bake, access: &Access) -> Result<Status, Problem> {
    let (first, last) = bake.frames;
    if first == 0 || last < first {
        let cause = format!("the bake {name} has the frames {first} to {last}, which are none");
        return Err(Problem::new(
            "",
            "",
            cause,
            "give a first frame of at least 1, and a last one that is not before it",
        ));
    }
    let wires = wires(graph, name, &bake.wires)?;
    let named = bake.folder(name);
    let folder = access.folder.join(&named);
    if !access.may_name(Path::new(&named)) || !access.contains(&folder) {
        let cause = format!("the bake {name} names the folder {named}, which is outside of that of the graph");
        return Err(Problem::new("", "", cause, "choose a folder inside, or allow files outside of it"));
    }
    let parts = || named.split(is_separator).filter(|part| !matches!(*part, "" | "." | ".."));
    if !access.anywhere
        && let Some((part, fault)) = parts().find_map(|part| Some((part, portable::fault(part)?)))
    {
        let cause = format!("the bake {name} names the folder {named}, which can't be `{part}`: {fault}");
        return Err(Problem::new("", "", cause, "choose another folder"));
    }
    let stored = wires.iter().filter_map(|(node, port)| baked_wire(graph, *node, *port)).collect();
    let upstream = graph.upstream(&wires);
    let mut depends = upstream.items;
    for (node, file) in &upstream.files {
        depends.insert(format!("contents {node}"), contents(file, access));
    }
    let mut status = Status {
        name: name.into(),
        folder,
        wires,
        stored,
        depends,
        nodes: upstream.nodes,
        frames: None,
        bytes: 0,
        condition: Condition::Missing,
        plays: bake.play,
    };
    match Cache::open(&status.folder) {
        Ok(cache) => {
            (status.frames, status.bytes) = (cache.frames(), cache.bytes());
            status.condition = condition(&status, &cache);
        }
        Err(CacheError::Missing(_)) => {}
        Err(error) => status.condition = Condition::Damaged(error.to_string()),
    }
    Ok(status)
}

fn condition(status: &Status, cache: &Cache) -> Condition {
    if cache.frames().is_none() {
        return Condition::Missing;
    }
    let index = cache.index();
    let same = |wire: &BakedWire| {
        index.wires.iter().any(|baked| {
            (&baked.name, baked.state, baked.capacity) == (&wire.name, wire.state, wire.capacity)
                && wire.parts.iter().all(|part| baked.parts.contains(part))
        })
    };
    let changes = changes(&index.depends, &status.depends);
    if let Some(wire) = status.stored.iter().find(|wire| !same(wire)) {
        let why = match index.wires.iter().any(|baked| baked.name == wire.name) {
            true => format!("{} has another size or type", wire.name),
            false => format!("{} is not in the cache", wire.name),
        };
        return Condition::Unfit(changes.into_iter().chain([why]).collect());
    }
    if changes.is_empty() { Condition::Fresh } else { Condition::Stale(changes) }
}

/// The wires of a bake by name; those that images read from the simulation where none is named.
fn wires(graph: &Graph, bake: &str, names: &[String]) -> Result<Vec<(NodeId, usize)>, Problem> {
    if names.is_empty() {
        let wires = graph.baked_by_default();
        if wires.is_empty() {
            let cause = "no image reads anything that develops from frame to frame";
            return Err(Problem::new("", "", cause, "name the wires to bake"));
        }
        return Ok(wires);
    }
    let mut found = Vec::new();
    for name in names {
        let Some((node, port)) = graph.find_wire(name) else {
            let of = name.split('.').next().unwrap_or(name);
            let missing = || Problem::new("", "", "there is no such wire", "name it NODE.PORT; a State by its name");
            let why = graph.names_wire(name).err().unwrap_or_else(missing);
            let cause = match bake {
                "" => format!("{name}: {}", why.cause),
                bake => format!("the bake {bake} names {name}: {}", why.cause),
            };
            return Err(Problem::new(of, "", cause, why.remedy));
        };
        if let Some(why) = graph.cannot_bake(node, port) {
            let path = graph.nodes.get(node).map_or("", |node| node.path.as_str());
            let cause = format!("{name} can't be baked: {why}");
            return Err(Problem::new(path, &graph.port_name(node, port), cause, "name another wire"));
        }
        if !found.contains(&(node, port)) {
            found.push((node, port));
        }
    }
    Ok(found)
}

/// What was changed, as sentences: parameters first, then wires, the rest, and texts of nodes without any other change last.
fn changes(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut names: Vec<&String> = before.keys().chain(now.keys()).collect();
    names.sort();
    names.dedup();
    let differs = |name: &String| before.get(name) != now.get(name);
    let has_node = |list: &BTreeMap<String, String>, node: &str| list.contains_key(&format!("node {node}"));
    for name in names.into_iter().filter(|name| differs(name)) {
        let (kind, of) = name.split_once(' ').unwrap_or(("", name));
        let node = of.rsplit_once('.').map_or(of, |(node, _)| node);
        let (was, is) = (before.get(name), now.get(name));
        // What came or went with a node is said once.
        let comes = has_node(now, node) != has_node(before, node);
        if comes && kind != "node" && (has_node(now, node) || has_node(before, node)) {
            continue;
        }
        let text = |value: Option<&String>| value.map_or_else(|| "nothing".to_string(), |value| short(value));
        let sentence = match (kind, was, is) {
            ("param", Some(was), Some(is)) => (0, format!("{of} was {} and is {}", short(was), short(is))),
            ("param", None, Some(is)) => (0, format!("{of} is {}", short(is))),
            ("param", _, None) => (0, format!("{of} was {}", text(was))),
            ("wire", ..) => (1, format!("{of} read {} and reads {}", text(was), text(is))),
            ("domain", ..) => (2, format!("the domain {of} had {} and has {}", text(was), text(is))),
            ("contents", ..) => (2, format!("the file of {of} was changed")),
            ("file", ..) => (3, format!("{of} reads another file, or places it elsewhere")),
            ("graph", ..) => (2, format!("the {of} changed")),
            ("particles", ..) => (2, format!("the attributes of {of} changed")),
            ("program", ..) => (4, format!("it was baked by version {} of the program", text(was))),
            ("node", None, _) => (1, format!("{of} is new")),
            ("node", _, None) => (1, format!("{of} is not needed any more")),
            ("node", ..) => (5, format!("the text of {of} changed")),
            _ => (5, format!("{name} changed")),
        };
        found.push(sentence);
    }
    found.sort();
    // A parameter that is fixed also changes the text that is generated for its node.
    let others = found.iter().any(|(rank, _)| *rank < 5);
    found.into_iter().filter(|(rank, _)| !others || *rank < 5).map(|(_, text)| text).collect()
}

/// The beginning of a long value.
fn short(value: &str) -> String {
    match value.char_indices().nth(60) {
        Some((end, _)) => format!("{}...", value.get(..end).unwrap_or_default()),
        None => value.into(),
    }
}

/// A hash of what is in a file, or in the files of a sequence.
fn contents(named: &str, access: &Access) -> String {
    let sequence = asset::files_of(Path::new(named), access);
    if !sequence.is_empty() {
        let mut hash = Sha256::new();
        for path in sequence {
            hash.update(path.file_name().unwrap_or_default().as_encoded_bytes());
            hash.update(contents_of(path).unwrap_or_default());
        }
        return hexadecimal(&hash.finalize());
    }
    let found = access.resolve(Path::new(named)).ok().and_then(contents_of);
    found.unwrap_or_else(|| if asset::built_in(Path::new(named)).is_some() { "built in".into() } else { "none".into() })
}

/// The hash of a file. It is kept while neither size nor time of the file change.
fn contents_of(path: PathBuf) -> Option<String> {
    type ContentHashes = HashMap<(PathBuf, u64, Option<SystemTime>), String>;
    static HASHES: OnceLock<Mutex<ContentHashes>> = OnceLock::new();
    let about = std::fs::metadata(&path).ok()?;
    let key = (path, about.len(), about.modified().ok());
    let hashes = HASHES.get_or_init(Default::default);
    if let Some(hash) = hashes.lock().unwrap_or_else(PoisonError::into_inner).get(&key) {
        return Some(hash.clone());
    }
    let hash = hashed(&key.0, key.1).unwrap_or_else(|| format!("{} bytes of {:?}", key.1, key.2));
    hashes.lock().unwrap_or_else(PoisonError::into_inner).insert(key, hash.clone());
    Some(hash)
}

/// A hash of all that the values of frames depend on, in hexadecimal.
pub(super) fn inputs(index: &Index) -> String {
    let mut hash = Sha256::new();
    let texts = index.depends.iter().flat_map(|(name, value)| [name, value]);
    for text in [&index.program].into_iter().chain(texts) {
        hash.update((text.len() as u64).to_le_bytes());
        hash.update(text);
    }
    hexadecimal(&hash.finalize())
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hashed(path: &Path, length: u64) -> Option<String> {
    let (mut file, _) = read::open(path).ok().filter(|_| length <= MAX_HASHED)?;
    let (mut hash, mut chunk) = (Sha256::new(), vec![0; 1 << 20]);
    loop {
        match file.read(&mut chunk).ok()? {
            0 => break,
            count => hash.update(chunk.get(..count)?),
        }
    }
    Some(hexadecimal(&hash.finalize()))
}

#[cfg(test)]
mod tests;
