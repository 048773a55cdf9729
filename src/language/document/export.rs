//! Presets of exports: which files a graph is written to, kept with the graph under a name.

use std::collections::BTreeMap;

use super::{Document, Extra, Link, ParamValue, Scope};

/// The settings of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportPreset {
    /// One entry a series of files, as `stagewright export` takes it: `[NAME=]WIRE[+..][:FORMAT]`. The topmost Output when empty.
    pub what: Vec<String>,
    /// First and last frame.
    pub frames: (u64, u64),
    /// Size of images \[pixels\]; that of the Output when `None`.
    pub size: Option<(u32, u32)>,
    /// Folder of the files, relative to the graph's own. May have the token `{graph}`.
    pub folder: String,
    /// Names of the files with tokens; those of `stagewright export` when empty.
    pub names: String,
    /// Settings of the formats, by name.
    pub settings: BTreeMap<String, ParamValue>,
    /// Frames between two checkpoints; none when `None`.
    pub checkpoints: Option<u64>,
    /// Fields that this build does not know.
    pub extra: Extra,
}

impl Default for ExportPreset {
    fn default() -> ExportPreset {
        ExportPreset {
            what: Vec::new(),
            frames: (1, 240),
            size: None,
            folder: "frames".into(),
            names: String::new(),
            settings: BTreeMap::new(),
            checkpoints: None,
            extra: Extra::new(),
        }
    }
}

impl Document {
    /// Changes the wires that presets of exports name. `change` gets the level and the wire of each and returns the new ones, or `None`
    /// to keep them.
    pub fn retarget_exports(&mut self, change: impl Fn(&Scope, &Link) -> Option<(Scope, Link)>) {
        let one = |part: &str| {
            let (name, rest) = part.split_once('=').map_or(("", part), |(name, rest)| (name, rest));
            let equals = if name.is_empty() { "" } else { "=" };
            // A domain, a statistic or a format may follow.
            let (wire, end) = rest.split_at(rest.find(['@', ':']).unwrap_or(rest.len()));
            let (scope, wire) = Scope::split(wire.trim());
            let (scope, link) = change(&scope, &Link::parse(wire))?;
            Some(format!("{name}{equals}{}{end}", scope.path(&link.to_string())))
        };
        for entry in self.exports.values_mut().flat_map(|preset| &mut preset.what) {
            let parts: Vec<String> =
                entry.split('+').map(|part| one(part).unwrap_or_else(|| part.to_string())).collect();
            *entry = parts.join("+");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wires_of_presets_follow_their_nodes() {
        let what = ["density=smoke.value+vel=solve/velocity.value:vdb", "smoke.value:sum:csv", "smoke", "smoky@smoke"];
        let preset = ExportPreset { what: what.map(String::from).to_vec(), ..ExportPreset::default() };
        let mut document = Document { exports: [("a".to_string(), preset)].into(), ..Document::default() };
        document.retarget_exports(|scope, link| {
            let here = scope.is_root() && link.node == "smoke";
            here.then(|| (scope.inside("group"), Link { node: "haze".into(), ..link.clone() }))
        });
        let expected = [
            "density=group/haze.value+vel=solve/velocity.value:vdb",
            "group/haze.value:sum:csv",
            "group/haze",
            "smoky@smoke",
        ];
        assert_eq!(document.exports["a"].what, expected);
        let again = Document::parse(&document.to_text()).unwrap();
        assert_eq!(again.exports, document.exports);
    }
}
