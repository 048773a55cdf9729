//! What the frames of an export depend on, in parts, so that a difference can be named.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::asset;
use crate::cache::Cache;
use crate::cancel::Cancel;
use crate::document::{Document, Group, Node, NodeKind, Nodes};
use crate::files::{Access, read};
use crate::library::{Definition, Library};
use crate::sim::checkpoint::CheckpointFile;
use crate::stage::{Stage, code};

/// Bytes of a file that are hashed between two checks for cancelling.
const CHUNK: usize = 1 << 20;
/// Digits of a hash that are kept of each part.
const DIGITS: usize = 16;
/// How many changes a sentence names.
const NAMED: usize = 4;

/// A hash of everything that the frames of an export depend on, except for their range and size: the version of this
/// program, the graph with its recorded input, the stages and groups that it uses, the files that it names, and the caches that it plays.
/// What computes nothing, such as titles, notes, colours and places on the canvas, is not in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    all: String,
    /// The kind and the name of each part, and its hash, by a key without text of the graph.
    parts: BTreeMap<String, (Kind, String, String)>,
}

/// Hashes of the parts, by keys that hold no text of the graph.
pub(super) type Parts = BTreeMap<String, String>;

/// A kind of part, in the order in which changes are named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Program,
    Rate,
    Seed,
    Input,
    Start,
    Node,
    Parameter,
    Stage,
    File,
    Cache,
}

impl Kind {
    const ALL: [Kind; 10] = [
        Kind::Program,
        Kind::Rate,
        Kind::Seed,
        Kind::Input,
        Kind::Start,
        Kind::Node,
        Kind::Parameter,
        Kind::Stage,
        Kind::File,
        Kind::Cache,
    ];

    /// The word in keys. It is stored, and never changed.
    fn word(self) -> &'static str {
        match self {
            Kind::Program => "program",
            Kind::Rate => "fps",
            Kind::Seed => "seed",
            Kind::Input => "input",
            Kind::Start => "start",
            Kind::Node => "node",
            Kind::Parameter => "parameter",
            Kind::Stage => "stage",
            Kind::File => "file",
            Kind::Cache => "cache",
        }
    }

    /// The part in a sentence.
    fn named(self, name: &str) -> String {
        match self {
            Kind::Program => "the version of the program".into(),
            Kind::Rate => "the frames per second (fps)".into(),
            Kind::Seed => "the seed".into(),
            Kind::Input => "the recorded input".into(),
            Kind::Start => "the checkpoint that it starts from".into(),
            Kind::Node => format!("the node `{name}` of the graph"),
            Kind::Cache => format!("the cache `{name}`, which was baked again since,"),
            Kind::Parameter | Kind::Stage | Kind::File => format!("the {} `{name}`", self.word()),
        }
    }
}

