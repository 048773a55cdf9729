//! Splits a stage's text into parts by kind, for colours. The parts cover any text exactly.

use std::ops::Range;

use crate::stage::accessors;
use crate::stage::header::{self, Header};
use crate::stage::language::{self, Kind as Word};
use crate::stage::syntax::{Token, TokenKind, tokens};
use crate::stage::types::PortType;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Kind {
    /// Blanks, operators, the author's own names.
    Plain,
    Comment,
    /// The header's title, and its text with the documentation of ports.
    Title,
    Doc,
    Keyword,
    Type,
    Number,
    /// `@in` and the like, in the header and in the text.
    Attribute,
    /// Functions that are called, and names of the stage language.
    Function,
    Builtin,
    /// A port where it is declared, and its accessors.
    Port(PortType),
    Param,
}

/// A part of a text, as a range of bytes.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Span {
    pub range: Range<usize>,
    pub kind: Kind,
}

/// Parts of the text, in order and without gaps.
pub(super) fn spans(text: &str) -> Vec<Span> {
    let (header, _) = header::read(text);
    let mut parts = Parts { spans: Vec::new(), end: 0 };
    let mut titled = false;
    for line in text.split_inclusive('\n') {
        let Some(rest) = line.trim_start().strip_prefix("//!") else {
            if line.trim().is_empty() {
                parts.to(parts.end + line.len(), Kind::Plain);
                continue;
            }
            break;
        };
        header_line(&mut parts, &header, line.len(), rest, &mut titled);
    }
    body(&mut parts, text, &header);
    parts.spans
}

/// Parts so far; neighbours of the same kind are merged.
struct Parts {
    spans: Vec<Span>,
    end: usize,
}

impl Parts {
    fn to(&mut self, end: usize, kind: Kind) {
        if end <= self.end {
            return;
        }
        match self.spans.last_mut() {
            Some(last) if last.kind == kind => last.range.end = end,
            _ => self.spans.push(Span { range: self.end..end, kind }),
        }
        self.end = end;
    }
}

/// A line of the header: `rest` is what follows `//!`.
fn header_line(parts: &mut Parts, header: &Header, length: usize, rest: &str, titled: &mut bool) {
    let end = parts.end + length;
    let start = end - rest.len();
    parts.to(start, Kind::Comment);
    let blank = rest.len() - rest.trim_start().len();
    let said = rest.trim_start();
    if !said.starts_with('@') {
        let kind = if *titled || said.is_empty() { Kind::Doc } else { Kind::Title };
        *titled |= kind == Kind::Title;
        parts.to(end, kind);
        return;
    }
    let word = said.find(char::is_whitespace).unwrap_or(said.len());
    parts.to(start + blank, Kind::Plain);
    parts.to(start + blank + word, Kind::Attribute);
    // Two blanks end a declaration; documentation follows.
    let declared = said.get(word..).unwrap_or_default();
    let first = declared.len() - declared.trim_start().len();
    let length = declared.get(first..).and_then(|text| text.find("  ")).map_or(declared.len(), |at| first + at);
    let offset = start + blank + word;
    let declaration = declared.get(..length).unwrap_or_default();
    for token in tokens(declaration) {
        let at = offset + token.start;
        parts.to(at, Kind::Plain);
        parts.to(at + token.text.len(), declared_kind(header, &token));
    }
    parts.to(offset + length, Kind::Plain);
    parts.to(end, Kind::Doc);
}

fn declared_kind(header: &Header, token: &Token<'_>) -> Kind {
    let text = token.text;
    let port = header.ports.iter().find(|port| port.name == text);
    match token.kind {
        TokenKind::Number => Kind::Number,
        TokenKind::Punct => Kind::Plain,
        TokenKind::Word => match port {
            Some(port) => Kind::Port(port.ty),
            None if header.params.iter().any(|param| param.name == text) => Kind::Param,
            None if is_type(text) => Kind::Type,
            None if is_option(text) => Kind::Keyword,
            None => Kind::Plain,
        },
    }
}

/// The WGSL below the header.
fn body(parts: &mut Parts, text: &str, header: &Header) {
    let start = parts.end;
    let tokens = tokens(text.get(start..).unwrap_or_default());
    for (index, token) in tokens.iter().enumerate() {
        let at = start + token.start;
        gap(parts, text, at);
        parts.to(at + token.text.len(), kind(&tokens, index, header));
    }
    gap(parts, text, text.len());
}

/// Text between two tokens: blanks, or comments with the blanks around them.
fn gap(parts: &mut Parts, text: &str, end: usize) {
    let comment = text.get(parts.end..end).is_some_and(|gap| gap.contains('/'));
    parts.to(end, if comment { Kind::Comment } else { Kind::Plain });
}

