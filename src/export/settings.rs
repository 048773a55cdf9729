//! Settings of file formats, by the names that options of the command line and presets of graph files have.

use std::collections::BTreeMap;

use super::sheet::Sheet;
use super::sink::Format;
use crate::document::ParamValue;
use crate::problem::Problem;

/// A setting that some formats have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// The name in presets, and of the option `--NAME`.
    pub name: &'static str,
    /// The name in the dialog.
    pub title: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// Kind and limits of the setting's values.
    pub values: Values,
}

/// What the values of a setting are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Values {
    /// A number: its default, and the least and the greatest one.
    Number(f64, [f64; 2]),
    /// A whole number: its default, and the least and the greatest one.
    Whole(u32, [u32; 2]),
    /// Columns and rows. Chosen by the number of frames where none are given.
    Tiles([u32; 2]),
    /// Yes or no; no where it is not given.
    Flag,
}

const CUTOFF: Setting = Setting {
    name: "cutoff",
    title: "Cut-off",
    about: "Numbers of at most this size are left out of OpenVDB files, which makes them smaller",
    values: Values::Number(0.0, [0.0, 1e30]),
};

const BAND: Setting = Setting {
    name: "band",
    title: "Half width",
    about: "Voxels on each side of the surface that keep their distance",
    values: Values::Number(3.0, [1.0, 1000.0]),
};

const TILES: Setting = Setting {
    name: "tiles",
    title: "Tiles",
    about: "Columns and rows of the sheet. If off, the squarest arrangement that the frames fill",
    values: Values::Tiles([8, 8]),
};

/// The setting of all formats.
pub const EVERY: Setting = Setting {
    name: "every",
    title: "Step",
    about: "One in so many frames is written. Those between are simulated and not rendered. In a flipbook, frames from one tile to the next",
    values: Values::Whole(1, [1, 10_000]),
};

const LOOP: Setting = Setting {
    name: "loop",
    title: "Loop",
    about: "Blend the frames beyond the tiles into the last ones, so that the flipbook repeats without a seam",
    values: Values::Flag,
};

const PADDING: Setting = Setting {
    name: "padding",
    title: "Padding",
    about: "Empty texels around each tile",
    values: Values::Whole(0, [0, 256]),
};

const PREMULTIPLIED: Setting = Setting {
    name: "premultiplied",
    title: "Premultiplied",
    about: "Multiply the colours of the sheet by their alpha",
    values: Values::Flag,
};

const TIMEOUT: Setting = Setting {
    name: "timeout",
    title: "Time limit",
    about: "Seconds that ffmpeg may do nothing before it is stopped",
    values: Values::Whole(120, [1, 86_400]),
};

/// All settings.
pub const SETTINGS: &[Setting] = &[EVERY, CUTOFF, BAND, TILES, LOOP, PADDING, PREMULTIPLIED, TIMEOUT];

/// The settings that a format has, but for [`EVERY`], which all have.
pub fn of_format(format: &Format) -> &'static [Setting] {
    match format.name {
        "vdb" | "vdb-half" | "usda" => &[CUTOFF],
        "vdb-level-set" => &[BAND],
        "flipbook" => &[TILES, LOOP, PADDING, PREMULTIPLIED],
        "mp4" | "webm" | "prores" => &[TIMEOUT],
        _ => &[],
    }
}

/// The values of all settings.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Frames from one that is written to the next, at least 1.
    pub every: u64,
    /// Size up to which numbers are left out of sparse files.
    pub cutoff: f32,
    /// Half the width of the band of a level set \[voxels\].
    pub band: f32,
    /// How flipbooks are laid out.
    pub sheet: Sheet,
    /// How long another program may do nothing \[s\].
    pub timeout: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { every: 1, cutoff: 0.0, band: 3.0, sheet: Sheet::default(), timeout: 120 }
    }
}

/// Reads the settings of a preset.
///
/// # Errors
/// A setting that does not exist, or a value that it can't have.
pub fn read(values: &BTreeMap<String, ParamValue>) -> Result<Settings, Problem> {
    let mut settings = Settings::default();
    for (name, value) in values {
        let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
            let names: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
            let remedy = format!("the settings are {}", names.join(", "));
            let cause = format!("there is no setting `{name}` of an export");
            return Err(Problem::new("", "", cause, remedy));
        };
        setting.apply(value, &mut settings).ok_or_else(|| {
            let cause = format!("the setting `{name}` can't be {value}");
            Problem::new("", "", cause, format!("give {}", setting.expected()))
        })?;
    }
    Ok(settings)
}

