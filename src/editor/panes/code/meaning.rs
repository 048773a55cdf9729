//! What a word of a stage's text means and where it is declared: a port, a parameter, a name of the text's own, or a word of the
//! language.

use super::complete::header_line;
use crate::library::Library;
use crate::panes::help::words::{Entry, entry};
use crate::problem::SourcePlace;
use crate::stage::accessors;
use crate::stage::header::{self, Header, Port};
use crate::stage::language::{Kind, WGSL_FUNCTIONS, is};
use crate::stage::syntax::{Token, functions, module_names, text, tokens};
use crate::stage::types::PortType;
use crate::toolkit::completion::{name, of_name};

/// Where a word leads.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Declared {
    /// In this text \[characters\].
    Here(usize),
    /// In the manual, by the heading.
    Manual(String),
    /// In a shared file, by its name.
    Shared(String, SourcePlace),
}

/// A word explained.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Meaning {
    /// The word as it is written or declared.
    pub usage: String,
    /// Description of the word; may be empty.
    pub text: String,
    pub declared: Option<Declared>,
}

impl Meaning {
    fn of(entry: &Entry) -> Meaning {
        let declared = Some(Declared::Manual(entry.anchor.clone()));
        Meaning { usage: entry.usage.clone(), text: entry.text.clone(), declared }
    }
}

/// The word at a place, counted in characters, if it has a meaning that is known.
/// `library`: holds what the text may use.
pub(super) fn meaning(source: &str, at: usize, library: &Library) -> Option<Meaning> {
    let at = source.char_indices().nth(at).map_or(source.len(), |(byte, _)| byte);
    let (before, after) = source.split_at_checked(at)?;
    let start = before.trim_end_matches(of_name).len();
    let end = at + after.len() - after.trim_start_matches(of_name).len();
    let word = source.get(start..end).filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_'))?;
    let so_far = source.get(..start)?;
    let (header, _) = header::read(source);
    match header_line(so_far) {
        Some(line) => used(&header, so_far, word, library).or_else(|| in_header(line, word)),
        None => {
            let text = Text { source, header: &header, tokens: &tokens(source) };
            text.meaning(word, start, || shared(word, &header, library))
        }
    }
}

/// A part of the name of a file that the header uses.
fn used(header: &Header, so_far: &str, word: &str, library: &Library) -> Option<Meaning> {
    let line = so_far.matches('\n').count() + 1;
    let used = header.uses.iter().find(|used| used.line == line && used.name.split('/').any(|part| part == word))?;
    let file = library.shared(&used.name);
    let title = file.map_or_else(|| "No valid file of this name".to_string(), |file| file.header.title.clone());
    let declared = library.is_shared(&used.name);
    let declared = declared.then(|| Declared::Shared(used.name.clone(), SourcePlace { line: 1, column: 1 }));
    Some(Meaning { usage: used.name.clone(), text: title, declared })
}

/// What a file declares that the header uses.
fn shared(word: &str, header: &Header, library: &Library) -> Option<Meaning> {
    let files = library.used_by(header);
    let file = files.iter().find(|file| file.declared().any(|name| name == word))?;
    let (line, column) = file.declaration(word)?;
    let text = Text { source: &file.source, header: &file.header, tokens: &tokens(&file.source) };
    let declared = Some(Declared::Shared(file.name.clone(), SourcePlace { line, column }));
    Some(Meaning { declared, ..text.module(word)? })
}

/// Directives and what follows the first colon; before it stand names, and after two blanks the documentation.
fn in_header(line: &str, word: &str) -> Option<Meaning> {
    let declaration = line.trim_start().strip_prefix('@')?;
    if declaration.is_empty() {
        return entry(&format!("@{word}"), true).map(Meaning::of);
    }
    let (_, spec) = declaration.split_once([':', ' '])?;
    (!spec.trim_start().contains("  ")).then(|| entry(word, true).map(Meaning::of))?
}

/// A stage's text.
struct Text<'a> {
    source: &'a str,
    header: &'a Header,
    tokens: &'a [Token<'a>],
}

