//! Ends of wires: at inputs, and on the sides of a group.

/// An input port of a node, or of `out`: an output of the open group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InputEnd {
    /// Name of the node, or `out`.
    pub node: String,
    /// Name of the port, or of the group's output.
    pub port: String,
}

/// A side of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The inputs.
    In,
    /// The outputs.
    Out,
}
