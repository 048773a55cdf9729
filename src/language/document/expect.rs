//! Expectations: what a graph's author states about its results, checked by `stagewright test` and by the editor.

use super::Extra;

/// An expectation as written in the file, unchecked; [`crate::graph`] interprets it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Expect {
    /// Frames after which it is checked, counted from 1.
    pub at: Vec<u64>,
    /// Interval of further checks \[frames\], up to and including frame `to`.
    pub every: Option<u64>,
    /// The last frame of `every`.
    pub to: Option<u64>,
    /// A wire `node.port`, an attribute of particles `node.port.attribute`, a number node or an Output. Nodes inside
    /// groups are named by their path, `group/node.port`.
    pub of: String,
    /// `min`, `max`, `mean`, `sum`, `rms`, `count`, `nan` or `infinite`; not needed for a single number.
    pub statistic: Option<String>,
    /// The component of a vector or a colour, counted from 0.
    pub component: Option<u32>,
    /// One value, or one for each component.
    pub equals: Option<Vec<f64>>,
    /// Minimum and maximum.
    pub within: Option<(f64, f64)>,
    /// The value must be smaller.
    pub below: Option<f64>,
    /// The value must be larger.
    pub above: Option<f64>,
    /// The value must be the same as after this frame.
    pub unchanged_since: Option<u64>,
    /// 32 hexadecimal digits.
    pub hash: Option<String>,
    /// Allowed absolute difference from `equals` or from the earlier value.
    pub tolerance: Option<f64>,
    /// Allowed difference relative to that value.
    pub relative: Option<f64>,
    /// Checked only on an adapter whose name contains this.
    pub adapter: Option<String>,
    /// The variant that it belongs to; the default when `None`.
    pub variant: Option<String>,
    /// The user's note, shown with the result.
    pub comment: String,
    /// Fields that this build does not know.
    pub extra: Extra,
}
