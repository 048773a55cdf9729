//! How nodes are aligned.

/// What the selected nodes have in common after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Align {
    Left,
    Center,
    Right,
    Top,
    Middle,
    Bottom,
    /// Equal gaps between neighbours, from left to right.
    Columns,
    /// Equal gaps between neighbours, from top to bottom.
    Rows,
}

impl Align {
    /// Number of nodes that it takes at least.
    pub(crate) fn least(self) -> usize {
        if matches!(self, Align::Columns | Align::Rows) { 3 } else { 2 }
    }
}
