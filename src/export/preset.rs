//! From the settings of an export, as the dialog and graph files have them, to the export.

use std::path::{Path, PathBuf};

use super::checkpoints::Checkpoints;
use super::job::{Export, Item};
use super::names::replace_tokens;
use super::select::{Choices, DEFAULT_NAMES, Request, clash, series};
use super::settings::{self, Settings};
use crate::document::{Document, ExportPreset};
use crate::graph::Graph;
use crate::problem::Problem;

/// Where a graph is: what relative folders and `{graph}` stand for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Place {
    /// Name of the graph's file without its extension.
    pub graph: String,
    /// The folder of the file.
    pub folder: PathBuf,
}

impl Place {
    /// Of a graph file.
    pub fn of(path: &Path) -> Place {
        let graph = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Place { graph, folder: path.parent().map(Path::to_path_buf).unwrap_or_default() }
    }

    /// The folder of an export.
    pub fn export_folder(&self, text: &str) -> PathBuf {
        self.folder.join(replace_tokens(text.trim(), &[("graph", &self.graph)]))
    }
}

/// The series of each entry of a preset, or what is wrong with it. An empty preset has none.
pub fn rows(
    preset: &ExportPreset,
    place: &Place,
    document: &Document,
    graph: &Graph,
) -> Vec<Result<Vec<Item>, Problem>> {
    let settings = settings::read(&preset.settings);
    let names = if preset.names.trim().is_empty() { DEFAULT_NAMES } else { preset.names.trim() };
    let one = |text: &String| {
        let Settings { cutoff } = settings.clone()?;
        let choices = Choices { formats: &[], names, graph: &place.graph, size: preset.size, cutoff };
        let request = Request::parse(text).map_err(|cause| Problem::new("", "", cause, ""))?;
        series(&request, &choices, document, graph)
    };
    let mut rows: Vec<_> = preset.what.iter().map(one).collect();
    // Rows without errors must not have the files of one before.
    let all: Vec<(usize, Item)> = rows
        .iter()
        .enumerate()
        .flat_map(|(at, row)| row.iter().flatten().map(move |item| (at, item.clone())))
        .collect();
    let items: Vec<Item> = all.iter().map(|(_, item)| item.clone()).collect();
    if let Some((at, problem)) = clash(&items)
        && let Some(row) = all.get(at).and_then(|(at, _)| rows.get_mut(*at))
    {
        *row = Err(problem);
    }
    rows
}

/// The export of some series.
pub fn export(preset: &ExportPreset, items: Vec<Item>, place: &Place, document: &Document) -> Export {
    Export {
        frames: preset.frames.0..=preset.frames.1,
        size: preset.size,
        items,
        folder: place.export_folder(&preset.folder),
        resume: false,
        checkpoints: preset.checkpoints.map(|every| Checkpoints { every, graph: document.to_text() }),
    }
}
