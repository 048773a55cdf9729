//! Shipped graphs and their levels, for tests of their layout.

use std::path::{Path, PathBuf};

use eframe::egui::Rect;

use crate::model::layout::score::Drawing;
use crate::model::layout::*;

/// The folder of the shipped graphs.
fn folder() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("graphs")
}

/// Names and files of all shipped graphs and library groups.
pub(crate) fn shipped() -> Vec<(String, PathBuf)> {
    let mut pending = vec![folder()];
    let mut files = Vec::new();
    while let Some(folder) = pending.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => pending.push(path),
                false => files.extend(path.extension().is_some_and(|end| end == "ron").then_some(path)),
            }
        }
    }
    files.sort();
    let name =
        |path: &Path| path.strip_prefix(folder()).unwrap().with_extension("").to_string_lossy().replace('\\', "/");
    files.into_iter().map(|path| (name(&path), path)).collect()
}

/// The levels of a document: its root, unless it only holds the group of the library, and the groups in it.
pub(crate) fn levels(document: &Document) -> Vec<Scope> {
    let (mut pending, mut found) = (vec![Scope::default()], Vec::new());
    while let Some(scope) = pending.pop() {
        let nodes = document.level(&scope).unwrap().nodes();
        let groups = nodes.iter().filter(|(_, node)| matches!(node.kind, NodeKind::Group(_)));
        pending.extend(groups.map(|(name, _)| scope.inside(name)));
        if nodes.len() > 1 {
            found.push(scope);
        }
    }
    found
}

/// A shipped graph, as it is.
pub(crate) fn example(name: &str) -> Document {
    let path = folder().join(format!("{name}.ron"));
    Document::parse(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// The flow of a level with the estimated sizes of its nodes.
pub(crate) fn flow(document: &Document, scope: &Scope) -> Flow {
    let signatures = edit::signature::level(document, scope, Library::builtin());
    let level = document.level(scope).unwrap();
    let place = |name: &str| node_position(level, name);
    Flow::new(level, &signatures, place, |name| node_size(&signatures[name]))
}

/// The zoom at which the editor opens a level.
pub(crate) fn opening_zoom(document: &Document, scope: &Scope) -> f32 {
    let flow = flow(document, scope);
    let frames: Vec<Rect> = document.level(scope).unwrap().frames().iter().map(frame_area).collect();
    Drawing::new(&flow, flow.areas()).zoom(&frames)
}

/// Pairs of areas of which one covers the other.
pub(crate) fn overlaps(areas: &[Rect]) -> Vec<(usize, usize)> {
    let pairs = (0..areas.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
    pairs.filter(|(a, b)| areas[*a].intersects(areas[*b])).collect()
}
