//! Numbers over time from files: the loudness of a sound, or a column of a table.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Beyond, Sequence};

/// A file that gives a number for each frame, and how it is read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Track {
    /// Path as the document has it: relative to the graph's own file.
    pub path: String,
    /// The column of a table; the first one besides the times when `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub column: Option<String>,
    /// Whether a frame of a sound has its largest sample, and not the root of their mean square.
    #[serde(default)]
    pub peak: bool,
    /// The time in which the number comes near a higher value, all but 1/e of the way \[s\].
    pub attack: f64,
    /// The time in which the number comes near a lower value, all but 1/e of the way \[s\].
    pub release: f64,
    /// Frame of the file that the first frame shows, and what is beyond the last one.
    pub sequence: Sequence,
    /// The values, frame by frame, once the file is read.
    #[serde(skip)]
    pub values: Option<Arc<[f32]>>,
}

impl Track {
    /// The value in a frame, between two frames on the line through both; 0 before the file is read.
    pub fn value_at(&self, frame: f64) -> f64 {
        let (whole, between) = (frame.floor() as u64, frame - frame.floor());
        let now = self.in_frame(whole);
        if between == 0.0 { now } else { now + (self.in_frame(whole.saturating_add(1)) - now) * between }
    }

    fn in_frame(&self, frame: u64) -> f64 {
        let values = self.values.as_deref().unwrap_or_default();
        let Some(last) = values.len().checked_sub(1) else { return 0.0 };
        let place = self.sequence.first.unwrap_or(0).saturating_add(frame);
        let place = match self.sequence.beyond {
            Beyond::Loop => place % values.len() as u64,
            Beyond::Hold | Beyond::Error => place.min(last as u64),
        };
        values.get(place as usize).copied().map_or(0.0, f64::from)
    }

    /// How many frames there are from the first one on, if the file must not end; `None` where it is held or starts again.
    pub fn end(&self) -> Option<u64> {
        let count = self.values.as_ref().filter(|_| self.sequence.beyond == Beyond::Error)?.len() as u64;
        Some(count.saturating_sub(self.sequence.first.unwrap_or(0)))
    }
}