impl Fingerprint {
    /// Reads the files that the document names. For a file that cannot be read, this fact is hashed; the export itself
    /// reports the error. `None` when cancelled.
    pub fn of(document: &Document, library: &Library, access: &Access, cancel: &Cancel) -> Option<Fingerprint> {
        let library = &*library.with_shared_of(document);
        let mut parts = Collected::default();
        parts.text(Kind::Program, "", env!("CARGO_PKG_VERSION"));
        parts.text(Kind::Rate, "", &document.fps.to_string());
        parts.text(Kind::Seed, "", &document.seed.to_string());
        parts.text(Kind::Input, "", &format!("{:?}", document.input));
        parts.nodes("", &document.nodes);
        let mut used = Used::default();
        used.add(&document.nodes, library);
        for name in &used.definitions {
            let text = match library.get(name) {
                Some(Definition::Stage(stage)) => code(&stage.source),
                Some(Definition::Group(group)) => {
                    let mut inside = Collected::default();
                    inside.group(name, group);
                    format!("{:?}", inside.0)
                }
                None => String::new(),
            };
            parts.text(Kind::Stage, name, &text);
        }
        for (name, text) in &used.shared {
            parts.text(Kind::Stage, &format!("@use {name}"), text);
        }
        for name in &used.files {
            let mut hash = Hash::default();
            for path in asset::files_of(Path::new(name), access) {
                hash.part(b"frame", path.as_os_str().as_encoded_bytes());
                hash.file(&path, asset::MAX_FILE, cancel)?;
            }
            match access.resolve(Path::new(name)) {
                Ok(path) => {
                    let beside = asset::companions(&path, access);
                    hash.file(&path, asset::MAX_FILE, cancel)?;
                    for (path, length) in beside {
                        hash.file(&path, length, cancel)?;
                    }
                }
                Err(_) => match asset::built_in(Path::new(name)) {
                    Some(bytes) => hash.part(b"built in", bytes),
                    None => hash.part(b"none", b""),
                },
            }
            parts.add(Kind::File, name, hash);
        }
        for (name, bake) in document.bakes.iter().filter(|(_, bake)| bake.play) {
            // What its wires depend on is in the index. A frame that is missing is replaced by another.
            let Ok(cache) = Cache::open(&access.folder.join(bake.folder(name))) else { continue };
            let Ok(index) = serde_json::to_vec(cache.index()) else { continue };
            let mut hash = Hash::default();
            hash.part(b"wires", format!("{:?}", bake.wires).as_bytes());
            hash.part(b"index", &index);
            hash.part(b"frames", format!("{:?}", cache.frames()).as_bytes());
            for frame in cache.frames().into_iter().flatten() {
                if cancel.is_cancelled() {
                    return None;
                }
                // One that is damaged is reported when it is played.
                hash.part(b"frame", &cache.hash(frame).unwrap_or_default());
            }
            parts.add(Kind::Cache, name, hash);
        }
        Some(parts.finish())
    }

    /// The hash in hexadecimal.
    pub fn text(&self) -> &str {
        &self.all
    }

    /// The fingerprint of frames that continue from a checkpoint, where there is one.
    #[must_use]
    pub fn from(self, checkpoint: Option<&CheckpointFile>) -> Fingerprint {
        checkpoint.map_or(self.clone(), |checkpoint| self.after(checkpoint))
    }

    /// The fingerprint of frames that continue from States which other inputs have led to.
    #[must_use]
    pub fn after(&self, checkpoint: &CheckpointFile) -> Fingerprint {
        if checkpoint.about().inputs.as_deref() == Some(self.text()) {
            return self.clone();
        }
        let mut hash = Hash::default();
        hash.part(b"inputs", self.all.as_bytes());
        hash.part(b"checkpoint", checkpoint.hash().as_bytes());
        let mut parts = self.parts.clone();
        let start = (Kind::Start, String::new(), hexadecimal(&Sha256::digest(checkpoint.hash().as_bytes())));
        parts.insert(key(Kind::Start, ""), start);
        Fingerprint { all: hash.text(), parts }
    }

    /// What a record holds of the parts.
    pub(super) fn parts(&self) -> Parts {
        self.parts.iter().map(|(key, (_, _, hash))| (key.clone(), short(hash))).collect()
    }

    /// What differs from recorded parts, as the beginning of a sentence; empty where nothing does.
    pub(super) fn changes(&self, recorded: &Parts) -> String {
        let hash_before = |key: &String| recorded.get(key);
        let mut changes: Vec<(Kind, String)> = Vec::new();
        for (key, (kind, name, hash)) in &self.parts {
            let other = hash_before(key).is_none_or(|hash_before| *hash_before != short(hash));
            // The parameters of a node that is new are.
            let new = *kind == Kind::Parameter && hash_before(key).is_none() && {
                let node = name.rsplit_once('.').map_or("", |(node, _)| node);
                hash_before(&self::key(Kind::Node, node)).is_none()
            };
            if other && !new {
                changes.push((*kind, kind.named(name)));
            }
        }
        let gone = |kind: Kind| {
            let of = format!("{} ", kind.word());
            recorded.keys().any(|key| key.starts_with(&of) && !self.parts.contains_key(key))
        };
        let removed_node = gone(Kind::Node);
        for kind in Kind::ALL.into_iter().filter(|kind| gone(*kind)) {
            match kind {
                Kind::Parameter if removed_node => {}
                Kind::Start => changes.push((kind, kind.named(""))),
                kind => changes.push((kind, format!("a {} that is no longer there", kind.word()))),
            }
        }
        changes.sort();
        let more = changes.len().saturating_sub(NAMED);
        let mut names: Vec<String> = changes.into_iter().take(NAMED).map(|(_, name)| name).collect();
        if more > 0 {
            names.push(format!("{more} more"));
        }
        match names.split_last() {
            Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
            _ => names.concat(),
        }
    }

