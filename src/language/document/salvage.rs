//! Recovers what is intact in a damaged or truncated graph file.
//!
//! The text is read part by part, and a part that parses by itself is kept. Otherwise it is opened, and its own parts
//! are tried. After damage, reading continues at the next line that begins a part with the same indentation, since a
//! saved file has one node a line. The kept parts form a text that parses.

use std::collections::BTreeSet;

use super::{Document, Expect, Group, Node, ReadError, Variant, kind, read};

/// Limit of nested groups that are opened; deeper ones are kept as a whole or not at all.
const DEPTH: usize = 16;
/// Limit of the bytes that are visited, as a multiple of the text's length. Otherwise brackets that never close would
/// take quadratic time.
const EFFORT_PER_BYTE: usize = 64;
/// Length of damaged text in a report \[characters\].
const SHOWN: usize = 40;

/// What could be recovered.
#[derive(Clone, Debug, PartialEq)]
pub struct Salvaged {
    /// The recovered document; `None` where no field and no node is intact.
    pub document: Option<Document>,
    /// What is missing: line and description, in the order of the text.
    pub lost: Vec<String>,
}

/// Recovers what is intact in the text of a graph file. An undamaged file is kept completely.
pub fn salvage(text: &str) -> Salvaged {
    let text = text.trim_start_matches('\u{feff}');
    let error = match read::document(text) {
        Ok(document) => return Salvaged { document: Some(document), lost: Vec::new() },
        Err(error) => error,
    };
    // Text may nest deeply, and the parser recurses.
    crate::threads::deep_stack(|| {
        let mut salvage =
            Salvage { text, lost: BTreeSet::new(), effort: EFFORT_PER_BYTE.saturating_mul(text.len()), depth: 0 };
        let mut kept = salvage.record(0, text.len(), &DOCUMENT, "").0;
        if !kept.iter().any(|(key, _)| key == "nodes") {
            // The line that begins the nodes may be damaged; their lines have been reported already.
            let reported_losses = salvage.lost.clone();
            let from = salvage.after_variants();
            let nodes = salvage.nodes(from, text.len(), "").0;
            salvage.lost = reported_losses;
            if let Some(nodes) = nodes {
                kept.push(("nodes".into(), nodes));
            }
        }
        let document = read::document(&joined(&kept)).ok().filter(|_| !kept.is_empty());
        let mut lost: Vec<String> =
            salvage.lost.into_iter().map(|(line, what)| format!("line {line}: {what}")).collect();
        if lost.is_empty() {
            // Every part is intact, for example where only the last bracket is missing.
            lost.push(error.to_string());
        }
        Salvaged { document, lost }
    })
}

/// Fields that are kept, with the text of their values.
type Kept = Vec<(String, String)>;

fn joined(kept: &[(String, String)]) -> String {
    let fields: Vec<String> = kept.iter().map(|(key, value)| format!("{key}: {value}")).collect();
    format!("({})", fields.join(",\n"))
}

/// A record of the format: its fields, and its parser.
struct Record {
    fields: &'static [&'static str],
    read: fn(&str) -> Result<(), String>,
}

const DOCUMENT: Record = Record { fields: read::DOCUMENT_FIELDS, read: |text| reads(read::document(text)) };
const NODE: Record = Record { fields: read::NODE_FIELDS, read: |text| reads(read::part::<Node>(text)) };
const GROUP: Record = Record { fields: read::GROUP_FIELDS, read: |text| reads(read::part::<Group>(text)) };

/// Whether a part parses. The error's position inside the part is dropped.
fn reads<T>(result: Result<T, ReadError>) -> Result<(), String> {
    result.map(drop).map_err(|error| match error {
        ReadError::Syntax { message, .. } => message,
        ReadError::TooNew(_) => error.to_string(),
    })
}

/// How the parts of a level begin.
#[derive(Clone, Copy)]
enum Keys {
    /// `name:`; after damage only these names count, since shader text has similar lines.
    Fields(&'static [&'static str]),
    /// `"name": (`
    Names,
}

/// A part of a level: where its key and its value begin, where the value ends if that is known, and where it must end,
/// because the next part begins there.
struct Part {
    key: String,
    start: usize,
    from: usize,
    end: Option<usize>,
    bound: usize,
}

