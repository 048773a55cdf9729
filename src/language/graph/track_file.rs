//! File nodes that give a number for each frame.

use super::limits::shortened_beyond;
use super::scope::Flattener;
use super::{Beyond, Sequence, Track};
use crate::document::{FileOptions, FileSource, Node, NodeKind, ParamValue};
use crate::problem::Problem;

/// Longest time to rise or to fall \[s\].
const MAX_TIME: f64 = 1e6;

impl Flattener<'_> {
    /// The track of a node, if it reads one; `Some(None)` after an error.
    pub(super) fn track(&mut self, path: &str, node: &Node) -> Option<Option<Track>> {
        let NodeKind::File(source) = &node.kind else { return None };
        let FileOptions::Track { column, measure } = &source.options else { return None };
        let read = read(node, source, column, measure);
        Some(read.map_err(|(port, cause, remedy)| self.problems.push(Problem::new(path, port, cause, remedy))).ok())
    }
}

/// A parameter or an option that is wrong, the cause and the remedy.
type Wrong = (&'static str, String, String);

fn read(node: &Node, source: &FileSource, column: &Option<String>, measure: &Option<String>) -> Result<Track, Wrong> {
    if let Some((cause, remedy)) = source.unread() {
        return Err(("file", cause, remedy.to_string()));
    }
    let time = |name: &'static str| match node.params.get(name) {
        None => Ok(0.0),
        Some(ParamValue::Number(time)) if (0.0..=MAX_TIME).contains(time) => Ok(*time),
        Some(_) => {
            let cause = format!("{name} must be a constant number of seconds");
            Err((name, cause, "give a number from 0".to_string()))
        }
    };
    let (attack, release) = (time("attack")?, time("release")?);
    let beyond = match word("beyond", &source.beyond, &FileSource::BEYONDS)? {
        "loop" => Beyond::Loop,
        "error" => Beyond::Error,
        _ => Beyond::Hold,
    };
    let peak = word("measure", measure, &FileSource::MEASURES)? == "peak";
    let first = source.first.map(u64::try_from).transpose().map_err(|_| {
        let cause = format!("`first` is {}, and files have no frames before 0", source.first.unwrap_or_default());
        ("file", cause, "give the frame of the file that the first frame shows".to_string())
    })?;
    let sequence = Sequence { first, beyond };
    let (path, column) = (source.path().to_string(), column.clone());
    Ok(Track { path, column, peak, attack, release, sequence, values: None })
}

/// A word out of those that an option can have; the first one where it is not given.
fn word<'a>(name: &'static str, chosen_word: &'a Option<String>, words: &[&'a str]) -> Result<&'a str, Wrong> {
    let chosen_word = chosen_word.as_deref().or(words.first().copied()).unwrap_or_default();
    if words.contains(&chosen_word) {
        return Ok(chosen_word);
    }
    let cause = format!("there is no {name} `{}`", shortened_beyond(chosen_word));
    Err((name, cause, format!("choose one of: {}", words.join(", "))))
}