fn kind(tokens: &[Token<'_>], index: usize, header: &Header) -> Kind {
    let text = |offset: isize| {
        let at = index.checked_add_signed(offset);
        at.and_then(|at| tokens.get(at)).map_or("", |token| token.text)
    };
    let word = text(0);
    let (before, call) = (text(-1), text(1) == "(");
    match tokens.get(index).map(|token| token.kind) {
        Some(TokenKind::Number) => return Kind::Number,
        Some(TokenKind::Punct) if word == "@" => return Kind::Attribute,
        Some(TokenKind::Punct) | None => return Kind::Plain,
        Some(TokenKind::Word) => {}
    }
    if before == "@" {
        return Kind::Attribute;
    }
    if before == "." {
        let param = text(-2) == "params" && header.params.iter().any(|param| param.name == word);
        return if param { Kind::Param } else { Kind::Plain };
    }
    match header.ports.iter().find(|port| accessors::is_accessor(port, word)) {
        // A local may have a port's name.
        Some(port) if call || word.ends_with("_wired") => Kind::Port(port.ty),
        _ if language::is(word, Word::Keyword) => Kind::Keyword,
        _ if is_type(word) => Kind::Type,
        _ if is_builtin(word) => Kind::Builtin,
        _ if call => Kind::Function,
        _ => Kind::Plain,
    }
}

/// `f32`, `vec3f`, `mat2x2f`, `array` and the types of the stage language.
fn is_type(word: &str) -> bool {
    let plain = ["f16", "array", "atomic", "ptr"].contains(&word);
    let vector = ["vec2", "vec3", "vec4", "mat2", "mat3", "mat4"].iter().any(|name| word.starts_with(name));
    let named = |kind: &Word| {
        matches!(kind, Word::ValueType | Word::PortType | Word::ParamType | Word::Alias | Word::Generic | Word::Struct)
    };
    plain || vector || language::kinds(word).iter().any(named)
}

/// Constants and variables of the stage language.
fn is_builtin(word: &str) -> bool {
    let variable = |kind: &Word| matches!(kind, Word::Constant | Word::Counter | Word::Block);
    word == "particle" || language::kinds(word).iter().any(variable)
}

/// Words of a header that say how a port or a parameter is used.
fn is_option(word: &str) -> bool {
    let option =
        |kind: &Word| matches!(kind, Word::Option | Word::EdgeRule | Word::Reduction | Word::Role | Word::Setting);
    language::kinds(word).iter().any(option)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::Library;
    use stagewright_test_support::seed;

    fn covers(text: &str) {
        let mut end = 0;
        for span in spans(text) {
            assert_eq!(span.range.start, end);
            assert!(text.get(span.range.clone()).is_some_and(|part| !part.is_empty()), "{span:?} of {text:?}");
            end = span.range.end;
        }
        assert_eq!(end, text.len(), "{text:?}");
    }

    fn kinds_of(text: &str, word: &str) -> Vec<Kind> {
        let part = |span: &Span| text[span.range.clone()].trim() == word;
        spans(text).into_iter().filter(part).map(|span| span.kind).collect()
    }

    #[test]
    fn every_shipped_stage_is_covered_and_its_ports_are_seen() {
        let (mut stages, mut characters) = (0, 0);
        for stage in Library::builtin().stages() {
            covers(stage.own_text());
            let spans = spans(stage.own_text());
            for port in &stage.header.ports {
                let named = |span: &&Span| span.kind == Kind::Port(port.ty);
                assert!(spans.iter().filter(named).count() > 0, "{} {}", stage.name, port.name);
            }
            assert!(spans.iter().any(|span| span.kind == Kind::Title), "{}", stage.name);
            (stages, characters) = (stages + 1, characters + stage.source.len());
        }
        println!("{stages} stages, {characters} bytes");
        assert!(stages > 50);
    }

    #[test]
    fn words_are_what_they_are_used_for() {
        let text = "//! Fade\n//! Away.\n//! @inout field: Grid<f32>, radius 1   What fades\n//! @param rate: f32 = 0.5, 0..  A rate\n\n/* old */ fn stage(cell: Cell) -> f32 {\n    let field = field(cell); // here\n    if (field_wired) { return min(field * params.rate, 1e-3f); }\n    @diagnostic(off) return params.speed;\n}\n";
        covers(text);
        let grid = PortType::parse("Grid<f32>").unwrap();
        assert_eq!(kinds_of(text, "Fade"), [Kind::Title]);
        assert_eq!(kinds_of(text, "field"), [Kind::Port(grid), Kind::Port(grid)]);
        assert_eq!(kinds_of(text, "field_wired"), [Kind::Port(grid)]);
        assert_eq!(kinds_of(text, "rate"), [Kind::Param, Kind::Param]);
        assert_eq!(kinds_of(text, "What fades"), [Kind::Doc]);
        assert_eq!(kinds_of(text, "radius"), [Kind::Keyword]);
        assert_eq!(kinds_of(text, "return"), [Kind::Keyword, Kind::Keyword]);
        assert_eq!((kinds_of(text, "Cell"), kinds_of(text, "1e-3f")), (vec![Kind::Type], vec![Kind::Number]));
        assert_eq!(
            (kinds_of(text, "/* old */"), kinds_of(text, "// here")),
            (vec![Kind::Comment], vec![Kind::Comment])
        );
        assert_eq!((kinds_of(text, "min"), kinds_of(text, "params")), (vec![Kind::Function], vec![Kind::Builtin; 2]));
        assert_eq!(kinds_of(text, "@diagnostic"), [Kind::Attribute]);
        assert_eq!(kinds_of(text, "speed"), [Kind::Plain; 0], "not declared, so nothing of its own");
    }

    /// Each word of the language is highlighted where it has its meaning.
    #[test]
    fn every_word_of_the_language_is_known() {
        for (kind, words) in language::WORDS {
            for word in *words {
                let (text, expected) = match kind {
                    Word::Directive => (format!("//! T\n//! @{word} x: Grid<f32>\n"), Kind::Attribute),
                    Word::Option | Word::EdgeRule | Word::Reduction | Word::Role | Word::Setting => {
                        (format!("//! T\n//! @inout x: Grid<f32>, {word} 1\n"), Kind::Keyword)
                    }
                    Word::PortType | Word::ParamType => (format!("//! T\n//! @in x: {word}\n"), Kind::Type),
                    Word::ValueType | Word::Alias | Word::Generic | Word::Struct => {
                        (format!("fn f() {{ let a = {word}(); }}"), Kind::Type)
                    }
                    Word::Keyword => (format!("fn f() {{ {word} a; }}"), Kind::Keyword),
                    Word::Function | Word::Entry => (format!("fn f() {{ {word}(); }}"), Kind::Function),
                    Word::Constant | Word::Counter | Word::Block => {
                        (format!("fn f() {{ a = {word}; }}"), Kind::Builtin)
                    }
                    // Ordinary names: the argument, which a stage may name freely, and members.
                    Word::Argument | Word::Member(_) => continue,
                };
                let found = spans(&text).into_iter().find(|span| {
                    let part = text[span.range.clone()].trim();
                    part == *word || part == format!("@{word}")
                });
                assert_eq!(found.map(|span| span.kind), Some(expected), "{word} ({kind:?}) in {text:?}");
            }
        }
    }

    /// xorshift64*, so that failures are reproducible.
    struct Random(u64);

    impl Random {
        fn below(&mut self, end: usize) -> usize {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % end.max(1)
        }
    }

    #[test]
    fn any_text_is_covered() {
        let _case = seed::Case::begin(seed::first(), "any_text_is_covered");
        let mut random = Random(seed::spread());
        let sources: Vec<&str> = Library::builtin().stages().map(|stage| stage.source.as_str()).collect();
        let bits = [
            "//!",
            "@in ",
            "/*",
            "*/",
            "\"",
            "\n",
            "\r",
            "\u{2028}",
            "🦀",
            "  ",
            "{",
            ":",
            "π",
            "\0",
            "@param x: f32 = 1",
        ];
        let mut text: Vec<char> = sources[0].chars().collect();
        for edit in 0..3000 {
            if edit % 50 == 0 {
                text = sources[random.below(sources.len())].chars().collect();
            }
            let at = random.below(text.len() + 1);
            let end = (at + random.below(12)).min(text.len());
            text.splice(at..end, bits[random.below(bits.len())].chars());
            covers(&text.iter().collect::<String>());
        }
        for length in 0..600 {
            let bytes: Vec<u8> = (0..length).map(|_| random.below(256) as u8).collect();
            covers(&String::from_utf8_lossy(&bytes));
        }
    }

    #[test]
    fn long_texts_are_quick() {
        let line = "    let a = max(field(cell), params.rate) * 2.0; // and so on\n";
        let text = format!("//! Long\n{}", line.repeat(2000));
        let since = std::time::Instant::now();
        let parts = spans(&text).len();
        println!("{parts} parts in {:?}", since.elapsed());
        assert!(since.elapsed() < std::time::Duration::from_millis(500));
    }
}
