//! What an expression is evaluated with: the time, the seed and the input of a frame.

/// The values of the variables in a frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExprContext {
    /// Time since the start \[s\].
    pub time: f64,
    /// Length of the step \[s\].
    pub dt: f64,
    /// Frame number from 0; between two frames in the steps that a frame is divided into.
    pub frame: f64,
    /// Seed of the graph, for `random`.
    pub seed: u32,
    /// Pointer, 0..1 from the lower left.
    pub mouse: [f64; 2],
    /// \[1/s\]
    pub mouse_velocity: [f64; 2],
    /// Bits: 1 left, 2 right, 4 middle.
    pub buttons: u32,
    /// Bits: 1 space.
    pub keys: u32,
}

impl Default for ExprContext {
    fn default() -> Self {
        ExprContext {
            time: 0.0,
            dt: 1.0 / 60.0,
            frame: 0.0,
            seed: 0,
            mouse: [0.5; 2],
            mouse_velocity: [0.0; 2],
            buttons: 0,
            keys: 0,
        }
    }
}