/// Names of the dialog for options of the command line that are no settings.
const OTHERS: [(&str, &str); 4] = [("frames", "Frames"), ("out", "Folder"), ("name", "File names"), ("size", "Size")];

/// A sentence with the names of the dialog for options of the command line: `Tiles 8x4` for `--tiles 8x4`.
pub fn in_dialog(sentence: &str) -> String {
    let (before, rest) = sentence.split_once("--").unwrap_or((sentence, ""));
    let mut text = before.to_string();
    for part in rest.split("--").filter(|part| !part.is_empty()) {
        let end = part.find(|c: char| !c.is_ascii_lowercase()).unwrap_or(part.len());
        let (option, after) = part.split_at(end);
        let settings = SETTINGS.iter().map(|setting| (setting.name, setting.title)).chain(OTHERS);
        text += settings.into_iter().find(|(name, _)| *name == option).map_or(option, |(_, title)| title);
        text += after;
    }
    text
}

impl Setting {
    /// Takes a value; `None` where it is not one of the setting.
    fn apply(&self, value: &ParamValue, settings: &mut Settings) -> Option<()> {
        let sheet = &mut settings.sheet;
        match (self.name, value) {
            ("cutoff", _) => settings.cutoff = self.number(value)? as f32,
            ("tiles", ParamValue::Vector(sides)) => {
                let &[columns, rows] = sides.as_slice() else { return None };
                let whole =
                    |side: f64| (side.fract() == 0.0 && (1.0..=16_384.0).contains(&side)).then_some(side as u32);
                sheet.tiles = Some([whole(columns)?, whole(rows)?]);
            }
            ("every", _) => settings.every = self.number(value)? as u64,
            ("band", _) => settings.band = self.number(value)? as f32,
            ("timeout", _) => settings.timeout = self.number(value)? as u32,
            ("padding", _) => sheet.padding = self.number(value)? as u32,
            ("loop", ParamValue::Bool(on)) => sheet.looped = *on,
            ("premultiplied", ParamValue::Bool(on)) => sheet.premultiplied = *on,
            _ => return None,
        }
        Some(())
    }

    /// A number in the range of the setting.
    fn number(&self, value: &ParamValue) -> Option<f64> {
        let ParamValue::Number(number) = value else { return None };
        let (range, whole) = match self.values {
            Values::Number(_, range) => (range, false),
            Values::Whole(_, range) => (range.map(f64::from), true),
            Values::Tiles(_) | Values::Flag => return None,
        };
        let fits = (range[0]..=range[1]).contains(number) && (!whole || number.fract() == 0.0);
        fits.then_some(*number)
    }

    fn expected(&self) -> String {
        match self.values {
            Values::Number(_, [least, _]) => format!("a number of at least {least}"),
            Values::Whole(_, [least, most]) => format!("a whole number from {least} to {most}"),
            Values::Tiles(_) => "columns and rows, such as (8, 8)".into(),
            Values::Flag => "true or false".into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_dialog_names_its_own_fields() {
        let of = |text: &str| in_dialog(text);
        assert_eq!(of("use --frames 1-127 or --tiles 8x4"), "use Frames 1-127 or Tiles 8x4");
        assert_eq!(of("--loop blends; --name {x}: a token"), "Loop blends; File names {x}: a token");
        assert_eq!(of("no options"), "no options");
    }

    #[test]
    fn settings_are_read_or_refused_in_a_sentence() {
        let read = |name: &str, text: &str| {
            read(&BTreeMap::from([(name.to_string(), ParamValue::from_ron(text).unwrap())]))
                .map_err(|problem| problem.to_string())
        };
        assert_eq!(read("cutoff", "0.5").unwrap().cutoff, 0.5);
        assert_eq!(read("tiles", "(4, 2)").unwrap().sheet.tiles, Some([4, 2]));
        assert!(read("loop", "true").unwrap().sheet.looped);
        assert_eq!(read("every", "3").unwrap().every, 3);
        for (name, text, sentence) in [
            ("cutoff", "-1", "the setting `cutoff` can't be -1; give a number of at least 0"),
            ("padding", "1.5", "give a whole number from 0 to 256"),
            ("tiles", "(0, 2)", "give columns and rows, such as (8, 8)"),
            ("premultiplied", "1", "give true or false"),
            ("cutof", "1", "there is no setting `cutof` of an export"),
        ] {
            let error = read(name, text).unwrap_err();
            assert!(error.contains(sentence), "{name}: {error}");
        }
    }
}
