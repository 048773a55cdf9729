//! Links and names in bakes, bookmarks, expectations and exports follow their nodes.

use super::expect::Expect;
use super::{Document, Link, Scope};

impl Expect {
    /// The level and the wire that it refers to.
    pub fn target(&self) -> (Scope, Link) {
        let (scope, wire) = Scope::split(self.of.trim());
        (scope, Link::parse(wire))
    }
}

impl Document {
    /// Changes the nodes whose wires are baked. `change` gets the level and the name of each node and returns the new ones, or
    /// `None` to keep them.
    pub fn retarget_bakes(&mut self, change: impl Fn(&Scope, &str) -> Option<(Scope, String)>) {
        for wire in self.bakes.values_mut().flat_map(|bake| &mut bake.wires) {
            let (path, port) = wire.split_once('.').map_or((wire.as_str(), None), |(path, port)| (path, Some(port)));
            let mut parts = Scope::parse(path).0;
            for index in (0..parts.len()).rev() {
                let (level, rest) = parts.split_at(index);
                let Some((name, after)) = rest.split_first() else { continue };
                if let Some((scope, name)) = change(&Scope(level.to_vec()), name) {
                    parts = scope.0.into_iter().chain([name]).chain(after.iter().cloned()).collect();
                    break;
                }
            }
            let path = parts.join("/");
            *wire = port.map_or(path.clone(), |port| format!("{path}.{port}"));
        }
    }

    /// Changes the nodes that bookmarks refer to: the groups of their levels, and what they select. `change` gets the level and
    /// the name of each node and returns the new ones, or `None` to keep them. What goes into a group of the level is selected as that group.
    pub fn retarget_bookmarks(&mut self, change: impl Fn(&Scope, &str) -> Option<(Scope, String)>) {
        for bookmark in self.bookmarks.values_mut() {
            let before = Scope::parse(&bookmark.level);
            let moved = before.outside().and_then(|(outer, group)| change(&outer, group));
            let level = moved.map_or_else(|| before.clone(), |(outer, group)| outer.inside(&group));
            let on_level = |name: String| match change(&before, &name) {
                None => Some(name),
                Some((scope, name)) => {
                    let path = scope.inside(&name);
                    let below = path.0.strip_prefix(level.0.as_slice())?;
                    below.first().cloned()
                }
            };
            let mut select: Vec<String> =
                std::mem::take(&mut bookmark.select).into_iter().filter_map(on_level).collect();
            select.sort();
            select.dedup();
            (bookmark.level, bookmark.select) = (level.to_string(), select);
        }
    }

    /// Changes the wires that expectations refer to. `change` gets the level and the wire of each and returns the new
    /// ones, or `None` to keep them.
    pub fn retarget_expectations(&mut self, change: impl Fn(&Scope, &Link) -> Option<(Scope, Link)>) {
        for expect in &mut self.expect {
            let (scope, link) = expect.target();
            if let Some((scope, link)) = change(&scope, &link) {
                expect.of = scope.path(&link.to_string());
            }
        }
    }

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
    use super::super::ExportPreset;
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
