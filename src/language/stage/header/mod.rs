//! Parses the `//!` header of a stage file. The grammar is in `docs/stage_language.md`.

mod grammar;
mod handle;
mod model;
mod names;
mod param;
mod port;

use super::language;
pub use grammar::split_commas;
pub use handle::{Handle, Role};
pub use model::{
    Change, Direction, Header, HeaderError, Param, ParamType, Port, Radius, Range, Reduction, Scatter, Use,
};

/// Parses the header; returns all errors, not only the first.
pub fn parse(source: &str) -> Result<Header, Vec<HeaderError>> {
    let (header, errors) = read(source);
    if errors.is_empty() { Ok(header) } else { Err(errors) }
}

/// Parses the header of a shared file, which declares no ports and no parameters.
pub(super) fn parse_shared(source: &str) -> Result<Header, Vec<HeaderError>> {
    let (header, errors) = lines(source, true);
    if errors.is_empty() { Ok(header) } else { Err(errors) }
}

/// The declarations of valid lines, and the errors of the others.
pub fn read(source: &str) -> (Header, Vec<HeaderError>) {
    let (header, mut errors) = lines(source, false);
    errors.extend(names::check(&header));
    (header, errors)
}

/// The declarations of valid lines, and the errors of others, without the problems between declarations. `shared`: of a shared file.
fn lines(source: &str, shared: bool) -> (Header, Vec<HeaderError>) {
    let mut header = Header::default();
    let mut errors = Vec::new();
    for (index, raw) in source.lines().enumerate() {
        let Some(text) = raw.trim_start().strip_prefix("//!") else {
            if raw.trim().is_empty() {
                continue;
            }
            break;
        };
        let text = text.trim();
        let column = raw.find(text).map_or(1, |byte| raw[..byte].chars().count() + 1);
        if let Err(message) = line(&mut header, text, (index + 1, column), shared) {
            errors.push(HeaderError { line: index + 1, message });
        }
    }
    if header.title.is_empty() {
        let what = if shared { "file" } else { "stage" };
        let message = format!("the header has no title; begin the file with `//! Title of the {what}`");
        errors.insert(0, HeaderError { line: 1, message });
    }
    (header, errors)
}

/// The most iterations that a stage may suggest.
const USUAL_ITERATIONS: u32 = 1000;

/// Reads a line of a header. `column`: of its text.
fn line(header: &mut Header, text: &str, (line, column): (usize, usize), shared: bool) -> Result<(), String> {
    let Some(declaration) = text.strip_prefix('@') else {
        if header.title.is_empty() {
            header.title = text.to_string();
        } else if let Some(source) = text.strip_prefix("Source:") {
            header.source.push(source.trim().to_string());
        } else if let Some(words) = text.strip_prefix("Keywords:") {
            header.keywords.extend(words.split(',').map(|word| word.trim().to_string()));
        } else if !text.is_empty() {
            header.doc.push(text.to_string());
        }
        return Ok(());
    };
    let (word, rest) = declaration.split_once(char::is_whitespace).unwrap_or((declaration, ""));
    let rest = rest.trim();
    match word {
        "use" => {
            let used = used_file(rest)?;
            if let Some(first) = header.uses.iter().find(|other| other.name == used) {
                return Err(format!("`{used}` is used twice (first on line {})", first.line));
            }
            let before = text.chars().count() - text.find(used).map_or(0, |byte| text[byte..].chars().count());
            header.uses.push(Use { name: used.to_string(), line, column: column + before });
        }
        _ if shared && language::is(word, language::Kind::Directive) => {
            let cause =
                format!("`@{word}`: a file without `fn stage` is shared by stages and declares no ports or parameters");
            return Err(format!("{cause}; remove the line, or add `fn stage`"));
        }
        "in" => header.ports.push(port::parse(Direction::In, rest, line)?),
        "out" => header.ports.push(port::parse(Direction::Out, rest, line)?),
        "inout" => header.ports.push(port::parse(Direction::InOut, rest, line)?),
        "param" => header.params.push(param::parse(rest, line)?),
        "over" => match rest.split_whitespace().next() {
            Some("once") => header.once = true,
            Some(name) => header.over = Some(name.to_string()),
            None => return Err("`@over` needs `once` or the name of a port".into()),
        },
        "sweep" => match rest.split_whitespace().next() {
            Some("checkerboard") => header.checkerboard = true,
            _ => return Err("`@sweep` knows only `checkerboard`".into()),
        },
        "iterations" => {
            let count = rest.split_whitespace().next().unwrap_or_default();
            let usual = count.parse().ok().filter(|usual| (2..=USUAL_ITERATIONS).contains(usual));
            let wrong = || {
                format!(
                    "`@iterations {count}` is no number from 2 to {USUAL_ITERATIONS}; give how often a frame usually needs the stage"
                )
            };
            header.iterations = Some(usual.ok_or_else(wrong)?);
        }
        _ => return Err(format!("unknown key `@{word}`; use {}", language::directives())),
    }
    Ok(())
}

/// The name after `@use`; two spaces separate documentation from it.
fn used_file(rest: &str) -> Result<&str, String> {
    let name = rest.split("  ").next().unwrap_or_default();
    if name.is_empty() || name.contains([' ', '\t', ',', ';', '"', '`']) {
        return Err("`@use` needs the name of one file, such as `//! @use shared/hash`".into());
    }
    Ok(name)
}
