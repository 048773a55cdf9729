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
        self.folder.join(self.with_tokens(text.trim()))
    }

    /// The text of a folder with its tokens replaced.
    pub fn with_tokens(&self, text: &str) -> String {
        replace_tokens(text, &[("graph", &self.graph)])
    }

    /// A folder as presets have it: relative where it is below that of the graph.
    pub fn relative(&self, folder: &str) -> String {
        let below = Path::new(folder.trim()).strip_prefix(&self.folder).ok().filter(|below| *below != Path::new(""));
        let below = below.filter(|_| !self.folder.as_os_str().is_empty()).and_then(Path::to_str);
        below.unwrap_or(folder.trim()).to_string()
    }
}

/// The preset of this name.
///
/// # Errors
/// There is none.
pub fn named<'d>(name: &str, document: &'d Document) -> Result<&'d ExportPreset, Problem> {
    document.exports.get(name).ok_or_else(|| {
        let known: Vec<&str> = document.exports.keys().map(String::as_str).collect();
        let remedy = match known.as_slice() {
            [] => "save one in the export dialog, or write what to export".to_string(),
            known => format!("the graph has {}", known.join(", ")),
        };
        Problem::new("", "", format!("the graph has no export preset `{name}`"), remedy)
    })
}

/// The names of the files, with tokens.
pub fn names(preset: &ExportPreset) -> &str {
    Some(preset.names.trim()).filter(|names| !names.is_empty()).unwrap_or(DEFAULT_NAMES)
}

/// The series of each entry of a preset, or what is wrong with it. An empty preset has none.
pub fn rows(
    preset: &ExportPreset,
    place: &Place,
    document: &Document,
    graph: &Graph,
) -> Vec<Result<Vec<Item>, Problem>> {
    let settings = settings::read(&preset.settings);
    let one = |text: &String| {
        let Settings { cutoff, sheet } = settings.clone()?;
        let (names, size) = (names(preset), preset.size);
        let choices = Choices { formats: &[], names, graph: &place.graph, size, cutoff, sheet };
        let sentence = |cause: String| Problem::new("", "", cause, "");
        let request = Request::parse(text).map_err(sentence)?;
        let items = series(&request, &choices, document, graph)?;
        let whole = export(preset, items.clone(), place, document);
        whole.check().map_err(|error| sentence(error.to_string()))?;
        Ok(items)
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
        checkpoints: preset.checkpoints.map(|every| Checkpoints::of(every, document)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_relative_to_the_graph() {
        let place = Place::of(Path::new("/work/oil clock.ron"));
        assert_eq!(place.export_folder("out/{graph}"), Path::new("/work/out/oil_clock"));
        assert_eq!(place.export_folder("/tmp/{graph}/{x}"), Path::new("/tmp/oil_clock/{x}"));
        assert_eq!(place.relative("/work/out/a"), "out/a");
        assert_eq!(place.relative("/work"), "/work");
        assert_eq!(place.relative("/else"), "/else");
        assert_eq!(Place::default().relative("/else"), "/else");
    }
}