impl Text<'_> {
    /// `start` is the word's first byte.
    /// `shared`: what a file that the text uses declares.
    fn meaning(&self, word: &str, start: usize, shared: impl FnOnce() -> Option<Meaning>) -> Option<Meaning> {
        // A word in a comment is no token.
        let at = self.tokens.iter().position(|token| token.start == start && token.text == word)?;
        let before = |steps: usize| at.checked_sub(steps).map_or("", |at| text(self.tokens, at));
        if before(1) == "." {
            return match before(2) {
                "params" => self.param(word),
                owner => entry(&format!("{owner}.{word}"), false).map(Meaning::of),
            };
        }
        let declared_here = || self.local(word, at).or_else(|| self.module(word));
        let drawn = || self.header.params.iter().any(|param| param.ty.returns().is_some() && param.name == word);
        declared_here()
            .or_else(shared)
            .or_else(|| self.accessor(word))
            .or_else(|| drawn().then(|| self.param(word))?)
            .or_else(|| entry(word, false).map(Meaning::of))
            .or_else(|| entry(word, true).filter(|_| is(word, Kind::ValueType)).map(Meaning::of))
            .or_else(|| {
                let usage = WGSL_FUNCTIONS.iter().find(|usage| name(usage) == word)?;
                Some(Meaning { usage: usage.to_string(), text: "a function of WGSL".into(), declared: None })
            })
    }

    fn here(&self, byte: usize) -> Option<Declared> {
        Some(Declared::Here(self.source.get(..byte)?.chars().count()))
    }

    /// The line of a declaration in the header without its `//!`, and where its name begins.
    fn declaration(&self, directives: &[&str], name: &str) -> Option<(&str, usize)> {
        let mut begin = 0;
        for line in self.source.split_inclusive('\n') {
            let declared = line.trim_start().strip_prefix("//!").map(str::trim_start).and_then(|declaration| {
                let (directive, rest) = declaration.split_once(char::is_whitespace)?;
                let rest = rest.trim_start();
                let end = rest.strip_prefix(name)?.trim_start().starts_with(':');
                let at = begin + line.len() - rest.len();
                (end && directives.contains(&directive)).then_some((declaration.trim_end(), at))
            });
            if declared.is_some() {
                return declared;
            }
            begin += line.len();
        }
        None
    }

    fn param(&self, name: &str) -> Option<Meaning> {
        let param = self.header.params.iter().find(|param| param.name == name)?;
        let (line, at) = self.declaration(&["@param"], name)?;
        // Two blanks begin the documentation.
        let usage = line.split("  ").next().unwrap_or(line);
        Some(Meaning { usage: usage.into(), text: param.doc.clone(), declared: self.here(at) })
    }

    /// A function or a constant that is generated for a port.
    fn accessor(&self, word: &str) -> Option<Meaning> {
        let port = self.header.ports.iter().find(|port| accessors::is_accessor(port, word))?;
        let usage = accessors::usages(port).into_iter().find(|usage| name(usage) == word)?;
        let (line, at) = self.declaration(&["@in", "@out", "@inout"], &port.name)?;
        let manual = entry(&in_manual(port, word), false).map_or(String::new(), |entry| format!("{}\n", entry.text));
        Some(Meaning { usage, text: format!("{manual}{line}"), declared: self.here(at) })
    }

    /// What the text declares at module scope, with the comment above it.
    fn module(&self, word: &str) -> Option<Meaning> {
        let token = module_names(self.tokens).into_iter().find(|token| token.text == word)?;
        let begin = self.source.get(..token.start)?.rfind('\n').map_or(0, |at| at + 1);
        let line = self.source.get(begin..)?.lines().next()?;
        let comment: Vec<&str> = {
            let above = self.source.get(..begin)?.lines().rev().map(str::trim);
            let mut lines: Vec<&str> = above
                .map_while(|line| {
                    line.strip_prefix("///").or_else(|| line.strip_prefix("//")).filter(|_| !line.starts_with("//!"))
                })
                .collect();
            lines.reverse();
            lines
        };
        let usage = line.split('{').next().unwrap_or(line).trim_end().trim_end_matches(';');
        let text = comment.iter().map(|line| line.trim()).collect::<Vec<&str>>().join(" ");
        Some(Meaning { usage: usage.trim().into(), text, declared: self.here(token.start) })
    }

    /// An argument or a variable of the function around the word.
    fn local(&self, word: &str, at: usize) -> Option<Meaning> {
        let functions = functions(self.tokens);
        let around = functions.iter().find(|function| function.arguments.start <= at && at < function.body.end)?;
        let named = |at: &usize| text(self.tokens, *at) == word;
        let declares = |at: &usize| matches!(text(self.tokens, at.wrapping_sub(1)), "let" | "var" | "const");
        let inside = around.body.start.min(at)..=at;
        let of_argument = |at: &usize| named(at) && text(self.tokens, at + 1) == ":";
        let found = inside.rev().find(|at| named(at) && declares(at));
        let (first, end) = match found {
            Some(name) => {
                let end = (name..around.body.end).find(|at| text(self.tokens, *at) == ";")?;
                (name - 1, end)
            }
            None => {
                let name = around.arguments.clone().find(of_argument)?;
                let end = (name..around.arguments.end).find(|at| text(self.tokens, *at) == ",");
                (name, end.unwrap_or(around.arguments.end))
            }
        };
        let name = if found.is_some() { first + 1 } else { first };
        let bytes = self.tokens.get(first)?.start..self.tokens.get(end)?.start;
        let usage = self.source.get(bytes)?.split_whitespace().collect::<Vec<&str>>().join(" ");
        let text = if usage.contains(" = ") { "" } else { "an argument of the function" };
        Some(Meaning { usage, text: text.into(), declared: self.here(self.tokens.get(name)?.start) })
    }
}

