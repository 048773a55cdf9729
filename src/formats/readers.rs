//! The table of readers, and which of them takes a file: the one of its extension, unless its first bytes are those of another.

use std::path::{Path, PathBuf};

use super::content::{Content, ContentKind, Loudness, Source};
use super::error::Cause;
use super::limits::{MAX_FILE, MAX_TABLE};
use super::malformed::FormatName;
use super::work::Work;
use super::{csv, exr, gltf, jpeg, npy, npz, obj, ply, png, vdb, wav};
use stagewright_base::files::Access;

/// Finds the files that a file refers to, from its bytes and its folder, and how many bytes of each it uses.
pub type Companions = fn(&[u8], &Path, &Access) -> Vec<(PathBuf, u64)>;

/// How the files of a format are read.
pub struct Reader {
    /// Name of the format in messages.
    pub name: FormatName,
    /// Extensions in small letters.
    pub extensions: &'static [&'static str],
    /// Other extensions of the same files, which help texts leave out.
    pub other_extensions: &'static [&'static str],
    /// First bytes of every file of the format, where they decide: a file whose extension is that of another reader with such bytes
    /// is read as what it begins as.
    pub begins: Option<&'static [u8]>,
    /// What files become, and first what they become unless the graph says otherwise.
    pub becomes: &'static [ContentKind],
    /// Whether the graph may name one of several layers, grids or sets of particles.
    pub has_layers: bool,
    /// Whether the graph may name a column.
    pub has_columns: bool,
    /// Whether colours are linear light unless the graph says otherwise.
    pub is_linear: bool,
    /// Size limit \[bytes\].
    pub limit: u64,
    /// Other files that a file of the format refers to, and how many bytes of each it uses.
    pub companions: Option<Companions>,
    /// Reads a file.
    pub read: fn(Source<'_>) -> Result<Content, Cause>,
}

/// Fields that most readers share.
const USUAL: Reader = Reader {
    name: FormatName(""),
    extensions: &[],
    other_extensions: &[],
    begins: None,
    becomes: &[],
    has_layers: false,
    has_columns: false,
    is_linear: false,
    limit: MAX_FILE,
    companions: None,
    read: |_| Err(Cause::NoNumbers),
};

use ContentKind::{Grid, Image, Points, Shape, Track};

/// All readers.
pub static READERS: &[Reader] = &[
    Reader { name: obj::read::NAME, extensions: &["obj"], becomes: &[Shape, Points], read: obj::read::read, ..USUAL },
    Reader {
        name: gltf::read::NAME,
        extensions: &["gltf"],
        becomes: &[Shape, Points],
        companions: Some(gltf::read::companions),
        read: gltf::read::read,
        ..USUAL
    },
    Reader { name: gltf::read::NAME, extensions: &["glb"], becomes: &[Shape, Points], read: gltf::read::read, ..USUAL },
    Reader {
        name: png::read::NAME,
        extensions: &["png"],
        begins: Some(b"\x89PNG"),
        becomes: &[Image],
        read: png::read::read,
        ..USUAL
    },
    Reader {
        name: jpeg::read::NAME,
        extensions: &["jpg"],
        other_extensions: &["jpeg"],
        begins: Some(b"\xff\xd8"),
        becomes: &[Image],
        read: jpeg::read::read,
        ..USUAL
    },
    Reader {
        name: exr::read::NAME,
        extensions: &["exr"],
        becomes: &[Image],
        has_layers: true,
        is_linear: true,
        read: exr::read::read,
        ..USUAL
    },
    Reader { name: npy::read::NAME, extensions: &["npy"], becomes: &[Grid, Points], read: npy::read::read, ..USUAL },
    Reader {
        name: vdb::read::NAME,
        extensions: &["vdb"],
        becomes: &[Grid],
        has_layers: true,
        read: vdb::read::read,
        ..USUAL
    },
    Reader { name: ply::read::NAME, extensions: &["ply"], becomes: &[Points], read: ply::read::read, ..USUAL },
    Reader {
        name: npz::read::NAME,
        extensions: &["npz"],
        becomes: &[Points],
        has_layers: true,
        read: npz::read::read,
        ..USUAL
    },
    Reader { name: wav::read::NAME, extensions: &["wav"], becomes: &[Track], read: wav::read::read, ..USUAL },
    Reader {
        name: csv::read::NAME,
        extensions: &["csv"],
        becomes: &[Track],
        has_columns: true,
        limit: MAX_TABLE,
        read: csv::read::read,
        ..USUAL
    },
];