struct Salvage<'t> {
    text: &'t str,
    lost: BTreeSet<(usize, String)>,
    effort: usize,
    depth: usize,
}

impl Salvage<'_> {
    /// The fields of a record that can be kept, and where the record ends. `path` is the node that contains them.
    fn record(&mut self, from: usize, limit: usize, record: &Record, path: &str) -> (Kept, usize) {
        let mut kept = Kept::new();
        let mut at = self.opened(from, limit);
        let mut indent = None;
        while let Some(part) = self.part(&mut at, limit, Keys::Fields(record.fields), &mut indent) {
            if let Err(cause) = self.field(&mut kept, &mut at, limit, record, path, &part) {
                let of = if path.is_empty() { String::new() } else { format!(" of node `{path}`") };
                self.lose(part.start, format!("`{}`{of}: {cause}", part.key));
            }
        }
        (kept, at)
    }

    /// Keeps one field, as a whole or opened, and sets `at` to the beginning of the next.
    fn field(
        &mut self,
        kept: &mut Kept,
        at: &mut usize,
        limit: usize,
        record: &Record,
        path: &str,
        part: &Part,
    ) -> Result<(), String> {
        let mut keep = |value: String| {
            if kept.iter().any(|(key, _)| *key == part.key) {
                return Err("it is given twice".to_string());
            }
            kept.push((part.key.clone(), value));
            (record.read)(&joined(kept)).inspect_err(|_| drop(kept.pop()))
        };
        let cause = match part.end.and_then(|end| self.text.get(part.from..end)) {
            Some(whole) => match keep(whole.to_string()) {
                Ok(()) => {
                    *at = part.end.unwrap_or(part.bound);
                    return Ok(());
                }
                Err(cause) => cause,
            },
            None => "it is not closed".into(),
        };
        *at = part.bound;
        match part.key.as_str() {
            "nodes" => {
                let (nodes, end) = self.nodes(part.from, limit, path);
                *at = end;
                nodes.map_or(Err(cause), keep)
            }
            "expect" if path.is_empty() => keep(self.expectations(part.from, part.bound)),
            "variants" if path.is_empty() => keep(self.variants(part.from, part.bound)),
            "group" if self.depth < DEPTH => {
                self.depth += 1;
                let (group, end) = self.record(part.from, limit, &GROUP, path);
                self.depth -= 1;
                *at = end;
                keep(joined(&group))
            }
            _ => Err(cause),
        }
    }

    /// The expectations of a list that can be kept; each is one value in brackets.
    fn expectations(&mut self, from: usize, limit: usize) -> String {
        let mut kept = Vec::new();
        let mut at = self.opened(from, limit);
        loop {
            at = self.skip(at, limit);
            if !self.text.get(at..limit).is_some_and(|rest| rest.starts_with('(')) {
                break;
            }
            let end = self.end(at, limit);
            let whole = end.and_then(|end| self.text.get(at..end)).map(str::trim);
            match whole.ok_or("it is not closed".to_string()).and_then(|text| {
                reads(read::part::<Expect>(text))?;
                Ok(text)
            }) {
                Ok(text) => kept.push(text.to_string()),
                Err(cause) => self.lose(at, format!("an expectation: {cause}")),
            }
            // After damage: the next line that begins an expectation.
            let rest = self.text.get(at..limit).unwrap_or("");
            let lines = rest.match_indices('\n').map(|(line, _)| at + line + 1);
            let begins = |line: &usize| self.text.get(*line..limit).is_some_and(|l| l.trim_start().starts_with('('));
            match end.or_else(|| lines.into_iter().find(begins)) {
                Some(next) => at = next,
                None => break,
            }
        }
        format!("[{}]", kept.join(", "))
    }

    /// The variants of a map that can be kept.
    fn variants(&mut self, from: usize, limit: usize) -> String {
        let mut kept = String::new();
        let mut at = self.opened(from, limit);
        let mut indent = None;
        while let Some(part) = self.part(&mut at, limit, Keys::Names, &mut indent) {
            let whole = part.end.and_then(|end| self.text.get(part.from..end)).map(str::to_string);
            at = part.end.unwrap_or(part.bound);
            match whole.filter(|text| read::part::<Variant>(text).is_ok()) {
                Some(text) => kept.push_str(&format!("{:?}: {text},\n", part.key)),
                None => self.lose(part.start, format!("variant `{}`", part.key)),
            }
        }
        format!("{{{kept}}}")
    }

    /// Position where the variants end, whose names could be taken for those of nodes; 0 where there are none.
    fn after_variants(&mut self) -> usize {
        const START: &str = "\n    variants: ";
        let start = self.text.find(START).map(|at| at + START.len());
        start.and_then(|from| self.end(from, self.text.len())).unwrap_or(0)
    }

    /// The nodes of a map that can be kept, if there are any, and where the map ends.
    fn nodes(&mut self, from: usize, limit: usize, path: &str) -> (Option<String>, usize) {
        let mut kept = String::new();
        let mut names = BTreeSet::new();
        let mut at = self.opened(from, limit);
        let mut indent = None;
        while let Some(part) = self.part(&mut at, limit, Keys::Names, &mut indent) {
            let name = if path.is_empty() { part.key.clone() } else { format!("{path}/{}", part.key) };
            let whole = part.end.and_then(|end| self.text.get(part.from..end)).map(str::to_string);
            let whole = whole.filter(|node| (NODE.read)(node).is_ok());
            at = if whole.is_some() { part.end.unwrap_or(part.bound) } else { part.bound };
            if names.contains(&part.key) {
                self.lose(part.start, format!("node `{name}`: it is given twice"));
                continue;
            }
            let node = whole.or_else(|| {
                let fields = self.record(part.from, part.bound, &NODE, &name).0;
                let kind = fields.iter().any(|(key, _)| kind::is_field(key));
                kind.then(|| joined(&fields))
            });
            match node {
                Some(node) => {
                    kept.push_str(&format!("{:?}: {node},\n", part.key));
                    names.insert(part.key);
                }
                None => self.lose(part.start, format!("node `{name}`")),
            }
        }
        ((!kept.is_empty()).then(|| format!("{{{kept}}}")), at)
    }

    /// The next part of a level; `None` at its end, with `at` after it.
    fn part(&mut self, at: &mut usize, limit: usize, keys: Keys, indent: &mut Option<usize>) -> Option<Part> {
        loop {
            *at = self.skip(*at, limit);
            let first = self.text.get(*at..limit)?.chars().next()?;
            if let Some((key, from)) = self.key(*at, limit, keys) {
                let start = *at;
                *indent = indent.or_else(|| self.indent(start));
                let end = self.end(from, limit);
                let next = indent.and_then(|indent| self.line(start, limit, Some(indent), keys)).unwrap_or(limit);
                let bound = end.map_or(next, |end| end.min(next));
                return Some(Part { key, start, from, end, bound });
            }
            let closes = matches!(first, ')' | ']' | '}');
            let next = self.line(*at, limit, *indent, keys);
            if next.is_none() && closes {
                *at += first.len_utf8();
                return None;
            }
            let rest = self.text.get(*at..next.unwrap_or(limit)).and_then(|rest| rest.lines().next()).unwrap_or("");
            let more = if rest.chars().count() > SHOWN { "…" } else { "" };
            let shown: String = rest.chars().take(SHOWN).collect();
            self.lose(*at, format!("`{}{more}` is not part of a graph", shown.trim_end()));
            *at = next.unwrap_or(limit);
        }
    }

    fn lose(&mut self, at: usize, what: String) {
        let line = self.text.get(..at).map_or(0, |before| before.matches('\n').count()) + 1;
        self.lost.insert((line, what));
    }

    /// The position after the bracket that a value begins with.
    fn opened(&mut self, from: usize, limit: usize) -> usize {
        let at = self.skip(from, limit);
        at + usize::from(matches!(self.text.as_bytes().get(at), Some(b'(' | b'{' | b'[')))
    }

    /// The position after spaces, commas and comments.
    fn skip(&self, from: usize, limit: usize) -> usize {
        let mut at = from;
        while let Some(rest) = self.text.get(at..limit) {
            let plain = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
            at += rest.len() - plain.len();
            let comment = comment(plain);
            if comment == 0 {
                break;
            }
            at += comment;
        }
        at
    }

    /// The key at a position, and where its value begins.
    fn key(&self, at: usize, limit: usize, keys: Keys) -> Option<(String, usize)> {
        let rest = self.text.get(at..limit)?;
        let (key, length) = match keys {
            Keys::Fields(_) => {
                let length = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
                (rest.get(..length).filter(|name| !name.is_empty())?.to_string(), length)
            }
            Keys::Names => {
                let length = string(rest)?;
                (ron::from_str(rest.get(..length)?).ok()?, length)
            }
        };
        let after = rest.get(length..)?;
        let value = after.trim_start().strip_prefix(':')?.trim_start();
        if matches!(keys, Keys::Names) && !value.starts_with('(') {
            return None;
        }
        Some((key, limit - value.len()))
    }

    /// Position where the value that begins at `from` ends; `None` where brackets do not match or the text ends inside it.
    fn end(&mut self, from: usize, limit: usize) -> Option<usize> {
        let rest = self.text.get(from..limit)?;
        let mut open = Vec::new();
        let mut at = 0;
        while let Some(c) = rest.get(at..).and_then(|rest| rest.chars().next()) {
            self.effort = self.effort.checked_sub(1)?;
            let here = rest.get(at..)?;
            at += match c {
                '"' => string(here)?,
                'r' if here.starts_with("r#") || here.starts_with("r\"") => raw_string(here)?,
                '/' => comment(here).max(1),
                ',' if open.is_empty() => return Some(from + at),
                '(' | '[' | '{' => {
                    open.push(c);
                    1
                }
                ')' | ']' | '}' => match (open.pop(), c) {
                    (None, _) => return Some(from + at),
                    (Some('('), ')') | (Some('['), ']') | (Some('{'), '}') => 1,
                    _ => return None,
                },
                c => c.len_utf8(),
            };
        }
        None
    }

    /// The indentation of a position, if only spaces precede it on its line.
    fn indent(&self, at: usize) -> Option<usize> {
        let before = self.text.get(..at)?;
        let line = before.rsplit('\n').next()?;
        line.trim_start().is_empty().then_some(line.len())
    }

    /// The next line after `from` that begins a part, with this indentation if it is known.
    fn line(&mut self, from: usize, limit: usize, indent: Option<usize>, keys: Keys) -> Option<usize> {
        let mut at = from;
        for line in self.text.get(from..limit)?.split_inclusive('\n') {
            self.effort = self.effort.checked_sub(1)?;
            let spaces = line.len() - line.trim_start().len();
            let place = at + spaces;
            let fits = at > from && indent.is_none_or(|indent| spaces == indent);
            if fits && let Some((key, _)) = self.key(place, limit, keys) {
                match keys {
                    Keys::Fields(names) if !names.contains(&key.as_str()) => {}
                    _ => return Some(place),
                }
            }
            at += line.len();
        }
        None
    }
}

/// Length of a quoted string that begins here \[bytes\]; it may span lines.
fn string(text: &str) -> Option<usize> {
    let inner = text.strip_prefix('"')?;
    let mut escaped = false;
    let end = inner.find(|c| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    })?;
    Some(end + 2)
}

/// Length of a raw string `r#"..."#` \[bytes\]; 1 where no quote follows.
fn raw_string(text: &str) -> Option<usize> {
    let after = text.strip_prefix('r')?;
    let inner = after.trim_start_matches('#');
    let hashes = after.len() - inner.len();
    let Some(inner) = inner.strip_prefix('"') else { return Some(1) };
    let close = format!("\"{}", "#".repeat(hashes));
    inner.find(&close).map(|end| 1 + hashes + 1 + end + close.len())
}

/// Length of a comment that begins here \[bytes\]; 0 if none does.
fn comment(text: &str) -> usize {
    if text.starts_with("//") {
        text.find('\n').unwrap_or(text.len())
    } else if text.starts_with("/*") {
        text.find("*/").map_or(text.len(), |end| end + 2)
    } else {
        0
    }
}
