//! Makes an export from its settings, as the dialog and graph files have them.

use std::ops::RangeInclusive;
use std::path::{PathBuf, is_separator};

use super::checkpoints::Checkpoints;
use super::frames::Frames;
use super::job::{Export, Item};
use super::place::{ExportPlace, Folder};
use super::select::{Choices, DEFAULT_NAMES, Request, clash, series};
use super::settings;
use crate::document::{Document, ExportPreset};
use crate::files::{Access, portable};
use crate::graph::Graph;
use crate::problem::Problem;

/// The preset of this name.
///
/// # Errors
/// There is none.
pub fn named<'d>(name: &str, document: &'d Document) -> Result<&'d ExportPreset, Problem> {
    document.exports.get(name).ok_or_else(|| {
        let names: Vec<&str> = document.exports.keys().map(String::as_str).collect();
        let remedy = match names.as_slice() {
            [] => "save one in the export dialog, or write what to export".to_string(),
            names => format!("the graph has {}", names.join(", ")),
        };
        Problem::new("", "", format!("the graph has no export preset `{name}`"), remedy)
    })
}

/// The frames that it writes. A step that can't be is reported by [`rows`].
pub fn frames(preset: &ExportPreset) -> Frames {
    let every = settings::read(&preset.settings).map_or(1, |settings| settings.every);
    Frames::new(preset.frames.0..=preset.frames.1, every)
}

/// The folder that it writes to; [`check_folders`] says whether the graph may name it.
///
/// # Errors
/// No folder, one that some systems can't have, and tokens that have no value.
pub fn folder(
    name: &str,
    preset: &ExportPreset,
    place: &ExportPlace,
    frames: &RangeInclusive<u64>,
    access: &Access,
) -> Result<Folder, Problem> {
    let text = preset.folder.trim();
    let fault = |cause: String, remedy: &str| Problem::new("", "", format!("the preset `{name}`: {cause}"), remedy);
    if text.is_empty() {
        return Err(fault("it names no folder".into(), "choose one with --out"));
    }
    if !access.anywhere
        && let Some((part, cause)) = text.split(is_separator).find_map(|part| Some((part, unportable(part)?)))
    {
        return Err(fault(format!("its folder can't be named `{part}`: {cause}"), "choose one with --out"));
    }
    let folder = place.resolve(text, frames).map_err(|cause| fault(cause, ""))?;
    if !access.contains(&folder.path) {
        let remedy = "choose a folder with --out, or allow it with --allow-files";
        return Err(fault(
            format!("it writes to {}, which is outside of the graph's folder", folder.path.display()),
            remedy,
        ));
    }
    Ok(folder)
}

/// Checks that a graph may name the folders of an export, those of its series too.
///
/// # Errors
/// A folder outside of that of the graph, unless files elsewhere are allowed.
pub fn check_folders(name: &str, export: &Export, access: &Access) -> Result<(), Problem> {
    let Some(outside) = outside(export, access) else { return Ok(()) };
    let cause = format!("the preset `{name}` writes to {}, which is outside of the graph's folder", outside.display());
    Err(Problem::new("", "", cause, "choose a folder with --out, or allow it with --allow-files"))
}

/// The first folder of an export that a graph may not name.
pub fn outside(export: &Export, access: &Access) -> Option<PathBuf> {
    export.folders().into_iter().find(|folder| !access.contains(folder))
}

/// Why some systems can't have a part of a path, with tokens.
fn unportable(part: &str) -> Option<String> {
    let plain = part.replace(['{', '}'], "_");
    if matches!(part, "" | "." | "..") { None } else { portable::fault(&plain) }
}

/// The names of the files, with tokens.
pub fn names(preset: &ExportPreset) -> &str {
    Some(preset.names.trim()).filter(|names| !names.is_empty()).unwrap_or(DEFAULT_NAMES)
}

/// The series of each entry of a preset, or what is wrong with it. An empty preset has none.
pub fn rows(
    preset: &ExportPreset,
    folder: &Folder,
    document: &Document,
    graph: &Graph,
) -> Vec<Result<Vec<Item>, Problem>> {
    let settings = settings::read(&preset.settings);
    let one = |text: &String| {
        let settings = settings.clone()?;
        let (names, size) = (names(preset), preset.size);
        let choices = Choices { formats: &[], names, folder, size, settings };
        let sentence = |cause: String| Problem::new("", "", cause, "");
        let request = Request::parse(text).map_err(sentence)?;
        let items = series(&request, &choices, document, graph)?;
        let whole = export(preset, items.clone(), folder, document);
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
pub fn export(preset: &ExportPreset, items: Vec<Item>, folder: &Folder, document: &Document) -> Export {
    Export {
        frames: frames(preset),
        size: preset.size,
        items,
        folder: folder.path.clone(),
        resume: false,
        overwrite: false,
        unseen: true,
        checkpoints: preset.checkpoints.map(|every| Checkpoints::new(every, document)),
    }
}