/// The extension of a path in small letters, without the point; empty without one.
pub fn extension(path: &Path) -> String {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// The reader of files with the extension of this path.
pub fn reader_of(path: &Path) -> Option<&'static Reader> {
    let extension = extension(path);
    READERS.iter().find(|reader| reader.all_extensions().any(|candidate| candidate == extension))
}

impl Reader {
    /// Extensions in small letters, those too that help texts leave out.
    pub fn all_extensions(&self) -> impl Iterator<Item = &'static str> {
        self.extensions.iter().chain(self.other_extensions).copied()
    }

    /// What files become unless the graph says otherwise.
    pub fn usual_kind(&self) -> Option<ContentKind> {
        self.becomes.first().copied()
    }

    /// The points of frame and value in a file that becomes a number for each frame. `column` names that of a table.
    ///
    /// # Errors
    /// A file of another kind, and what is wrong with this one.
    pub fn track(
        &self,
        bytes: Vec<u8>,
        fps: f64,
        loudness: Loudness,
        column: Option<&str>,
    ) -> Result<Vec<(f64, f64)>, Cause> {
        if self.usual_kind() != Some(Track) {
            return Err(Cause::NoEnvelope);
        }
        let access = Access::default();
        let work = Work::default();
        let source = Source {
            bytes,
            folder: Path::new(""),
            access: &access,
            kind: Track,
            layer: column,
            dim: 0,
            fps,
            loudness,
            work: &work,
        };
        match (self.read)(source)? {
            Content::Track(points) => Ok(points),
            _ => Err(Cause::NoEnvelope),
        }
    }

    /// The reader for a file with an extension of this one: by its first bytes, where these decide.
    pub fn by_content(&'static self, bytes: &[u8]) -> &'static Reader {
        let begins = |reader: &&Reader| reader.begins.is_some_and(|begin| bytes.starts_with(begin));
        let other = self.begins.and_then(|_| READERS.iter().find(begins));
        other.unwrap_or(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Extensions of the readers that `wanted` chooses, as help texts list them.
    fn listed(wanted: impl Fn(&Reader) -> bool) -> Vec<String> {
        let extensions = READERS.iter().filter(|reader| wanted(reader)).flat_map(|reader| reader.extensions);
        extensions.map(|extension| format!(".{extension}")).collect()
    }

    #[test]
    fn one_reader_takes_a_file_with_a_known_extension() {
        for reader in READERS {
            assert!(!reader.extensions.is_empty() && !reader.becomes.is_empty(), "{:?}", reader.name);
            for extension in reader.all_extensions() {
                let takes = |reader: &&Reader| reader.all_extensions().any(|candidate| candidate == extension);
                assert_eq!(READERS.iter().filter(takes).count(), 1, "{extension}");
                let path = format!("folder.obj/NAME.v2.{}", extension.to_uppercase());
                let found = reader_of(Path::new(&path)).unwrap();
                assert_eq!((found.name, found.extensions), (reader.name, reader.extensions));
            }
        }
        assert!([".obj", "obj", "a.obj.txt", ""].iter().all(|path| reader_of(Path::new(path)).is_none()));
    }

    #[test]
    fn first_bytes_decide_among_images() {
        let of = |extension: &str| reader_of(Path::new(&format!("a.{extension}"))).unwrap();
        for (extension, bytes, name) in [
            ("png", b"\xff\xd8\xff\xe0", "JPEG"),
            ("jpeg", b"\x89PNG", "PNG"),
            ("jpg", b"none", "JPEG"),
            ("png", b"none", "PNG"),
            ("exr", b"\x89PNG", "EXR"),
            ("csv", b"\xff\xd8\xff\xe0", "CSV"),
        ] {
            assert_eq!(of(extension).by_content(bytes).name.0, name, "{extension}");
        }
    }

    #[test]
    fn sentences_name_all_extensions() {
        for (kind, commas, or) in [
            (Shape, meshes!(), meshes!(or)),
            (Image, images!(), images!(or)),
            (Grid, grids!(), grids!(or)),
            (Points, particles!(), particles!(or)),
            (Track, tracks!(), tracks!(or)),
        ] {
            let extensions = listed(|reader| reader.usual_kind() == Some(kind));
            assert_eq!(extensions.join(", "), commas);
            assert_eq!(extensions.join(", "), or.replace(" or ", ", "));
        }
    }
}
