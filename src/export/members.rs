//! The names of values inside of a file, which readers tell them apart by.

use super::names::plain;
use super::settings;
use super::sink::{Format, Kind};
use super::subject::{Part, Source};

/// Names that a format gives to something of its own.
fn reserved(format: &Format, kind: Kind) -> &'static [&'static str] {
    match (format.name, kind) {
        ("csv" | "jsonl", _) => &["frame", "time"],
        ("npz", _) => &["frame", "time", "fps"],
        // `x y z` is the position.
        ("ply", _) => &["x", "y", "z"],
        _ => &[],
    }
}

/// The names that a value has in a file of several.
fn names(format: &Format, part: &Part, alone: bool) -> Vec<String> {
    let name = &part.name;
    match (format.name, &part.source) {
        ("npz", Source::Grid(_)) => vec![name.clone(), format!("{name}.cell_size")],
        ("npz" | "csv" | "ply", Source::Particles(_, attributes)) if alone => attributes
            .iter()
            .map(|attribute| if format.name == "npz" { attribute.clone() } else { plain(attribute) })
            .collect(),
        ("npz", Source::Particles(_, attributes)) => {
            attributes.iter().map(|attribute| format!("{name}.{attribute}")).collect()
        }
        ("flipbook", _) => name.rsplit('.').next().map(String::from).into_iter().collect(),
        ("exr" | "exr-half" | "vdb" | "vdb-half" | "vdb-level-set" | "usda", _) => vec![plain(name)],
        _ => vec![name.clone()],
    }
}

/// Two values that a file could not tell apart, in one sentence.
pub(super) fn clash(format: &Format, kind: Kind, parts: &[Part]) -> Option<String> {
    let mut used_names: Vec<String> = reserved(format, kind).iter().map(ToString::to_string).collect();
    if (format.name, kind) == ("csv", Kind::Particles) {
        used_names.extend(["x", "y", "z"].map(String::from));
    }
    let reserved_count = used_names.len();
    // The first of a flipbook is its colours, whatever its name.
    let parts = if format.beside.is_empty() { parts } else { parts.get(1..).unwrap_or_default() };
    for part in parts {
        for name in names(format, part, parts.len() == 1) {
            match used_names.iter().position(|used| *used == name) {
                Some(at) if at < reserved_count => {
                    let what = if matches!(part.source, Source::Particles(..)) { "an attribute" } else { "a value" };
                    return Some(format!(
                        "{what} is called `{name}`, which is a name of the format {} itself; give it another, or choose another format",
                        format.name
                    ));
                }
                Some(_) => {
                    return Some(format!(
                        "two values of a file are called `{name}`; give one of them another name, as in NAME=WIRE"
                    ));
                }
                None => used_names.push(name),
            }
        }
    }
    None
}

/// Whether a setting or a size of images means anything to one of some series.
pub(super) fn applies(setting: &str, format: &Format, kind: Kind) -> bool {
    match setting {
        "size" => matches!(kind, Kind::Image | Kind::Picture),
        name => name == settings::EVERY.name || settings::of_format(format).iter().any(|setting| setting.name == name),
    }
}
