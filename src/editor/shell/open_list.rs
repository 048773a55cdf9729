//! A list to choose from, and what is done with the choice.

use crate::toolkit::picker::{self, Picker};

/// What is chosen from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pick {
    /// A command to carry out.
    Command,
    /// A node or a parameter to go to.
    Place,
    /// A stage in place of the selected node.
    Replacement,
    /// A stage to compare the selected node with.
    Comparison,
    Variant,
}

/// A list to choose from: what its items stand for, the items, a hint, and how many are preferred.
pub(crate) type Listed = (Vec<String>, Vec<picker::Item>, &'static str, usize);

/// An open list, with what its items stand for.
pub(crate) struct OpenList {
    pub(super) pick: Pick,
    pub(super) keys: Vec<String>,
    pub(super) picker: Picker,
}
