//! A WGSL tokeniser: just enough to check source before naga processes it, and to insert text into it.
//!
//! The tokeniser agrees with naga 29 on white space, on where a comment ends and on where a word begins; otherwise a loop could be
//! hidden from the analyses in something that naga does not treat as a comment. Templates are not recognised: `>>` is
//! one token everywhere.

/// One token of the source, with the byte offset where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token<'a> {
    /// What it is.
    pub kind: TokenKind,
    /// The text.
    pub text: &'a str,
    /// Start of the token \[bytes\].
    pub start: usize,
}

/// Kinds of tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// An identifier or a keyword.
    Word,
    /// A numeric literal with its suffix.
    Number,
    /// An operator or a bracket, or a character that WGSL does not know.
    Punct,
}

/// Longest first, so that the first match is the right one.
const OPERATORS: [&str; 21] = [
    "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<=", ">=", "==", "!=", "&&", "||", "<<",
    ">>", "->",
];

/// All tokens of `source`, in order; linear in its length. Comments are skipped, an unterminated one to the end.
pub fn tokens(source: &str) -> Vec<Token<'_>> {
    let mut found = Vec::with_capacity(source.len() / 4);
    let mut rest = skip_trivia(source);
    while let Some(first) = rest.chars().next() {
        let (kind, length) = measure(rest, first);
        let Some((text, after)) = rest.split_at_checked(length) else {
            break;
        };
        let start = source.len() - rest.len();
        found.push(Token { kind, text, start });
        rest = skip_trivia(after);
    }
    found
}

/// Line and column (in characters) of a byte offset, both counted from 1.
pub fn line_col(source: &str, offset: usize) -> (usize, usize) {
    let before = source.char_indices().take_while(|(at, _)| *at < offset);
    before.fold((1, 1), |(line, column), (_, c)| match c {
        '\n' => (line + 1, 1),
        _ => (line, column + 1),
    })
}

/// Kind and length in bytes of the token at the start of `rest`, whose first character is `first`.
fn measure(rest: &str, first: char) -> (TokenKind, usize) {
    if starts_number(rest) {
        (TokenKind::Number, number_length(rest))
    } else if is_word_part(first) {
        (TokenKind::Word, word_length(rest))
    } else {
        // The next character decides for most brackets and commas, without the table.
        let more = matches!(rest.as_bytes().get(1), Some(b'<' | b'>' | b'=' | b'+' | b'-' | b'&' | b'|'));
        let operator = OPERATORS.iter().filter(|_| more).find(|op| rest.starts_with(**op));
        let length = operator.map_or(first.len_utf8(), |op| op.len());
        (TokenKind::Punct, length)
    }
}

fn word_length(rest: &str) -> usize {
    let plain = rest.bytes().position(|b| b != b'_' && !b.is_ascii_alphanumeric()).unwrap_or(rest.len());
    match rest.as_bytes().get(plain) {
        Some(byte) if !byte.is_ascii() => rest.find(|c| !is_word_part(c)).unwrap_or(rest.len()),
        _ => plain,
    }
}

