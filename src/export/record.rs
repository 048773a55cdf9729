//! The record of an unfinished export: a small file in its folder that tells another run whether it can be resumed.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::{self, Read};
use std::ops::RangeInclusive;
use std::path::Path;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::asset;
use crate::cache::Cache;
use crate::cancel::Cancel;
use crate::document::{Document, Node, NodeKind, Nodes};
use crate::files::{Access, read, write};
use crate::library::{Definition, Library};
use crate::sim::checkpoint::CheckpointFile;

/// The name of the file in the folder of an export.
pub(super) const RECORD: &str = "frame.export.ron";
/// A record has some hundred bytes.
const MAX_RECORD: u64 = 1 << 16;
/// Bytes of a file that are hashed between two checks for cancelling.
const CHUNK: usize = 1 << 20;

/// A hash of everything that the frames of an export depend on, except for their range and size: the version of this
/// program, the graph with its recorded input, the stages and groups that it uses, the files that it names, and the caches that it plays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint {
    all: String,
    /// The same without caches.
    live: String,
}

impl Fingerprint {
    /// Reads the files that the document names. For a file that cannot be read, this fact is hashed; the export itself
    /// reports the error. `None` when cancelled.
    pub fn of(document: &Document, library: &Library, access: &Access, cancel: &Cancel) -> Option<Fingerprint> {
        let mut hash = Hash(Sha256::new());
        hash.part(b"program", env!("CARGO_PKG_VERSION").as_bytes());
        // Presets say which files are written, and change no frame.
        let bare = Document { exports: Default::default(), ..document.clone() };
        hash.part(b"graph", bare.to_text().as_bytes());
        let mut used = Used::default();
        used.add(&document.nodes, library);
        for name in &used.definitions {
            hash.part(b"name", name.as_bytes());
            match library.get(name) {
                Some(Definition::Stage(stage)) => hash.part(b"stage", stage.source.as_bytes()),
                // Its maps are sorted, so equal groups give equal text.
                Some(Definition::Group(group)) => hash.part(b"group", format!("{group:?}").as_bytes()),
                None => hash.part(b"none", b""),
            }
        }
        for name in &used.files {
            hash.part(b"file", name.as_bytes());
            for path in asset::files_of(Path::new(name), access) {
                hash.part(b"frame", path.as_os_str().as_encoded_bytes());
                hash.file(&path, asset::MAX_FILE, cancel)?;
            }
            let Ok(path) = access.resolve(Path::new(name)) else {
                match asset::built_in(Path::new(name)) {
                    Some(bytes) => hash.part(b"built in", bytes),
                    None => hash.part(b"none", b""),
                }
                continue;
            };
            let beside = asset::companions(&path, access);
            hash.file(&path, asset::MAX_FILE, cancel)?;
            for (path, length) in beside {
                hash.file(&path, length, cancel)?;
            }
        }
        let live = hash.text();
        let mut hash = Hash(Sha256::new());
        hash.part(b"live", live.as_bytes());
        for (name, bake) in document.bakes.iter().filter(|(_, bake)| bake.play) {
            // What its wires depend on is in the index. A frame that is missing is replaced by another.
            let Ok(cache) = Cache::open(&access.folder.join(bake.folder(name))) else { continue };
            let Ok(index) = serde_json::to_vec(cache.index()) else { continue };
            hash.part(b"cache", name.as_bytes());
            hash.part(b"index", &index);
            hash.part(b"frames", format!("{:?}", cache.frames()).as_bytes());
            for frame in cache.frames().into_iter().flatten() {
                if cancel.is_cancelled() {
                    return None;
                }
                // One that is damaged is reported when it is played.
                hash.part(b"frame", &cache.hash(frame).unwrap_or_default());
            }
        }
        Some(Fingerprint { all: hash.text(), live })
    }
}

impl Fingerprint {
    /// The hash in hexadecimal.
    pub fn text(&self) -> &str {
        &self.all
    }

    /// The same for frames that continue from a checkpoint, where there is one.
    #[must_use]
    pub fn from(self, checkpoint: Option<&CheckpointFile>) -> Fingerprint {
        checkpoint.map_or(self.clone(), |checkpoint| self.after(checkpoint))
    }

    /// The same for frames that continue from States which other inputs have led to.
    #[must_use]
    pub fn after(&self, checkpoint: &CheckpointFile) -> Fingerprint {
        if checkpoint.about().inputs.as_deref() == Some(self.text()) {
            return self.clone();
        }
        let mut hash = Hash(Sha256::new());
        hash.part(b"inputs", self.all.as_bytes());
        hash.part(b"checkpoint", checkpoint.hash().as_bytes());
        Fingerprint { all: hash.text(), ..self.clone() }
    }
}

