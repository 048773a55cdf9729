//! Settings of file formats, by the names that options of the command line and presets of graph files have.

use std::collections::BTreeMap;

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
    /// Value where none is given.
    pub default: f64,
    /// Least and greatest value.
    pub range: (f64, f64),
}

const CUTOFF: Setting = Setting {
    name: "cutoff",
    title: "Cut-off",
    about: "Numbers of at most this size are left out of the files, which makes them smaller",
    default: 0.0,
    range: (0.0, f32::MAX as f64),
};

/// All settings.
pub const SETTINGS: &[Setting] = &[CUTOFF];

/// The settings that a format has.
pub fn of(format: &Format) -> &'static [Setting] {
    match format.name {
        "vdb" | "vdb-half" | "usda" => &[CUTOFF],
        _ => &[],
    }
}

/// The values of all settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// In sparse files, numbers of at most this size are left out.
    pub cutoff: f32,
}

/// Reads the settings of a preset.
///
/// # Errors
/// A setting that does not exist, or a value out of its range.
pub fn read(given: &BTreeMap<String, ParamValue>) -> Result<Settings, Problem> {
    let mut settings = Settings { cutoff: CUTOFF.default as f32 };
    for (name, value) in given {
        let Some(setting) = SETTINGS.iter().find(|setting| setting.name == name) else {
            let known: Vec<&str> = SETTINGS.iter().map(|setting| setting.name).collect();
            let remedy = format!("the settings are {}", known.join(", "));
            return Err(Problem::new("", "", format!("there is no setting `{name}` of an export"), remedy));
        };
        let (least, most) = setting.range;
        let number = match value {
            ParamValue::Number(number) if *number >= least && *number <= most => *number,
            other => {
                let cause = format!("the setting `{name}` can't be {other}");
                return Err(Problem::new("", "", cause, format!("give a number of at least {least}")));
            }
        };
        if name == CUTOFF.name {
            settings.cutoff = number as f32;
        }
    }
    Ok(settings)
}
