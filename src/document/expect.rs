//! Expectations: what a graph's author states about its results, checked by `stagewright test` and by the editor.

use super::{Document, Extra, Link, Scope};

/// One expectation as the file has it. It may be wrong in any way; the graph decides what it means.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// Frames after which it is checked, counted from 1.
    pub at: Vec<u64>,
    /// Also after every so many frames, up to and including frame `to`.
    pub every: Option<u64>,
    pub to: Option<u64>,
    /// A wire `node.port`, an attribute of particles `node.port.attribute`, a number node or an Output. Nodes inside of groups by their
    /// path, `group/node.port`.
    pub of: String,
    /// `min`, `max`, `mean`, `sum`, `rms`, `count`, `nan` or `infinite`; a single number needs none.
    pub statistic: Option<String>,
    /// The component of a vector or a colour, from 0.
    pub component: Option<u32>,
    /// One value, or one for each component.
    pub equals: Option<Vec<f64>>,
    /// Least and greatest value.
    pub within: Option<(f64, f64)>,
    pub below: Option<f64>,
    pub above: Option<f64>,
    /// It has to be what it was after this frame.
    pub unchanged_since: Option<u64>,
    /// 32 hexadecimal digits.
    pub hash: Option<String>,
    /// How far from `equals` or from the earlier value it may be.
    pub tolerance: Option<f64>,
    /// The same as a share of that value.
    pub relative: Option<f64>,
    /// Part of the name of the only adapter that it is checked on.
    pub adapter: Option<String>,
    pub comment: String,
    pub extra: Extra,
}

impl Expect {
    /// The level and the wire that it is about.
    pub fn target(&self) -> (Scope, Link) {
        let (scope, wire) = Scope::split(self.of.trim());
        (scope, Link::parse(wire))
    }
}

/// The expectation as a graph file has it.
impl std::fmt::Display for Expect {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&super::write::expect(self))
    }
}

impl Document {
    /// Changes what expectations are about: `change` gets the level and the wire of each, and says what they are now. Where it says nothing, they
    /// stay.
    pub fn retarget_expectations(&mut self, change: impl Fn(&Scope, &Link) -> Option<(Scope, Link)>) {
        for expect in &mut self.expect {
            let (scope, link) = expect.target();
            if let Some((scope, link)) = change(&scope, &link) {
                expect.of = scope.path(&link.to_string());
            }
        }
    }
}