    /// Whether nothing but caches differs from recorded parts.
    pub(super) fn rebaked(&self, recorded: &Parts) -> bool {
        let live = |key: &&String| !key.starts_with(Kind::Cache.word());
        let ours = self.parts();
        let same = ours.iter().filter(|(key, _)| live(key)).eq(recorded.iter().filter(|(key, _)| live(key)));
        same && ours != *recorded
    }
}

/// Parts with their full hashes, by kind and name.
#[derive(Debug, Default)]
struct Collected(BTreeMap<(Kind, String), String>);

impl Collected {
    fn add(&mut self, kind: Kind, name: &str, hash: Hash) {
        self.0.insert((kind, name.into()), hash.text());
    }

    fn text(&mut self, kind: Kind, name: &str, text: &str) {
        let mut hash = Hash::default();
        hash.part(b"text", text.as_bytes());
        self.add(kind, name, hash);
    }

    /// The nodes of a level, whose paths begin with `before`.
    fn nodes(&mut self, before: &str, nodes: &Nodes) {
        for (name, node) in nodes {
            let path = if before.is_empty() { name.clone() } else { format!("{before}/{name}") };
            // A field that is added to nodes has to be chosen here.
            let Node {
                kind,
                inputs,
                params,
                iterations,
                until,
                on,
                capacity,
                precision,
                muted,
                at: _,
                color: _,
                comment: _,
                extra,
            } = node;
            let mut value = |name: &str, text: String| self.text(Kind::Parameter, &format!("{path}.{name}"), &text);
            params.iter().for_each(|(param, number)| value(param, format!("{number:?}")));
            value("iterations", format!("{iterations:?}"));
            value("capacity", format!("{capacity:?}"));
            match kind {
                NodeKind::Number(number) => value("value", format!("{number:?}")),
                NodeKind::Domain(domain) => {
                    value("resolution", format!("{:?}", domain.resolution));
                    value("width", format!("{:?}", domain.width));
                }
                _ => {}
            }
            let content = match kind {
                NodeKind::Group(group) => {
                    self.group(&path, group);
                    String::new()
                }
                NodeKind::Custom(source) => code(source),
                NodeKind::Unknown => format!("{extra:?}"),
                NodeKind::Number(_) => "number".into(),
                NodeKind::Domain(domain) => format!("{:?}", domain.edge),
                kind => format!("{kind:?}"),
            };
            let run = (until, on, precision, muted);
            self.text(Kind::Node, &path, &format!("{} {content:?} {inputs:?} {run:?}", kind_word(kind)));
        }
    }

    /// A group without what is for its reader.
    fn group(&mut self, path: &str, group: &Group) {
        let Group { inputs, outputs, params, nodes, about: _, inputs_at: _, outputs_at: _, frames: _, extra: _ } =
            group;
        self.text(Kind::Node, &format!("{path}/"), &format!("{inputs:?} {outputs:?} {params:?}"));
        self.nodes(path, nodes);
    }

    fn finish(self) -> Fingerprint {
        let mut all = Hash::default();
        let mut parts = BTreeMap::new();
        for ((kind, name), hash) in self.0 {
            all.part(kind.word().as_bytes(), name.as_bytes());
            all.part(b"is", hash.as_bytes());
            // The ports of a group are the group's.
            let shown = name.trim_end_matches('/').to_string();
            parts.insert(key(kind, &name), (kind, shown, hash));
        }
        Fingerprint { all: all.text(), parts }
    }
}

fn kind_word(kind: &NodeKind) -> &'static str {
    match kind {
        NodeKind::Group(_) => "group",
        NodeKind::Custom(_) => "custom",
        NodeKind::Unknown => "unknown",
        _ => "other",
    }
}

/// The key of a part: its kind, and a hash of its name.
fn key(kind: Kind, name: &str) -> String {
    format!("{} {}", kind.word(), short(&hexadecimal(&Sha256::digest(name.as_bytes()))))
}

