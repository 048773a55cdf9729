//! What an unfinished export is of: a small file in its folder, by which another run knows whether it may go on.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::asset;
use crate::cancel::Cancel;
use crate::document::{Document, Node, NodeKind, Nodes};
use crate::files::{self, Access, read, write};
use crate::library::{Definition, Library};

/// A record has some hundred bytes.
const MAX_RECORD: u64 = 1 << 16;
/// Bytes of a file that are hashed between two looks at whether to go on.
const CHUNK: usize = 1 << 20;

/// A hash of all that the frames of an export follow from, apart from their range and size: the version of this program, the graph with
/// its recorded input, the stages and groups that it uses, and the files that it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fingerprint(String);

impl Fingerprint {
    /// Reads the files that the document names. One that can't be read is hashed as such; the export itself says why. `None` when it was
    /// cancelled.
    pub fn of(document: &Document, library: &Library, access: &Access, cancel: &Cancel) -> Option<Fingerprint> {
        let mut hash = Hash(Sha256::new());
        hash.part(b"program", env!("CARGO_PKG_VERSION").as_bytes());
        hash.part(b"graph", document.to_text().as_bytes());
        let mut used = Used::default();
        used.add(&document.nodes, library);
        for name in &used.definitions {
            hash.part(b"name", name.as_bytes());
            match library.get(name) {
                Some(Definition::Stage(stage)) => hash.part(b"stage", stage.source.as_bytes()),
                // Maps in it are sorted, so equal groups read the same.
                Some(Definition::Group(group)) => hash.part(b"group", format!("{group:?}").as_bytes()),
                None => hash.part(b"none", b""),
            }
        }
        for name in &used.files {
            hash.part(b"file", name.as_bytes());
            let Ok(path) = access.resolve(Path::new(name)) else {
                hash.part(b"none", b"");
                continue;
            };
            let beside = asset::companions(&path, access);
            hash.file(&path, asset::MAX_FILE, cancel)?;
            for (path, length) in beside {
                hash.file(&path, length, cancel)?;
            }
        }
        let mut text = String::new();
        for byte in hash.0.finalize() {
            // Writing to a string does not fail.
            let _ = write!(text, "{byte:02x}");
        }
        Some(Fingerprint(text))
    }
}

/// A hash of parts with their kinds and lengths, so that no two lists of parts read the same.
struct Hash(Sha256);

impl Hash {
    fn part(&mut self, kind: &[u8], bytes: &[u8]) {
        self.begin(kind, bytes.len() as u64);
        self.0.update(bytes);
    }

    fn begin(&mut self, kind: &[u8], length: u64) {
        self.0.update((kind.len() as u64).to_le_bytes());
        self.0.update(kind);
        self.0.update(length.to_le_bytes());
    }

    /// The first bytes of a file. `None` when it was cancelled.
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

/// Names that a document uses, also inside of groups.
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
                NodeKind::File(path) => drop(self.files.insert(path.clone())),
                _ => {}
            }
        }
    }
}

/// The file's contents. It holds no text of the graph: what is written under a name that somebody else may have chosen must not be theirs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Record {
    pub first: u64,
    pub last: u64,
    /// Of the pictures \[pixels\], where it is known before the first frame.
    pub picture: Option<[u32; 2]>,
    /// SHA-256 of the subject, in hexadecimal.
    pub subject: String,
    /// The [`Fingerprint`].
    pub inputs: String,
}

impl Record {
    pub fn new(first: u64, last: u64, picture: Option<[u32; 2]>, subject: &str, inputs: &Fingerprint) -> Record {
        let mut text = String::new();
        for byte in Sha256::digest(subject.as_bytes()) {
            let _ = write!(text, "{byte:02x}");
        }
        Record { first, last, picture, subject: text, inputs: inputs.0.clone() }
    }

    /// The record in a file; a link counts as none.
    pub fn read(path: &Path) -> Option<Record> {
        let bytes = read::bytes_without_links(path, MAX_RECORD).ok()?;
        ron::de::from_bytes(&bytes).ok()
    }

    /// Whether both are of one export. What one of them does not know of the pictures' size is no difference.
    pub fn same(&self, other: &Record) -> bool {
        let picture = self.picture.is_none() || other.picture.is_none() || self.picture == other.picture;
        picture && Record { picture: None, ..self.clone() } == Record { picture: None, ..other.clone() }
    }

    /// # Errors
    /// Why it can't be written.
    pub fn write(&self, path: &Path) -> io::Result<()> {
        let text = ron::to_string(self).map_err(io::Error::other)?;
        write::replace_in_export(path, text.as_bytes())
    }
}

/// The size of a picture \[pixels\], if it is a whole PNG file: from its signature to the chunk that ends it, with nothing behind.
pub(super) fn whole_png(path: &Path) -> Option<[u32; 2]> {
    const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";
    let (mut file, length) = files::read::open_without_links(path).ok()?;
    let mut start = [0; 24];
    file.read_exact(&mut start).ok()?;
    let [width, height] =
        [16, 20].map(|at| start.get(at..).and_then(|b| b.first_chunk()).map(|b| u32::from_be_bytes(*b)));
    if !start.starts_with(&SIGNATURE) || start.get(12..16)? != b"IHDR" {
        return None;
    }
    let mut at = SIGNATURE.len() as u64;
    loop {
        let (size, kind) = chunk(&mut file, at)?;
        // Length, kind and check sum.
        at += 12 + u64::from(size);
        match &kind {
            b"IEND" => return (at == length && size == 0).then_some([width?, height?]),
            _ if at >= length => return None,
            _ => {}
        }
    }
}

fn chunk(file: &mut File, at: u64) -> Option<(u32, [u8; 4])> {
    let mut head = [0; 8];
    file.seek(SeekFrom::Start(at)).ok()?;
    file.read_exact(&mut head).ok()?;
    let (size, kind) = (head.first_chunk()?, head.last_chunk()?);
    Some((u32::from_be_bytes(*size), *kind))
}

/// The number of a frame from the name of its file.
pub(super) fn number(name: &Path, prefix: &str) -> Option<u64> {
    let digits = name.to_str()?.strip_prefix(prefix)?.strip_prefix('.')?.strip_suffix(".png")?;
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
}

/// Files of frames in a folder with their numbers, whatever they hold; folders are none.
pub(super) fn frames(folder: &Path, prefix: &str) -> io::Result<Vec<(u64, PathBuf)>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if let Some(index) = number(Path::new(&entry.file_name()), prefix)
            && !entry.file_type()?.is_dir()
        {
            found.push((index, entry.path()));
        }
    }
    Ok(found)
}
