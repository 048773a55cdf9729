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
    /// The same from top to bottom.
    Rows,
}

impl Align {
    /// The name in menus.
    pub(crate) fn label(self) -> &'static str {
        match self {
            Align::Left => "Align left",
            Align::Center => "Align center",
            Align::Right => "Align right",
            Align::Top => "Align top",
            Align::Middle => "Align middle",
            Align::Bottom => "Align bottom",
            Align::Columns => "Distribute horizontally",
            Align::Rows => "Distribute vertically",
        }
    }

    /// How many nodes it takes.
    pub(crate) fn least(self) -> usize {
        if matches!(self, Align::Columns | Align::Rows) { 3 } else { 2 }
    }
}