fn short(hash: &str) -> String {
    hash.chars().take(DIGITS).collect()
}

/// A hash of parts with their kinds and lengths, so that different lists of parts never give the same input.
#[derive(Default)]
pub(super) struct Hash(Sha256);

impl Hash {
    /// The hash in hexadecimal.
    pub(super) fn text(self) -> String {
        hexadecimal(&self.0.finalize())
    }

    /// First digits of the hash, enough to tell whether two are of the same.
    pub(super) fn short(self) -> String {
        short(&self.text())
    }

    pub(super) fn part(&mut self, kind: &[u8], bytes: &[u8]) {
        self.begin(kind, bytes.len() as u64);
        self.0.update(bytes);
    }

    fn begin(&mut self, kind: &[u8], length: u64) {
        self.0.update((kind.len() as u64).to_le_bytes());
        self.0.update(kind);
        self.0.update(length.to_le_bytes());
    }

    /// Hashes the first bytes of a file. `None` when cancelled.
    fn file(&mut self, path: &Path, limit: u64, cancel: &Cancel) -> Option<()> {
        let Ok((file, length)) = read::open(path) else {
            self.part(b"none", b"");
            return Some(());
        };
        self.begin(b"bytes", length);
        let mut file = file.take(limit);
        let mut chunk = vec![0; CHUNK];
        loop {
            if cancel.is_cancelled() {
                return None;
            }
            match file.read(&mut chunk) {
                Ok(0) => return Some(()),
                Ok(count) => self.0.update(chunk.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => {
                    self.part(b"none", b"");
                    return Some(());
                }
            }
        }
    }
}

/// Names that a document uses, including those inside groups.
#[derive(Default)]
struct Used {
    definitions: BTreeSet<String>,
    files: BTreeSet<String>,
    /// Texts that Custom nodes share, by the name of the file. What stages of the library use is part of their own text.
    shared: BTreeMap<String, String>,
}

impl Used {
    fn add(&mut self, nodes: &Nodes, library: &Library) {
        let mut waiting: Vec<&Node> = nodes.values().collect();
        while let Some(node) = waiting.pop() {
            match &node.kind {
                NodeKind::Stage(name) => {
                    if self.definitions.insert(name.clone())
                        && let Some(Definition::Group(group)) = library.get(name)
                    {
                        waiting.extend(group.nodes.values());
                    }
                }
                NodeKind::Group(group) => waiting.extend(group.nodes.values()),
                NodeKind::Custom(text) => {
                    let stage = Stage::parse_using("custom", text, library).ok();
                    let files = stage.iter().flat_map(|stage| &stage.used().files);
                    self.shared.extend(files.map(|file| (file.name.clone(), code(&file.source))));
                }
                kind => self.files.extend(kind.file().map(String::from)),
            }
        }
    }
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{Index, Writer};
    use crate::document::{Bake, ParamValue};

    fn fingerprint(document: &Document, access: &Access) -> Fingerprint {
        Fingerprint::of(document, Library::builtin(), access, &Cancel::default()).unwrap()
    }

