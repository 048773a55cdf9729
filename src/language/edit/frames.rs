//! Comment frames.

use std::collections::BTreeSet;

use super::{Refusal, level_mut, no_node};
use crate::document::{Document, Frame, Level, Scope};

/// Margin between a frame and its nodes, and space for the title above them \[points\].
const MARGIN: f32 = 24.0;
const TITLE: f32 = 58.0;

/// Adds a frame in front of the others. Returns its index.
///
/// # Errors
/// When the level no longer exists.
pub fn add_frame(document: &mut Document, scope: &Scope, frame: Frame) -> Result<usize, Refusal> {
    let mut level = level_mut(document, scope)?;
    level.frames().push(frame);
    Ok(level.frames().len() - 1)
}

/// Adds a frame around nodes. The canvas knows their sizes \[points\]. Returns its index.
///
/// # Errors
/// When none of the nodes exists.
pub fn frame_around(
    document: &mut Document,
    scope: &Scope,
    names: &BTreeSet<String>,
    sizes: impl Fn(&str) -> (f32, f32),
    title: &str,
) -> Result<usize, Refusal> {
    let mut level = level_mut(document, scope)?;
    let boxes = level.nodes().iter().filter(|(name, _)| names.contains(*name)).map(|(name, node)| {
        let (size, at) = (sizes(name), node.at);
        (at, (at.0 + size.0, at.1 + size.1))
    });
    let around =
        boxes.reduce(|(low, high), (a, b)| ((low.0.min(a.0), low.1.min(a.1)), (high.0.max(b.0), high.1.max(b.1))));
    let Some((low, high)) = around else {
        return Err(no_node(scope, names.first().map_or("", String::as_str)));
    };
    let at = (low.0 - MARGIN, low.1 - TITLE);
    let size = (high.0 + MARGIN - at.0, high.1 + MARGIN - at.1);
    level.frames().push(Frame { title: title.into(), at, size, ..Frame::default() });
    Ok(level.frames().len() - 1)
}

/// Changes a frame.
///
/// # Errors
/// When it no longer exists.
pub fn update_frame(
    document: &mut Document,
    scope: &Scope,
    index: usize,
    change: impl FnOnce(&mut Frame),
) -> Result<(), Refusal> {
    let mut level = level_mut(document, scope)?;
    let frame = level.frames().get_mut(index).ok_or_else(|| no_frame(index))?;
    change(frame);
    // Text from the file that is not a valid colour gives way to one.
    if frame.color.is_some() {
        frame.extra.remove("color");
    }
    Ok(())
}

/// Removes a frame. The nodes in it stay.
///
/// # Errors
/// When it no longer exists.
pub fn remove_frame(document: &mut Document, scope: &Scope, index: usize) -> Result<(), Refusal> {
    let mut level = level_mut(document, scope)?;
    if index >= level.frames().len() {
        return Err(no_frame(index));
    }
    level.frames().remove(index);
    Ok(())
}

fn no_frame(index: usize) -> Refusal {
    Refusal::NoSuchFrame { index }
}

/// Nodes that are completely inside a frame. The canvas knows their sizes \[points\].
pub fn frame_contents(level: Level<'_>, index: usize, sizes: impl Fn(&str) -> (f32, f32)) -> BTreeSet<String> {
    let Some(frame) = level.frames().get(index) else { return BTreeSet::new() };
    let within = |at: f32, size: f32, low: f32, extent: f32| at >= low && at + size <= low + extent;
    let inside = level.nodes().iter().filter(|(name, node)| {
        let (width, height) = sizes(name);
        within(node.at.0, width, frame.at.0, frame.size.0) && within(node.at.1, height, frame.at.1, frame.size.1)
    });
    inside.map(|(name, _)| name.clone()).collect()
}
