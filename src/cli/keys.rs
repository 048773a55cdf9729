//! `stagewright keys`

use std::path::PathBuf;

use clap::Args;

use super::report::{self, Failure};
use stagewright_base::curve::{Key, Keyframes, Tangent};
use stagewright_base::files::read;
use stagewright_formats::{AssetError, Cause, ContentKind, Loudness, extension, is_by_time, reader_of};
use stagewright_language::document::ParamValue;
use stagewright_runtime::asset::envelope;

/// Limit of keys: more are no longer edited by hand.
const MAX_KEYS: usize = 20_000;

/// Frames per second where none are given.
const FPS: f64 = 60.0;

#[derive(Args)]
pub struct Keys {
    /// A sound (.wav), or a table (.csv) whose first column is `frame` or `time`
    file: PathBuf,
    /// Column of the table; the first one besides time and frame when left out
    #[arg(long)]
    column: Option<String>,
    /// Frames per second of the graph, for a sound or a table by time. Default: 60
    #[arg(long, value_name = "F")]
    fps: Option<f64>,
    /// Take the largest sample of a frame, not the root of their mean square
    #[arg(long)]
    peak: bool,
    /// Values of silence and of the loudest frame; of the lowest and the highest number of a table. Without it, values are as in the
    /// file, for a sound from 0 to 1
    #[arg(long, value_name = "LOW..HIGH", value_parser = range, allow_hyphen_values = true)]
    range: Option<(f64, f64)>,
    /// How far keys may be from the file, as a part of the range of its values
    #[arg(long, value_name = "PART", default_value_t = 0.02)]
    tolerance: f64,
}

fn range(text: &str) -> Result<(f64, f64), String> {
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let (low, high) = text.split_once("..").unwrap_or_default();
    let both = number(low).zip(number(high));
    both.ok_or_else(|| format!("`{text}` is not a range; write for example 10..60"))
}

impl Keys {
    pub fn run(&self) -> Result<(), Failure> {
        let fps = self.fps.unwrap_or(FPS);
        let sane = (fps.is_finite() && fps > 0.0) && (self.tolerance >= 0.0);
        if !sane {
            let cause = "--fps must be positive and --tolerance not negative; give such numbers";
            return Err(Failure::Message(cause.into()));
        }
        let (points, is_sound) = self.points(fps)?;
        let bounds = points
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), (_, value)| (low.min(*value), high.max(*value)));
        let low = if is_sound { 0.0 } else { bounds.0 };
        let wide = if bounds.1 > low { bounds.1 - low } else { 1.0 };
        let value = |value: f64| match self.range {
            Some((from, to)) => from + (to - from) * (value - low) / wide,
            None => value,
        };
        // Digits beyond the tolerance would only make the text longer.
        let round = |value: f64| (value * 1e5).round() / 1e5;
        let kept = envelope::simplified(&points, self.tolerance * wide);
        if kept.len() > MAX_KEYS {
            let cause = format!("{} keys are needed; the limit is {MAX_KEYS}; raise --tolerance", kept.len());
            return Err(Failure::Message(format!("{}: {cause}", self.file.display())));
        }
        let key = |(frame, number): &(f64, f64)| Key {
            tangent: Tangent::Linear,
            ..Key::new(round(*frame), vec![round(value(*number))])
        };
        let keys = Keyframes::new(kept.iter().map(key).collect());
        if let Err(unfit) = keys.check() {
            return Err(Failure::Message(format!("{}: {}; {}", self.file.display(), unfit.0, unfit.1)));
        }
        report::print(&format!("{}\n", ParamValue::Keys(keys)));
        Ok(())
    }

    /// Points of frame and value, and whether they are those of a sound.
    fn points(&self, fps: f64) -> Result<(Vec<(f64, f64)>, bool), Failure> {
        let reader = reader_of(&self.file).filter(|reader| reader.usual_kind() == Some(ContentKind::Track));
        let is_table = reader.map(|reader| reader.has_columns);
        let loudness = if self.peak { Loudness::Peak } else { Loudness::Rms };
        let ignored = match is_table {
            Some(false) if self.column.is_some() => Some("--column is for tables (.csv), and this is a sound"),
            Some(true) if self.peak => Some("--peak is for sounds (.wav), and this is a table"),
            _ => None,
        };
        if let Some(cause) = ignored {
            return Err(Failure::Message(format!("{}: {cause}; leave it out", self.file.display())));
        }
        let failed = |cause: Cause| Failure::Message(AssetError { file: self.file.clone(), cause }.to_string());
        let Some(reader) = reader else {
            let unread = reader_of(&self.file).is_none();
            return Err(failed(if unread { Cause::Ending(extension(&self.file)) } else { Cause::NoEnvelope }));
        };
        if !reader.has_columns {
            let bytes = read::bytes(&self.file, reader.limit).map_err(|error| failed(error.into()))?;
            return Ok((reader.track(bytes, fps, loudness, None).map_err(failed)?, true));
        }
        let text = read::text(&self.file, 64 << 20).map_err(|error| failed(error.into()))?;
        let bytes = text.clone().into_bytes();
        let points = reader.track(bytes, fps, loudness, self.column.as_deref()).map_err(failed)?;
        if self.fps.is_some() && !is_by_time(&text) {
            let cause = "the first column has frames, so --fps has no effect";
            let remedy = "leave it out, or call the column `time`";
            return Err(Failure::Message(format!("{}: {cause}; {remedy}", self.file.display())));
        }
        Ok((points, false))
    }
}
