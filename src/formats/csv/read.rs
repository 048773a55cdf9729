//! Numbers over time from tables (CSV): columns apart by commas, semicolons or tabs, text in quotes as in RFC 4180.

use crate::content::{Content, Source};
use crate::error::Cause;
use crate::limits::MAX_TRACK;
use crate::malformed::FormatName;
use crate::numbers::usable;

/// Longest line \[bytes\].
const MAX_LINE: usize = 1 << 20;
/// Names that an error lists.
const LISTED: usize = 12;
/// Units of time, and their length \[s\].
const UNITS: [(&str, f64); 11] = [
    ("s", 1.0),
    ("sec", 1.0),
    ("secs", 1.0),
    ("second", 1.0),
    ("seconds", 1.0),
    ("ms", 1e-3),
    ("millisecond", 1e-3),
    ("milliseconds", 1e-3),
    ("min", 60.0),
    ("minute", 60.0),
    ("minutes", 60.0),
];

/// Name of the format in messages.
pub(crate) const NAME: FormatName = FormatName("CSV");

/// Reads a file.
///
/// # Errors
/// Errors of [`of_table`].
pub(crate) fn read(file: Source<'_>) -> Result<Content, Cause> {
    of_table(&String::from_utf8_lossy(&file.bytes), file.fps, file.layer).map(Content::Track)
}

/// The points of a column of a table, whose first column is their `time` in seconds or their `frame`, as the first line says;
/// frames where that line is numbers already. Without a name, it is the first column that is neither.
///
/// # Errors
/// A first column of another name; what is no number, with its line; times that do not increase; no points; more than a million; no
/// such column.
fn of_table(text: &str, fps: f64, column: Option<&str>) -> Result<Vec<(f64, f64)>, Cause> {
    points(text, fps, column).map(|(points, _)| points)
}

/// Whether the first column of a table has times, and not frames.
pub fn is_by_time(text: &str) -> bool {
    points(text, 2.0, None).is_ok_and(|(_, step)| step != 1.0)
}

/// The points, and the frames in a step of the first column.
fn points(text: &str, fps: f64, column: Option<&str>) -> Result<(Vec<(f64, f64)>, f64), Cause> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    let mut form: Option<Form> = None;
    let lines = text.lines().zip(1..).map(|(line, number)| (line.trim_matches([' ', '\r', '\u{feff}']), number));
    let (mut declared_separator, mut comment) = (None, None);
    for (line, number) in lines.filter(|(line, _)| !line.trim().is_empty()) {
        if line.len() > MAX_LINE {
            return Err(NAME.malformed(format!("line {number} is longer than {} MiB", MAX_LINE >> 20)));
        }
        if let Some(remark) = line.strip_prefix('#') {
            comment = Some(remark.trim());
            continue;
        }
        // A line for spreadsheets, which says what columns are apart by.
        if let (None, None, Some(declaration)) = (&form, declared_separator, line.strip_prefix("sep=")) {
            declared_separator = declaration.chars().next();
            continue;
        }
        let Some(form) = &mut form else {
            let separator = declared_separator.unwrap_or_else(|| separator(line));
            let fields = fields(line, separator, number)?;
            let mut new = Form { separator, columns: fields.len(), scale: 1.0, place: 1, decimal: None };
            match new.number(&fields[0], number)? {
                Some(_) => {
                    match comment.and_then(|comment| names_in(comment, &new, number)) {
                        Some(names) => new.name(&names, fps, column)?,
                        None if column.is_some() => {
                            return Err(NAME.malformed("its first line does not name its columns"));
                        }
                        None => {}
                    }
                    points.push(new.point(&fields, number)?);
                }
                None => new.name(&fields, fps, column)?,
            }
            form = Some(new);
            continue;
        };
        let fields = fields(line, form.separator, number)?;
        let point = form.point(&fields, number)?;
        if points.last().is_some_and(|(before, _)| *before >= point.0) {
            return Err(NAME.malformed(format!("line {number} is not later than the one before")));
        }
        points.push(point);
        if points.len() > MAX_TRACK {
            return Err(Cause::Parts("frames", MAX_TRACK));
        }
    }
    match form {
        Some(form) if !points.is_empty() => Ok((points, form.scale)),
        _ => Err(NAME.malformed("it has no numbers")),
    }
}

/// The names of the columns in a comment before the first line, as NumPy writes them.
fn names_in(comment: &str, form: &Form, number: u64) -> Option<Vec<String>> {
    let names = fields(comment, form.separator, number).ok()?;
    let first = names.first().and_then(|name| frames(name, 1.0));
    (names.len() == form.columns && first.is_some()).then_some(names)
}

/// How the lines of a table are read.
struct Form {
    separator: char,
    /// Columns of the first line.
    columns: usize,
    /// Frames in a step of the first column.
    scale: f64,
    /// The column that is read.
    place: usize,
    /// What separates the decimals of a number, and the first line that has some.
    decimal: Option<(char, u64)>,
}

