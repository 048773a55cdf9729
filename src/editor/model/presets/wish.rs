//! What the menu of presets asks for that needs an answer first.

use std::collections::BTreeMap;

use super::values::PresetKind;
use crate::document::ParamValue;

/// Something that is asked about before it is done.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PresetWish {
    /// Saves these values under a name that is to be typed.
    Save(PresetKind, BTreeMap<String, ParamValue>),
    /// Gives a preset another name.
    Rename(PresetKind, String),
    Delete(PresetKind, String),
}
