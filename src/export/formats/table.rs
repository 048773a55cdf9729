//! Numbers over time, all frames in one file: a table (CSV) or a JSON object a line.
//!
//! The file is replaced as a whole: when the export ends, and so often before that a killed one loses a fifth of its rows at most.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write as _};
use std::path::PathBuf;

use serde_json::{Map, Value as Json};

use super::csv;
use crate::files::{read, write};
use crate::frames::Frames;
use crate::quoting;
use crate::record;
use crate::sequence::Sequence;
use crate::sink::{Action, ExportError, Format, Frame, FrameSink, Kind, Log, Present, Sums, Target};
use crate::value::ExportedValue;

pub(crate) const CSV: Format = Format {
    name: "csv",
    title: "CSV",
    about: "a table of numbers over time, one row a frame; of particles, a table a frame with one row each",
    takes: &[Kind::Number, Kind::Particles],
    joins: true,
    beside: &[],
    single: true,
    bytes_per_pixel: 0.0,
    open: |target| match target.kind {
        Kind::Particles => Box::new(Sequence::new(target, &csv::PARTICLES)),
        _ => Box::new(Table::new(target, Text::Csv)),
    },
};

pub(crate) const JSON_LINES: Format = Format {
    name: "jsonl",
    title: "JSON lines",
    about: "numbers over time, one JSON object a frame",
    takes: &[Kind::Number],
    open: |target| Box::new(Table::new(target, Text::JsonLines)),
    ..CSV
};

/// Rows before the file is written for the first time.
const FIRST_ROWS: usize = 64;
/// The frame of the file in records.
const WHOLE: u64 = 0;
/// Largest table that is read back \[bytes\].
const MAX_FILE: u64 = 1 << 30;

#[derive(Clone, Copy, PartialEq)]
enum Text {
    Csv,
    JsonLines,
}

struct Table {
    target: Target,
    text: Text,
    /// The title line of a table.
    titles: Option<String>,
    /// Lines by frame.
    rows: BTreeMap<u64, String>,
    /// Rows in the file.
    on_disk: usize,
    /// Whether there are rows that the file lacks.
    unsaved: bool,
    log: Log,
    written: u64,
}

impl Table {
    fn new(target: Target, text: Text) -> Table {
        Table {
            target,
            text,
            titles: None,
            rows: BTreeMap::new(),
            on_disk: 0,
            unsaved: false,
            log: Log::default(),
            written: 0,
        }
    }

    fn file(&self) -> PathBuf {
        self.target.folder.join(self.name())
    }

    fn name(&self) -> String {
        self.target.names.single(if self.text == Text::Csv { "csv" } else { "jsonl" })
    }

    /// The title line and the rows of the file, whatever wrote it; `None` where there is no table.
    fn read(&self) -> Option<(Option<String>, BTreeMap<u64, String>)> {
        let bytes = read::bytes_without_links(&self.file(), MAX_FILE).ok()?;
        let text = String::from_utf8(bytes).ok()?;
        // A line without its end is not complete.
        let mut lines = text.split_inclusive('\n').filter_map(|line| line.strip_suffix('\n'));
        let titles = match self.text {
            Text::Csv => Some(lines.next()?.to_string()).filter(|titles| titles.starts_with("frame,time,")),
            Text::JsonLines => None,
        };
        if self.text == Text::Csv && titles.is_none() {
            return None;
        }
        let frame = |line: &str| match self.text {
            Text::Csv => line.split(',').next()?.parse().ok(),
            Text::JsonLines => serde_json::from_str::<Json>(line).ok()?.get("frame")?.as_u64(),
        };
        let rows = lines.filter_map(|line| Some((frame(line)?, line.to_string()))).collect();
        Some((titles, rows))
    }

    fn save(&mut self) -> Result<(), ExportError> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let path = self.file();
        let failed = |error: io::Error| ExportError::file(Action::Write, &path, &error);
        let mut temporary = write::temporary(&self.target.folder).map_err(failed)?;
        let mut text = self.titles.iter().map(|line| format!("{line}\n")).collect::<String>();
        self.rows.values().for_each(|row| text.extend([row, "\n"]));
        temporary.write_all(text.as_bytes()).map_err(failed)?;
        self.log.file(WHOLE, &record::sum(text.as_bytes()), &path)?;
        self.target.publish(temporary, &path)?;
        (self.on_disk, self.unsaved) = (self.rows.len(), false);
        Ok(())
    }

    /// The titles, and the row of a frame.
    fn row(&self, frame: &Frame) -> Result<(Option<String>, String), String> {
        let mut titles = String::from("frame,time");
        let mut row = format!("{},{}", frame.index, frame.time);
        let mut object = Map::new();
        object.insert("frame".into(), frame.index.into());
        object.insert("time".into(), json(frame.time));
        for layer in frame.layers()? {
            let ExportedValue::Number(values) = layer.value() else { return Err("tables hold numbers alone".into()) };
            for (index, value) in values.iter().enumerate() {
                row += &format!(",{value}");
                let letter = ["x", "y", "z", "w"].get(index).map_or_else(|| index.to_string(), ToString::to_string);
                let title = if values.len() == 1 { layer.name.clone() } else { format!("{}_{letter}", layer.name) };
                titles += &format!(",{}", quoting::csv(&title));
            }
            let value = match values.as_slice() {
                [one] => json(*one),
                several => several.iter().map(|value| json(*value)).collect(),
            };
            object.insert(layer.name.clone(), value);
        }
        Ok(match self.text {
            Text::Csv => (Some(titles), row),
            Text::JsonLines => (None, Json::Object(object).to_string()),
        })
    }
}

