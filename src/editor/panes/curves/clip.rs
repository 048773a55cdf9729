//! Keys in the clipboard: one line for each value, `node.param = (keys: [..])`, with frames counted from the first one.

use std::collections::BTreeSet;

use super::track::{Spot, Track};
use crate::curve::Keyframes;
use crate::document::ParamValue;

/// Whether a text holds keys.
pub(super) fn is_clip(text: &str) -> bool {
    !read(text).is_empty()
}

/// The selected keys with all their components; `None` if none is selected.
pub(super) fn copy(tracks: &[Track], chosen: &BTreeSet<Spot>) -> Option<String> {
    let mut copied = Vec::new();
    for track in tracks {
        let path = track.path();
        let wanted: BTreeSet<usize> = chosen.iter().filter(|spot| spot.value == path).map(|spot| spot.key).collect();
        let keys: Vec<_> = wanted.iter().filter_map(|index| track.keys.keys.get(*index).cloned()).collect();
        if !keys.is_empty() {
            copied.push((path, keys));
        }
    }
    let frames = copied.iter().flat_map(|(_, keys)| keys.iter().map(|key| key.frame));
    let first = frames.fold(f64::INFINITY, f64::min);
    for key in copied.iter_mut().flat_map(|(_, keys)| keys) {
        key.frame -= first;
    }
    let line = |(path, keys)| format!("{path} = {}", ParamValue::Keys(Keyframes::new(keys)));
    let lines: Vec<String> = copied.into_iter().map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The keys of each value in a text; without a name where the text is a value alone.
fn read(text: &str) -> Vec<(Option<&str>, Keyframes)> {
    let value = |text: &str| ParamValue::from_ron(text).ok()?.keys().filter(|keys| keys.check().is_ok()).cloned();
    if let Some(keys) = value(text.trim()) {
        return vec![(None, keys)];
    }
    let line = |line: &'_ str| -> Option<(usize, Keyframes)> {
        let (path, keys) = line.split_once(" = ")?;
        Some((path.len(), value(keys)?))
    };
    text.lines().map_while(|text| line(text).map(|(end, keys)| (text.get(..end), keys))).collect()
}

/// What the tracks become with the keys of a text, from `frame` on: those of the same values, or else the first track of `targets`.
///
/// # Errors
/// Why nothing can be pasted, in one sentence.
pub(super) fn paste(
    text: &str,
    tracks: &[Track],
    targets: &BTreeSet<String>,
    frame: f64,
) -> Result<Vec<(usize, Keyframes, Vec<f64>)>, String> {
    let clips = read(text);
    let named = |path: Option<&str>| tracks.iter().position(|track| Some(track.path().as_str()) == path);
    let chosen = || tracks.iter().position(|track| targets.contains(&track.path()));
    let only = (tracks.len() == 1).then_some(0);
    let mut pasted = Vec::new();
    for (path, clip) in &clips {
        let place = match clips.len() {
            // A single curve goes where the user has selected something.
            1 => chosen().or(named(*path)).or(only),
            _ => named(*path),
        };
        let Some((place, track)) = place.and_then(|place| Some((place, tracks.get(place)?))) else { continue };
        let count = track.keys.components();
        let mut clip = clip.clone();
        if clip.components() != count {
            clip.widen(count);
        }
        let mut keys = track.keys.clone();
        let mut frames = Vec::new();
        for mut key in clip.keys {
            key.frame += frame;
            key.value.iter_mut().for_each(|part| *part = track.fit(*part));
            frames.push(key.frame);
            keys.remove(key.frame);
            let index = keys.keys.partition_point(|other| other.frame < key.frame);
            keys.keys.insert(index, key);
        }
        pasted.push((place, keys, frames));
    }
    match pasted.is_empty() {
        true => {
            Err("None of the values shown here has the name of those copied; select a key of one to paste to".into())
        }
        false => Ok(pasted),
    }
}
