//! The command that makes the files of an export.

use std::path::Path;

use super::select::DEFAULT_NAMES;
use crate::document::{ExportPreset, ParamValue};
use crate::quoting::{argument, shell};

/// A line for a shell that exports a graph file to a folder with the settings of a preset.
pub fn line(graph: &Path, folder: &Path, preset: &ExportPreset) -> String {
    let (first, last) = preset.frames;
    let mut line = format!("stagewright export {}", shell(&argument(&graph.display().to_string())));
    let mut option = |name: &str, value: String| {
        // A value with a dash is taken for an option after a space.
        let between = if value.starts_with('-') { '=' } else { ' ' };
        line += &format!(" --{name}{between}{}", shell(&value));
    };
    option("frames", if first == 1 { last.to_string() } else { format!("{first}-{last}") });
    option("out", folder.display().to_string());
    let names = preset.names.trim();
    if !names.is_empty() && names != DEFAULT_NAMES {
        option("name", names.into());
    }
    if let Some((width, height)) = preset.size {
        option("size", format!("{width}x{height}"));
    }
    for (name, value) in &preset.settings {
        match value {
            ParamValue::Vector(sides) => {
                option(name, sides.iter().map(f64::to_string).collect::<Vec<_>>().join("x"));
            }
            ParamValue::Bool(_) => {}
            value => option(name, value.to_string()),
        }
    }
    if let Some(every) = preset.checkpoints {
        option("checkpoint-every", every.to_string());
    }
    for (name, _) in preset.settings.iter().filter(|(_, value)| **value == ParamValue::Bool(true)) {
        line += &format!(" --{name}");
    }
    if preset.what.iter().any(|entry| entry.starts_with('-')) {
        line += " --";
    }
    for entry in &preset.what {
        line += " ";
        line += &shell(entry);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_what_differs_from_the_usual() {
        let mut preset = ExportPreset { what: vec!["screen:png".into()], ..ExportPreset::default() };
        let line = |preset: &ExportPreset| line(Path::new("a/my graph.ron"), Path::new("out"), preset);
        assert_eq!(line(&preset), "stagewright export 'a/my graph.ron' --frames 240 --out out screen:png");
        preset.what = vec!["density=smoke.value+vel=velocity.value:vdb".into()];
        let settings = [
            ("cutoff", ParamValue::Number(0.001)),
            ("loop", ParamValue::Bool(true)),
            ("tiles", ParamValue::Vector(vec![4.0, 2.0])),
        ];
        preset.settings = settings.map(|(name, value)| (name.to_string(), value)).into();
        (preset.frames, preset.size, preset.names) = ((5, 9), Some((64, 32)), "{name}_it's.{frame}".into());
        assert_eq!(
            line(&preset),
            r"stagewright export 'a/my graph.ron' --frames 5-9 --out out --name '{name}_it'\''s.{frame}' --size 64x32 --cutoff 0.001 --tiles 4x2 --loop density=smoke.value+vel=velocity.value:vdb"
        );
    }
}
