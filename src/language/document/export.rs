//! Presets of exports: which files a graph is written to, kept with the graph under a name.

use std::collections::BTreeMap;

use super::{Extra, ParamValue};

/// The settings of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportPreset {
    /// One entry a series of files, as `stagewright export` takes it: `[NAME=]WIRE[+..][:FORMAT]`. The topmost Output when empty.
    pub what: Vec<String>,
    /// First and last frame.
    pub frames: (u64, u64),
    /// Size of images \[pixels\]; that of the Output when `None`.
    pub size: Option<(u32, u32)>,
    /// Folder of the files, relative to the graph's own. May have the token `{graph}`.
    pub folder: String,
    /// Names of the files with tokens; those of `stagewright export` when empty.
    pub names: String,
    /// Settings of the formats, by name.
    pub settings: BTreeMap<String, ParamValue>,
    /// Frames between two checkpoints; none when `None`.
    pub checkpoints: Option<u64>,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl Default for ExportPreset {
    fn default() -> ExportPreset {
        ExportPreset {
            what: Vec::new(),
            frames: (1, 240),
            size: None,
            folder: "frames".into(),
            names: String::new(),
            settings: BTreeMap::new(),
            checkpoints: None,
            extra: Extra::new(),
        }
    }
}