fn starts_number(rest: &str) -> bool {
    let digits = rest.strip_prefix('.').unwrap_or(rest);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

/// A sign belongs to a number only after its exponent letter: `1e-3` is one token, `0x1e-3` and `1-3` are three.
fn number_length(rest: &str) -> usize {
    let hex = rest.starts_with("0x") || rest.starts_with("0X");
    let exponent = if hex { ['p', 'P'] } else { ['e', 'E'] };
    let mut previous = ' ';
    let end = rest.find(|c: char| {
        let signed = (c == '+' || c == '-') && exponent.contains(&previous);
        previous = c;
        !(signed || c == '.' || c.is_ascii_alphanumeric())
    });
    end.unwrap_or(rest.len())
}

/// All of Unicode beyond ASCII counts as part of a word: naga itself rejects what it does not accept there.
fn is_word_part(c: char) -> bool {
    c == '_' || c.is_ascii_alphanumeric() || !(c.is_ascii() || is_blank(c))
}

/// Unicode Pattern_White_Space, as in the WGSL specification.
fn is_blank(c: char) -> bool {
    is_line_break(c) || matches!(c, ' ' | '\t' | '\u{200e}' | '\u{200f}')
}

fn is_line_break(c: char) -> bool {
    matches!(c, '\n'..='\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn line_length(rest: &str) -> usize {
    let plain = rest.bytes().position(|b| matches!(b, b'\n'..=b'\r') || !b.is_ascii()).unwrap_or(rest.len());
    match rest.as_bytes().get(plain) {
        Some(byte) if !byte.is_ascii() => rest.find(is_line_break).unwrap_or(rest.len()),
        _ => plain,
    }
}

fn skip_trivia(mut rest: &str) -> &str {
    loop {
        rest = rest.trim_start_matches(is_blank);
        if rest.starts_with("//") {
            rest = rest.get(line_length(rest)..).unwrap_or_default();
        } else if rest.starts_with("/*") {
            rest = after_block_comment(rest);
        } else {
            return rest;
        }
    }
}

/// Block comments nest, so this counts; it does not recurse, since the user controls the nesting.
fn after_block_comment(mut rest: &str) -> &str {
    let mut depth = 0usize;
    while !rest.is_empty() {
        if let Some(inner) = rest.strip_prefix("/*") {
            depth += 1;
            rest = inner;
        } else if let Some(outer) = rest.strip_prefix("*/") {
            depth = depth.saturating_sub(1);
            rest = outer;
            if depth == 0 {
                break;
            }
        } else {
            let mut characters = rest.chars();
            characters.next();
            rest = characters.as_str();
        }
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, Instant};

    fn texts(source: &str) -> Vec<&str> {
        tokens(source).iter().map(|token| token.text).collect()
    }

    #[test]
    fn operators_are_taken_as_long_as_they_can_be() {
        assert_eq!(texts("a<<=b>>c"), ["a", "<<=", "b", ">>", "c"]);
        assert_eq!(texts("i++ + --j->k"), ["i", "++", "+", "--", "j", "->", "k"]);
        assert_eq!(texts("a&&b&=!c!=d"), ["a", "&&", "b", "&=", "!", "c", "!=", "d"]);
        let all = OPERATORS.join(" ");
        assert_eq!(texts(&all), OPERATORS);
    }

    #[test]
    fn numbers_keep_their_sign_and_suffix() {
        assert_eq!(texts("1e-3f-4u"), ["1e-3f", "-", "4u"]);
        assert_eq!(texts("0x1e-3i+.5"), ["0x1e", "-", "3i", "+", ".5"]);
        assert_eq!(texts("0x1.8p+2 v.x 1."), ["0x1.8p+2", "v", ".", "x", "1."]);
        let kinds: Vec<_> = tokens("_a1 1 =").iter().map(|t| t.kind).collect();
        assert_eq!(kinds, [TokenKind::Word, TokenKind::Number, TokenKind::Punct]);
    }

    #[test]
    fn comments_end_where_naga_ends_them() {
        assert_eq!(texts("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"]);
        assert_eq!(texts("// a\u{2028}loop // b\u{85}for // c\rx"), ["loop", "for", "x"]);
        assert_eq!(texts("a/**/b/*/ */c"), ["a", "b", "c"]);
        assert_eq!(texts("a /* b /* c */"), ["a"]);
    }

    #[test]
    fn any_text_is_covered_in_order() {
        let source = "größe = \"π\" # 🦀;\r\n\u{200e}@ `x\\ \0";
        let mut end = 0;
        for token in tokens(source) {
            assert!(token.start >= end && !token.text.is_empty());
            end = token.start + token.text.len();
            assert_eq!(source.get(token.start..end), Some(token.text));
        }
        assert!(texts("").is_empty());
    }

    #[test]
    fn scanning_is_linear() {
        for unit in ["/*", "/", "(", "a ", "1.", "*/", "//\n", "π", ">>="] {
            let started = Instant::now();
            tokens(&unit.repeat(100_000));
            assert!(started.elapsed() < Duration::from_secs(2), "{unit} took {:?}", started.elapsed());
        }
    }

    #[test]
    fn columns_count_characters() {
        let source = "a\nπb\n";
        assert_eq!(line_col(source, 0), (1, 1));
        assert_eq!(line_col(source, 4), (2, 2));
        assert_eq!(line_col(source, 999), (3, 1));
    }
}