    const GRAPH: &str = r#"(version: 1, name: "count", about: "text", fps: 30, seed: 4, nodes: {
        "domain": (domain: (resolution: (24, 16), width: 1, edge: "wall"), at: (1, 2), color: "red", comment: "note"),
        "smoke": (state: "Grid<f32>", inputs: {"next": "around.field"}),
        "around": (group: (about: "inside", inputs: {"field": "Grid<f32>"}, outputs: {"field": "more.field"}, nodes: {
            "more": (stage: "fluid/add_source", inputs: {"field": "in.field"}, params: {"radius": 0.3, "rate": 1}),
        }), inputs: {"field": "smoke"}),
        "own": (custom: "//! T\n//! @in x: Grid<f32>\n//! @out y: Grid<f32>\nfn stage(cell: Cell) -> f32 { return x(cell); }", inputs: {"x": "smoke"}),
    })"#;

    #[test]
    fn what_computes_nothing_changes_nothing_and_what_does_is_named() {
        let (first, access) = (Document::parse(GRAPH).unwrap(), Access::default());
        let unchanged = fingerprint(&first, &access);
        let (with, without) = ("return x(cell);", "// a comment\n  return x( cell ) ;");
        let texts = [
            GRAPH.replace("name: \"count\"", "name: \"other\"").replace("about: \"text\", ", ""),
            GRAPH.replace("at: (1, 2), color: \"red\", comment: \"note\"", "at: (9, 2)"),
            GRAPH.replace("about: \"inside\", ", "frames: [(title: \"a\", at: (0, 0), size: (1, 1))], "),
            GRAPH.replace("nodes: {\n        \"domain\"", "exports: {\"a\": (frames: (1, 2))}, bakes: {\"b\": (frames: (1, 2))}, expect: [], nodes: {\n        \"domain\""),
            GRAPH.replace(with, &without.replace('\n', "\\n")),
        ];
        for text in texts {
            assert!(text != GRAPH);
            let other = fingerprint(&Document::parse(&text).unwrap(), &access);
            assert_eq!((other.text(), other.changes(&unchanged.parts())), (unchanged.text(), String::new()), "{text}");
        }
        for (old, new, named) in [
            ("fps: 30", "fps: 25", "the frames per second (fps)"),
            ("seed: 4", "seed: 5", "the seed"),
            ("\"rate\": 1", "\"rate\": 2", "the parameter `around/more.rate`"),
            (", \"rate\": 1", "", "a parameter that is no longer there"),
            ("(24, 16)", "(24, 17)", "the parameter `domain.resolution`"),
            ("return x(cell);", "return -x(cell);", "the node `own` of the graph"),
            ("\"field\": \"in.field\"", "", "the node `around/more` of the graph"),
            (
                "outputs: {\"field\": \"more.field\"}",
                "outputs: {\"f\": \"more.field\"}",
                "the node `around` of the graph",
            ),
        ] {
            assert!(GRAPH.contains(old), "{old}");
            let other = fingerprint(&Document::parse(&GRAPH.replace(old, new)).unwrap(), &access);
            assert_eq!(other.changes(&unchanged.parts()), named);
            assert!(other.text() != unchanged.text() && !other.rebaked(&unchanged.parts()));
        }
        let mut several = first.clone();
        several
            .nodes
            .insert("extra".into(), Node { params: [("x".into(), ParamValue::Number(1.0))].into(), ..Node::default() });
        several.fps = 1.0;
        let named = fingerprint(&several, &access).changes(&unchanged.parts());
        assert_eq!(named, "the frames per second (fps) and the node `extra` of the graph", "and not its parameter");
        assert_eq!(
            unchanged.changes(&fingerprint(&several, &access).parts()),
            "the frames per second (fps) and a node that is no longer there"
        );
        assert!(
            unchanged.parts().keys().all(|key| !key.contains("smoke") && !key.contains("rate")),
            "no text of the graph"
        );
    }

    #[test]
    fn a_cache_that_was_baked_again_is_another_input() {
        let folder = std::env::temp_dir().join(format!("stagewright-baked-again-{}", std::process::id()));
        let access = Access::new(&folder, false);
        let mut document = Document::default();
        document.bakes.insert("smoke".into(), Bake::default());
        let bake = |rate: &str, frames: u64| {
            let depends = [("jet.rate".to_string(), rate.to_string())].into();
            let index = Index::new("card", (1, 9), Vec::new(), depends);
            let (writer, _) = Writer::begin(&folder.join("smoke.bake"), index, false).unwrap();
            (1..=frames).for_each(|frame| assert!(writer.write(frame, 0.0, &[]).unwrap() > 0));
        };
        let live = fingerprint(&document, &access);
        bake("10", 2);
        let first = fingerprint(&document, &access);
        assert_eq!(first, fingerprint(&document, &access));
        bake("12", 2);
        let second = fingerprint(&document, &access);
        bake("12", 3);
        let third = fingerprint(&document, &access);
        for (one, other) in [(&live, &first), (&first, &second), (&second, &third)] {
            assert!(one.text() != other.text() && other.rebaked(&one.parts()));
            assert_eq!(other.changes(&one.parts()), "the cache `smoke`, which was baked again since,");
        }
        assert!(!first.rebaked(&first.parts()));
        document.fps = 25.0;
        assert!(!fingerprint(&document, &access).rebaked(&third.parts()), "the graph has changed");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