/// A hash of parts with their kinds and lengths, so that different lists of parts never give the same input.
struct Hash(Sha256);

impl Hash {
    /// The hash in hexadecimal.
    fn text(self) -> String {
        hexadecimal(&self.0.finalize())
    }

    fn part(&mut self, kind: &[u8], bytes: &[u8]) {
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
                kind => self.files.extend(kind.file().map(String::from)),
            }
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let mut text = String::new();
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

fn png() -> String {
    "png".into()
}

/// The file's contents. It contains no text from the graph: a file with a fixed name must not have contents that
/// somebody else chose.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub first: u64,
    pub last: u64,
    /// Size of the images \[pixels\], where it is known before the first frame.
    #[serde(rename = "picture")]
    pub image_size: Option<[u32; 2]>,
    /// SHA-256 of the subject, in hexadecimal.
    pub subject: String,
    /// The names of the formats. Records without it are of PNG, once the only format.
    #[serde(default = "png")]
    pub format: String,
    /// The [`Fingerprint`].
    pub inputs: String,
    /// The same without caches. Records without it are of exports before there were caches.
    #[serde(default)]
    pub live: String,
}

impl Record {
    /// `subject` describes what the frames show, as text; `format` has the names of the formats.
    pub(super) fn new(
        frames: &RangeInclusive<u64>,
        image_size: Option<[u32; 2]>,
        subject: &str,
        format: &str,
        inputs: &Fingerprint,
    ) -> Record {
        let (first, last) = frames.clone().into_inner();
        let text = hexadecimal(&Sha256::digest(subject.as_bytes()));
        Record {
            first,
            last,
            image_size,
            subject: text,
            format: format.into(),
            inputs: inputs.all.clone(),
            live: inputs.live.clone(),
        }
    }

    /// Reads the record in a file; a symbolic link is ignored.
    pub(super) fn read(path: &Path) -> Option<Record> {
        let bytes = read::bytes_without_links(path, MAX_RECORD).ok()?;
        ron::de::from_bytes(&bytes).ok()
    }

    /// Whether both records are of the same export. An unknown image size matches any size.
    pub(super) fn same(&self, other: &Record) -> bool {
        let same_size = self.image_size.is_none() || other.image_size.is_none() || self.image_size == other.image_size;
        same_size && Record { image_size: None, ..self.clone() } == Record { image_size: None, ..other.clone() }
    }

    /// Whether both records are of the same export from caches that have changed.
    pub(super) fn rebaked(&self, other: &Record) -> bool {
        let (inputs, same) = (other.inputs.clone(), self.inputs == other.inputs);
        !same && self.live == other.live && Record { inputs, ..self.clone() }.same(other)
    }

    /// # Errors
    /// Why it cannot be written.
    pub(super) fn write(&self, path: &Path) -> io::Result<()> {
        let text = ron::to_string(self).map_err(io::Error::other)?;
        write::replace_in_export(path, text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::{Index, Writer};
    use crate::document::Bake;

    #[test]
    fn a_cache_that_was_baked_again_is_another_input() {
        let folder = std::env::temp_dir().join(format!("stagewright-baked-again-{}", std::process::id()));
        let access = Access::new(&folder, false);
        let mut document = Document::default();
        let of =
            |document: &Document| Fingerprint::of(document, Library::builtin(), &access, &Cancel::default()).unwrap();
        let record = |inputs: &Fingerprint| Record::new(&(1..=9), None, "smoke", "png", inputs);
        document.bakes.insert("smoke".into(), Bake::default());
        let bake = |rate: &str, frames: u64| {
            let depends = [("jet.rate".to_string(), rate.to_string())].into();
            let index = Index::new("card", (1, 9), Vec::new(), depends);
            let (writer, _) = Writer::begin(&folder.join("smoke.bake"), index, false).unwrap();
            (1..=frames).for_each(|frame| assert!(writer.write(frame, 0.0, &[]).unwrap() > 0));
        };
        let live = of(&document);
        bake("10", 2);
        let first = of(&document);
        assert_eq!(first, of(&document));
        bake("12", 2);
        let second = of(&document);
        bake("12", 3);
        let third = of(&document);
        for (one, other) in [(&live, &first), (&first, &second), (&second, &third)] {
            assert!(one.text() != other.text() && !record(one).same(&record(other)));
            assert!(record(one).rebaked(&record(other)));
        }
        assert!(record(&first).same(&record(&first)) && !record(&first).rebaked(&record(&first)));
        document.fps = 25.0;
        assert!(!record(&of(&document)).rebaked(&record(&third)), "the graph has changed");
        std::fs::remove_dir_all(folder).unwrap();
    }
}
