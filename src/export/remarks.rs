//! Values in files that are no numbers, or that a format can't hold: how many, and where they began.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::value::Layer;
use crate::problem::{Problem, Problems};

/// What is odd about a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Odd {
    /// NaN or infinity.
    NoNumber,
    /// A number that half precision makes infinite.
    BeyondHalf,
}

/// Values of one kind in the files of a wire.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Count {
    /// The first frame with some.
    first: u64,
    frames: u64,
    values: u64,
}

/// Counts odd values of all files of a run, by the name of the wire. Threads that encode frames share it.
#[derive(Debug, Default)]
pub(super) struct Remarks(Mutex<BTreeMap<(String, Odd), Count>>);

impl Remarks {
    /// Counts those of a frame; with `half`, what is stored in half precision too.
    pub(super) fn count(&self, frame: u64, layers: &[Layer], half: bool) {
        for layer in layers {
            let (no_numbers, beyond) = odd(layer, half);
            self.note(&layer.name, Odd::NoNumber, frame, no_numbers);
            self.note(&layer.name, Odd::BeyondHalf, frame, beyond);
        }
    }

    fn note(&self, name: &str, odd: Odd, frame: u64, values: u64) {
        if values == 0 {
            return;
        }
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let count = counts.entry((name.into(), odd)).or_insert(Count { first: frame, ..Count::default() });
        // Frames come in no order.
        *count = Count { first: count.first.min(frame), frames: count.frames + 1, values: count.values + values };
    }

    /// A warning for each wire and kind.
    pub(super) fn problems(&self) -> Problems {
        let counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let problem = |((name, odd), Count { first, frames, values }): (&(String, Odd), &Count)| {
            let frames = if *frames == 1 { "1 frame".to_string() } else { format!("{frames} frames") };
            let (what, remedy) = match odd {
                Odd::NoNumber => {
                    ("values that are NaN or infinite", "render --check-values finds the node where they begin")
                }
                Odd::BeyondHalf => (
                    "values beyond 65504, which half precision makes infinite",
                    "choose the format with 32 bits, or scale the values",
                ),
            };
            let cause = format!("the files have {values} {what}, in {frames} from frame {first} on");
            Problem::new(name, "", cause, remedy).warning()
        };
        Problems(counts.iter().map(problem).collect())
    }
}

/// How many values of a wire are NaN or infinite, and with `half` how many numbers become infinite in half precision.
fn odd(layer: &Layer, half: bool) -> (u64, u64) {
    let (mut no_numbers, mut beyond) = (0, 0);
    layer.each(|value: f64| {
        no_numbers += u64::from(!value.is_finite());
        beyond += u64::from(half && value.is_finite() && !half::f16::from_f64(value).is_finite());
    });
    (no_numbers, beyond)
}
