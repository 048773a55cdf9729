//! What the manual's tables say about the words of the stage language.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::documents::{LANGUAGE, document};
use super::markdown::{Block, Span, anchor, blocks, plain};
use crate::toolkit::completion::{name, of_name};

/// A row of a table of the manual.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The word as it is written, a function with its arguments.
    pub usage: String,
    /// The other cells of the row.
    pub text: String,
    /// The heading above the table, as links name it.
    pub anchor: String,
}

/// Sections about the header; the words of the others stand in the text below it.
const HEADER: [&str; 4] = ["header", "options", "types", "edge-rules"];

/// By whether the word stands in the header, and by its name.
static ENTRIES: LazyLock<HashMap<(bool, String), Entry>> = LazyLock::new(|| {
    let mut found = HashMap::new();
    let mut above = String::new();
    for block in blocks(document(LANGUAGE).unwrap_or_default()) {
        match block {
            Block::Heading(_, title) => above = anchor(&title),
            Block::Table(rows) => rows.iter().for_each(|row| of_row(row, &above, &mut found)),
            _ => {}
        }
    }
    found
});

/// A row is about the words in its first cell that has any and no more than words: `a`, or `a`, `b`.
fn of_row(row: &[Vec<Span>], above: &str, found: &mut HashMap<(bool, String), Entry>) {
    let is_code = |span: &&Span| span.code;
    let header = HEADER.contains(&above);
    // A table of accessors begins with the kind of port.
    let of_ports = row.len() > 2 && !header;
    let subject = usize::from(of_ports);
    let rest = row.iter().skip(subject + 1).map(|cell| plain(cell)).filter(|text| !text.is_empty());
    let text = rest.collect::<Vec<String>>().join(": ");
    let mut owner = String::new();
    for span in row.get(subject).into_iter().flatten().filter(is_code) {
        // In a list of members the first names their owner: `frame.time`, `.dt`.
        let mut usage = span.text.clone();
        if usage.starts_with('.') {
            usage = format!("{owner}{usage}");
        } else if let Some((before, _)) = usage.split_once('.') {
            owner = before.to_string();
        }
        let key = key(&usage);
        if !key.is_empty() {
            let entry = Entry { usage, text: text.clone(), anchor: above.to_string() };
            found.entry((header, key)).or_insert(entry);
        }
    }
}

/// The name in a usage: `@in` of `@in x: TYPE`, `bin` of `bin(position)`, `frame.time` of itself, `neighbors` of
/// `var near = neighbors(position)`, `radius` of `radius N`.
fn key(usage: &str) -> String {
    let usage = usage.strip_prefix("var near = ").or_else(|| usage.strip_prefix("while (")).unwrap_or(usage);
    let first = name(usage).split([' ', ':']).next().unwrap_or_default();
    let bare = first.strip_prefix('@').unwrap_or(first);
    let is_name = !bare.is_empty() && bare.chars().all(|c| of_name(c) || c == '.');
    if is_name && bare.starts_with(|c: char| c.is_ascii_alphabetic()) { first.to_string() } else { String::new() }
}

/// What the manual says about a word in the header or below it: `@in`, `displacement`, `frame.time`; for an accessor with the
/// port's name that the manual uses, `x_at`.
pub(crate) fn entry(word: &str, header: bool) -> Option<&'static Entry> {
    ENTRIES.get(&(header, word.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::language::{Kind, words};

    #[test]
    fn the_words_of_the_language_are_found_in_the_manual() {
        let missing = |kind: Kind, header: bool| -> Vec<&str> {
            words(kind).filter(|word| entry(word, header).is_none_or(|entry| entry.text.is_empty())).collect()
        };
        for kind in [Kind::Function, Kind::Constant, Kind::Counter] {
            assert_eq!(missing(kind, false), Vec::<&str>::new(), "{kind:?}");
        }
        assert_eq!(missing(Kind::PortType, true), Vec::<&str>::new());
        assert_eq!(missing(Kind::EdgeRule, true), Vec::<&str>::new());
        assert_eq!(missing(Kind::Option, true), Vec::<&str>::new());
        let directives: Vec<&str> =
            words(Kind::Directive).filter(|word| entry(&format!("@{word}"), true).is_none()).collect();
        assert_eq!(directives, Vec::<&str>::new());
        let members: Vec<&str> =
            words(Kind::Member("frame")).filter(|word| entry(&format!("frame.{word}"), false).is_none()).collect();
        assert_eq!(members, Vec::<&str>::new());
    }

    #[test]
    fn an_entry_says_what_the_word_is_and_where_it_stands() {
        let bin = entry("bin", false).unwrap();
        assert_eq!((bin.usage.as_str(), bin.anchor.as_str()), ("bin(position)", "particles"));
        assert!(bin.text.starts_with("the cell that contains a position"), "{}", bin.text);
        assert_eq!(entry("frame.dt", false).unwrap().usage, "frame.dt");
        assert!(entry("x_at", false).unwrap().text.starts_with("linear interpolation"));
        assert_eq!(entry("clamp", true).unwrap().text, "the nearest cell");
        assert_eq!(entry("clamp", false), None);
    }
}