impl Form {
    /// Chooses the columns by the names in the first line.
    fn name(&mut self, names: &[String], fps: f64, column: Option<&str>) -> Result<(), Cause> {
        let (first, rest) = names.split_first().ok_or_else(|| NAME.malformed("it has no columns"))?;
        let unnamed = || match first.as_str() {
            "" => "its first column has no name".to_string(),
            name => format!("its first column is `{}`", name.chars().take(60).collect::<String>()),
        };
        self.scale = frames(first, fps)
            .ok_or_else(|| Cause::Unfit(unnamed().into(), "name it frame, or time for seconds, in the first line"))?;
        let found = match column {
            Some(column) => {
                let mut same_name = rest.iter().enumerate().filter(|(_, name)| *name == column).map(|(index, _)| index);
                let found = same_name.next();
                if same_name.next().is_some() {
                    return Err(NAME.malformed(format!("two of its columns are called `{column}`")));
                }
                found
            }
            None => Some(rest.iter().position(|name| frames(name, fps).is_none()).unwrap_or(0)),
        };
        self.place = 1 + found.ok_or_else(|| {
            let available: Vec<&str> = rest.iter().take(LISTED).map(String::as_str).collect();
            Cause::Column { wanted: column.unwrap_or_default().into(), available: available.join(", ").into() }
        })?;
        Ok(())
    }

    /// A frame and its value.
    fn point(&mut self, fields: &[String], line: u64) -> Result<(f64, f64), Cause> {
        // Spreadsheets end lines with empty columns.
        if let Some(more) = fields.get(self.columns..).filter(|more| more.iter().any(|field| !field.is_empty())) {
            let count = self.columns + more.len();
            return Err(
                NAME.malformed(format!("line {line} has {count} columns, and the first one has {}", self.columns))
            );
        }
        let few = || match self.columns {
            1 => NAME.malformed("its columns are not separated by commas, semicolons or tabs"),
            _ => NAME.malformed(format!("line {line} has too few columns")),
        };
        let value = fields.get(self.place).ok_or_else(few)?;
        let (at, value) = (self.number(fields.first().ok_or_else(few)?, line)?, self.number(value, line)?);
        match (at, value.filter(usable)) {
            (Some(at), Some(value)) => Ok((at * self.scale, value)),
            _ => Err(NAME.malformed(format!("line {line} has no number in one of its columns"))),
        }
    }

    /// A number, with a decimal comma where commas do not separate columns.
    ///
    /// # Errors
    /// Decimal points and commas in one table: one of them groups digits, and it cannot be told which.
    fn number(&mut self, field: &str, line: u64) -> Result<Option<f64>, Cause> {
        let comma = self.separator != ',' && field.contains(',');
        if comma && (field.contains('.') || field.matches(',').count() > 1) {
            return Ok(None);
        }
        let number = if comma { field.replace(',', ".").parse() } else { field.parse::<f64>() };
        let Some(number) = number.ok().filter(|number| number.is_finite()) else { return Ok(None) };
        let Some(decimal_mark) = field.chars().find(|c| matches!(c, '.' | ',')) else { return Ok(Some(number)) };
        let (first, before) = *self.decimal.get_or_insert((decimal_mark, line));
        if first != decimal_mark {
            return Err(NAME.malformed(format!(
                "line {before} has a decimal `{first}`, and line {line} a decimal `{decimal_mark}`"
            )));
        }
        Ok(Some(number))
    }
}

/// What the columns of a line are apart by.
fn separator(line: &str) -> char {
    let mut quoted = false;
    let outside = line.chars().filter(|c| {
        quoted ^= *c == '"';
        !quoted
    });
    let mut found = ',';
    for c in outside {
        match c {
            '\t' => return c,
            ';' => found = c,
            _ => {}
        }
    }
    found
}

/// The fields of a line without the space around them; at least one.
fn fields(line: &str, separator: char, number: u64) -> Result<Vec<String>, Cause> {
    let mut fields = Vec::new();
    let mut rest = line;
    loop {
        let start = rest.trim_start_matches(' ');
        let (field, after) = match start.strip_prefix('"') {
            Some(inner) => {
                quoted(inner).ok_or_else(|| NAME.malformed(format!("line {number} has a quote that does not end")))?
            }
            None => {
                let end = rest.find(separator).unwrap_or(rest.len());
                let (field, after) = rest.split_at(end);
                (field.trim().to_string(), after)
            }
        };
        fields.push(field);
        let after = after.trim_start_matches(' ');
        match after.strip_prefix(separator) {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(fields),
            None => return Err(NAME.malformed(format!("line {number} has text after a quote"))),
        }
    }
}

/// A field in quotes, after the first one, and what follows it. Two quotes are one of the text.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut field = String::new();
    let mut rest = text;
    loop {
        let (part, after) = rest.split_once('"')?;
        field.push_str(part);
        match after.strip_prefix('"') {
            Some(next) => {
                field.push('"');
                rest = next;
            }
            None => return Some((field.trim().to_string(), after)),
        }
    }
}

/// How many frames a step of a column of this name is: `frame`, or a time with or without its unit, such as `time [s]`, `t/ms` or
/// `seconds`. `None` for other names.
fn frames(name: &str, fps: f64) -> Option<f64> {
    let name = name.to_lowercase();
    let mut words = name.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let unit = |word: &str| UNITS.iter().find(|(name, _)| *name == word).map(|(_, length)| length * fps);
    let scale = match (words.next()?, words.next()) {
        ("frame" | "frames", None) => 1.0,
        ("time" | "t", None) => fps,
        ("time" | "t", Some("in")) => unit(words.next()?)?,
        ("time" | "t", Some(word)) => unit(word)?,
        (word, None) => unit(word)?,
        _ => return None,
    };
    words.next().is_none().then_some(scale)
}
