//! The page of a sweep: sliders that choose an image, the grid, and a table that can be sorted. One file, without a library or a server.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::axis::text_of;
use super::canvas::{fitted, load};
use super::results::{Results, Row};
use super::sheet::{THUMBNAIL, columns, title};
use crate::png;
use crate::quoting::{address, escaped, xml};

/// The page without its data.
const PAGE: &str = include_str!("page.html");
/// What the page has in the place of its data and of its title.
const DATA: &str = "/*DATA*/null";
const TITLE: &str = "<!--TITLE-->";
/// Small images are in the page itself up to this number; beyond it, the page shows the files.
const EMBEDDED: usize = 400;

/// The text of the page for what there is in the folder of a sweep, where it belongs.
pub fn page(results: &Results, folder: &Path) -> String {
    let (manifest, embed) = (&results.manifest, results.rows.len() <= EMBEDDED);
    let small = |row: &Row| {
        let image = load(&results.image(folder, row)?)?;
        let bytes = png(&fitted(&image, THUMBNAIL)).ok()?;
        Some(format!("data:image/png;base64,{}", STANDARD.encode(bytes)))
    };
    let task = |row: &Row| {
        let values = manifest.parameters.iter().map(|name| row.task.values.get(name).cloned().unwrap_or_default());
        let values: Vec<Value> = values.collect();
        let file = row.finished.as_ref().map(|finished| format!("{}/{}", row.task.folder(), address(&finished.image)));
        json!({
            "index": row.task.index,
            "texts": values.iter().map(text_of).collect::<Vec<_>>(),
            "values": values,
            "numbers": results.numbers(row),
            "ms": row.finished.as_ref().and(row.timing.as_ref()).map(|timing| timing.ms_per_frame),
            "image": file,
            "small": if embed { small(row) } else { file.clone() },
        })
    };
    let data = json!({
        "title": title(results),
        "graph": manifest.graph,
        "parameters": manifest.parameters,
        "params": manifest.options.params,
        "variant": manifest.options.variant,
        "columns": columns(results),
        "numbers": results.number_titles(),
        "tasks": results.rows.iter().map(task).collect::<Vec<_>>(),
    });
    // Both are put where the page has them, and not where a text looks like a place.
    let (head, rest) = PAGE.split_once(TITLE).unwrap_or_default();
    let (middle, end) = rest.split_once(DATA).unwrap_or_default();
    [head, &xml(&title(results)), middle, &escaped(&data.to_string()), end].concat()
}
