//! Measured shapes by adapter, in a cache file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::files::{read, write};
use crate::gpu::Gpu;
use crate::plan::tuning::{Shape, Tuning};

/// Shapes by adapter, and by the key of the stage that they are for.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TuningCache {
    /// Measurements of other versions of the generated kernels are discarded.
    version: u32,
    adapters: BTreeMap<String, BTreeMap<String, Shape>>,
    #[serde(skip)]
    file: Option<PathBuf>,
}

/// The user's cache folder; `None` where the user has no home folder.
pub fn cache_folder() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "stagewright").map(|folders| folders.cache_dir().to_path_buf())
}

const VERSION: u32 = 3;
/// Size limit of the file \[bytes\].
const MAX_FILE: u64 = 16 << 20;

impl TuningCache {
    /// The user's cache; empty where it cannot be read.
    pub fn open() -> TuningCache {
        cache_folder().map_or_else(TuningCache::default, |folder| TuningCache::from_file(&folder.join("tuning.json")))
    }

    /// The cache in a file; empty where it cannot be read.
    pub fn from_file(file: &Path) -> TuningCache {
        let text = read::text(file, MAX_FILE).unwrap_or_default();
        let read = serde_json::from_str::<TuningCache>(&text).ok().filter(|cache| cache.version == VERSION);
        TuningCache { version: VERSION, file: Some(file.into()), ..read.unwrap_or_default() }
    }

    /// The tuning for a device: measured shapes, and defaults for the rest.
    pub fn tuning(&self, gpu: &Gpu) -> Tuning {
        let shapes = self.adapters.get(gpu.name()).cloned().unwrap_or_default();
        Tuning { shapes, ..gpu.tuning() }
    }

    /// Adds the shape measured on a device, by [`key`](crate::plan::tuning::key).
    pub fn enter(&mut self, gpu: &Gpu, key: String, shape: Shape) {
        self.adapters.entry(gpu.name().into()).or_default().insert(key, shape);
    }

    /// Replaces the file atomically, so that no reader sees a partial file.
    ///
    /// # Errors
    /// A folder that cannot be written. The measurements then last until the process ends.
    pub fn save(&self) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        if let Some(folder) = file.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let text = serde_json::to_string_pretty(self).map_err(std::io::Error::other)?;
        write::replace(file, text.as_bytes())
    }
}