/// An accessor by the name that it has in the manual: `x_at` for `velocity_at`.
fn in_manual(port: &Port, word: &str) -> String {
    let stands = match port.ty {
        PortType::NeighborGrid => "neighbors",
        PortType::Particles => "particles",
        _ => "x",
    };
    word.replacen(&port.name, stands, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "//! Fade
//! @inout field: Grid<T>     What fades
//! @in wind: FaceGrid
//! @in near: NeighborGrid
//! @param rate: f32 = 1, 0..  How fast [1/s]

/// Twice a number.
fn twice(a: f32) -> f32 { return 2.0 * a; }

fn stage(cell: Cell) -> T {
    let half = 0.5 * params.rate;
    return field(cell) * twice(exp(-half * frame.dt)) * wind_face(cell, 0); // field
}
";

    fn meaning_of(word: &str) -> Option<Meaning> {
        // `|` marks the place.
        let (before, after) = word.split_once('|').unwrap();
        let byte = SOURCE.rfind(&format!("{before}{after}")).unwrap() + before.len();
        meaning(SOURCE, SOURCE[..byte].chars().count(), Library::builtin())
    }

    fn declared_at(word: &str) -> String {
        let Some(Declared::Here(at)) = meaning_of(word).unwrap().declared else { panic!("{word}") };
        let rest: String = SOURCE.chars().skip(at).collect();
        rest.split_inclusive(|c: char| !of_name(c)).next().unwrap().to_string()
    }

    #[test]
    fn words_of_the_text_are_explained_and_lead_to_their_declarations() {
        let rate = meaning_of("params.ra|te").unwrap();
        assert_eq!((rate.usage.as_str(), rate.text.as_str()), ("@param rate: f32 = 1, 0..", "How fast [1/s]"));
        assert_eq!(declared_at("params.ra|te"), "rate:");
        let field = meaning_of("return fie|ld(cell)").unwrap();
        assert_eq!(field.usage, "field(cell)");
        assert!(field.text.starts_with("value at a cell"), "{}", field.text);
        assert!(field.text.ends_with("@inout field: Grid<T>     What fades"), "{}", field.text);
        assert_eq!(declared_at("return fie|ld(cell)"), "field:");
        assert_eq!(meaning_of("wind_|face").unwrap().usage, "wind_face(cell, face)");
        assert_eq!(declared_at("wind_|face"), "wind:");
        let twice = meaning_of("* twi|ce(exp").unwrap();
        assert_eq!((twice.usage.as_str(), twice.text.as_str()), ("fn twice(a: f32) -> f32", "Twice a number."));
        assert_eq!(declared_at("* twi|ce(exp"), "twice(");
        assert_eq!(meaning_of("exp(-ha|lf").unwrap().usage, "let half = 0.5 * params.rate");
        assert_eq!(declared_at("exp(-ha|lf"), "half ");
        assert_eq!(meaning_of("2.0 * |a;").unwrap().usage, "a: f32");
        assert_eq!(meaning_of("e|xp(-half").unwrap().text, "a function of WGSL");
    }

    #[test]
    fn what_is_used_leads_to_its_file() {
        let mut library = Library::builtin().clone();
        library.add_stage("own/hash", "//! Hash\n\n// Bits.\nfn pcg(v: u32) -> u32 { return v; }\n");
        let source = "//! Fade\n//! @use own/hash\n//! @out x: Grid<f32>\nfn stage(cell: Cell) -> f32 { return f32(pcg(1u)); }\n";
        let meaning_of = |word: &str| meaning(source, source.find(word).unwrap() + 1, &library).unwrap();
        let file = meaning_of("hash");
        assert_eq!((file.usage.as_str(), file.text.as_str()), ("own/hash", "Hash"));
        let place = |line| Some(Declared::Shared("own/hash".into(), SourcePlace { line, column: 1 }));
        assert_eq!(file.declared, place(1));
        let pcg = meaning_of("pcg(1u)");
        assert_eq!((pcg.usage.as_str(), pcg.text.as_str()), ("fn pcg(v: u32) -> u32", "Bits."));
        assert_eq!(pcg.declared, place(4));
    }

    #[test]
    fn words_of_the_language_lead_to_the_manual_and_comments_mean_nothing() {
        let dt = meaning_of("frame.d|t").unwrap();
        assert_eq!(
            (dt.usage.as_str(), dt.declared),
            ("frame.dt", Some(Declared::Manual("what-the-function-sees".into())))
        );
        assert_eq!(meaning_of("@ino|ut").unwrap().declared, Some(Declared::Manual("header".into())));
        assert_eq!(meaning_of("NeighborG|rid").unwrap().declared, Some(Declared::Manual("types".into())));
        assert_eq!(meaning_of("// fie|ld"), None);
        assert_eq!(meaning_of("What fad|es"), None);
        assert_eq!(meaning_of("2.|0 *"), None);
    }
}
