//! A step of a frame that is divided into some.

use crate::input::FrameInput;

/// Which step of a frame, and of how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub index: u32,
    pub of: u32,
}

impl Step {
    pub(super) fn is_last(self) -> bool {
        self.index + 1 >= self.of
    }

    /// The part of the frame before it, 0..1.
    pub(super) fn start(self) -> f64 {
        f64::from(self.index) / f64::from(self.of.max(1))
    }

    /// The input of the step: the pointer is where it is on its way of the frame.
    pub(super) fn input(self, input: &FrameInput, dt: f32) -> FrameInput {
        let left = dt * (self.of - 1 - self.index) as f32 / self.of as f32;
        let mut now = input.clone();
        if left > 0.0 {
            for (at, speed) in now.mouse.iter_mut().zip(input.mouse_velocity) {
                *at -= speed * left;
            }
        }
        now
    }
}
