//! What was measured, by adapter: a file that may be deleted at any time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{read, write};
use crate::gpu::Gpu;
use crate::plan::tuning::{Shape, Tuning};

/// Shapes by adapter and by the key of what they are for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Book {
    /// Measurements of another version of the generated kernels say nothing.
    version: u32,
    adapters: BTreeMap<String, BTreeMap<String, Shape>>,
    #[serde(skip)]
    file: Option<PathBuf>,
}

/// Where files lie that may be deleted at any time; `None` where the user has no home.
pub fn cache_folder() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "stagewright").map(|folders| folders.cache_dir().to_path_buf())
}

const VERSION: u32 = 3;
/// The largest book that is read \[bytes\].
const MAX_BOOK: u64 = 16 << 20;

impl Book {
    /// The book of this user, empty where there is none that can be read.
    pub fn open() -> Book {
        cache_folder().map_or_else(Book::default, |folder| Book::at(&folder.join("tuning.json")))
    }

    /// The book in a file, empty where there is none that can be read.
    pub fn at(file: &Path) -> Book {
        let text = read::text(file, MAX_BOOK).unwrap_or_default();
        let read = serde_json::from_str::<Book>(&text).ok().filter(|book| book.version == VERSION);
        Book { version: VERSION, file: Some(file.into()), ..read.unwrap_or_default() }
    }

    /// How plans are made for a device: by what was measured on it, and by what is known of its kind else.
    pub fn tuning(&self, gpu: &Gpu) -> Tuning {
        let shapes = self.adapters.get(gpu.name()).cloned().unwrap_or_default();
        Tuning { shapes, ..gpu.tuning() }
    }

    pub fn enter(&mut self, gpu: &Gpu, key: String, shape: Shape) {
        self.adapters.entry(gpu.name().into()).or_default().insert(key, shape);
    }

    /// Writes the book beside its old self and then in its place, so that nobody reads half of it.
    ///
    /// # Errors
    /// A folder that can't be written; what was measured then counts until the program ends.
    pub fn save(&self) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::other)?;
        write::replace(file, text.as_bytes())
    }
}