/// NaN and infinity, which JSON lacks, are null.
fn json(value: f64) -> Json {
    serde_json::Number::from_f64(value).map_or(Json::Null, Json::Number)
}

impl FrameSink for Table {
    fn names(&self) -> String {
        self.name()
    }

    fn path(&self, _: u64) -> PathBuf {
        self.file()
    }

    fn kept(&self, _: &Frames, sums: &Sums) -> BTreeSet<u64> {
        if !record::is_as_written(&self.file(), sums, WHOLE) {
            return BTreeSet::new();
        }
        self.read().map_or_else(BTreeSet::new, |(_, rows)| rows.into_keys().collect())
    }

    fn is_table(&self) -> bool {
        true
    }

    fn present(&self) -> io::Result<u64> {
        if fs::symlink_metadata(self.file()).is_err() {
            return Ok(0);
        }
        // Whatever it contains, it would be replaced.
        Ok(self.read().map_or(0, |(_, rows)| rows.len() as u64).max(1))
    }

    fn files(&self) -> io::Result<Present> {
        Present::find_names(&self.target.folder, &[self.name()])
    }

    fn remove(&mut self) -> io::Result<u64> {
        let present = self.present()?;
        if present > 0 {
            fs::remove_file(self.file())?;
        }
        Ok(present)
    }

    fn begin(&mut self, kept: &BTreeSet<u64>, log: Log) -> Result<(), ExportError> {
        self.log = log;
        if !kept.is_empty()
            && let Some((titles, rows)) = self.read()
        {
            self.titles = titles;
            self.rows = rows.into_iter().filter(|(frame, _)| kept.contains(frame)).collect();
            self.on_disk = self.rows.len();
        }
        Ok(())
    }

    fn write(&mut self, frame: Frame) -> Result<(), ExportError> {
        let (index, path) = (frame.index, self.file());
        self.log.count_odd(&frame, false);
        let (titles, row) = self.row(&frame).map_err(|message| ExportError::Encode { index, path, message })?;
        if self.titles.is_none() {
            self.titles = titles;
        }
        self.rows.insert(index, row);
        self.written += 1;
        self.unsaved = true;
        if self.rows.len() >= FIRST_ROWS.max(self.on_disk + self.on_disk / 4) {
            self.save()?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<u64, ExportError> {
        if self.unsaved {
            self.save()?;
        }
        Ok(self.written)
    }

    fn sync(&self) {
        if let Ok((file, _)) = read::open_without_links(&self.file()) {
            let _ = file.sync_all();
        }
        write::sync_folder(&self.target.folder);
    }
}

impl Drop for Table {
    fn drop(&mut self) {
        // An export that failed keeps what it has measured.
        if self.unsaved {
            let _ = self.save();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(text: Text) -> Table {
        let name = format!("stagewright-table-{}-{}", std::process::id(), text == Text::Csv);
        let folder = std::env::temp_dir().join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        Table::new(Target::images(folder, 1..=200), text)
    }

    /// Fills a table as if `frames` had been written.
    fn fill(table: &mut Table, frames: std::ops::RangeInclusive<u64>) {
        table.titles = (table.text == Text::Csv).then(|| "frame,time,a".into());
        for frame in frames {
            let row = if table.text == Text::Csv { format!("{frame},0.5,1") } else { format!("{{\"frame\":{frame}}}") };
            table.rows.insert(frame, row);
        }
        table.unsaved = true;
    }

    #[test]
    fn a_table_goes_on_with_its_rows_unless_a_byte_of_it_has_changed() {
        for text in [Text::Csv, Text::JsonLines] {
            let mut first = table(text);
            let target = first.target.clone();
            fill(&mut first, 1..=10);
            drop(first);
            let again = Table::new(target.clone(), text);
            let sums = Sums::from([(WHOLE, vec!["of before".into(), record::sum_of(&again.file()).unwrap()])]);
            let kept = again.kept(&target.frames, &sums);
            assert_eq!((kept.len(), again.present().unwrap(), again.unlisted(&sums).unwrap()), (10, 10, 0));
            let mut third = Table::new(target.clone(), text);
            third.begin(&(3..=8).collect(), Log::default()).unwrap();
            assert_eq!(third.rows.len(), 6, "what is not kept is written again");
            fill(&mut third, 9..=12);
            third.finish().unwrap();
            let lines = fs::read_to_string(third.file()).unwrap().lines().count();
            assert_eq!(lines, 10 + usize::from(text == Text::Csv));
            assert!(third.kept(&target.frames, &sums).is_empty(), "it is another file now");
            fs::write(third.file(), "something else").unwrap();
            assert_eq!((third.present().unwrap(), third.remove().unwrap()), (1, 1));
            assert_eq!(third.present().unwrap(), 0);
            fs::remove_dir_all(&third.target.folder).unwrap();
        }
    }

    #[test]
    fn json_has_no_nan() {
        assert_eq!([json(0.1), json(f64::NAN)].map(|value| value.to_string()), ["0.1", "null"]);
    }
}
