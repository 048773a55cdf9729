//! Matching brackets. Generated text follows the author's, so an unclosed bracket would be reported there, where the
//! author cannot see it.

use super::{Token, TokenKind};

/// The first unmatched bracket, and the error message; in one pass.
pub(crate) fn unmatched<'a>(tokens: &[Token<'a>]) -> Option<(Token<'a>, String)> {
    let mut open: Vec<Token<'a>> = Vec::new();
    for token in tokens {
        // Functions do not nest, so a bracket that is open where one begins is never closed.
        if token.kind == TokenKind::Word && token.text == "fn" && !open.is_empty() {
            break;
        }
        match token.text {
            "(" | "[" | "{" => open.push(*token),
            ")" | "]" | "}" => match open.pop() {
                Some(opening) if partner(opening.text) == token.text => {}
                Some(opening) => {
                    let wanted = partner(opening.text);
                    return Some((
                        *token,
                        format!("`{}` does not close `{}`; write `{wanted}`", token.text, opening.text),
                    ));
                }
                None => return Some((*token, format!("`{}` closes nothing; remove it", token.text))),
            },
            _ => {}
        }
    }
    let opening = open.pop()?;
    Some((opening, format!("`{}` is never closed; add `{}`", opening.text, partner(opening.text))))
}

/// The bracket that closes the one at token index `open`; `None` where no bracket opens there, or none closes it.
pub(crate) fn closing(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let first = tokens.get(open)?;
    matches!(first.text, "(" | "[" | "{").then(|| block_end(tokens, open + 1))?
}

/// The bracket that closes the innermost block around a token.
pub(crate) fn block_end(tokens: &[Token<'_>], from: usize) -> Option<usize> {
    let mut depth = 0usize;
    for (at, token) in tokens.iter().enumerate().skip(from) {
        match token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" if depth == 0 => return Some(at),
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
    }
    None
}

/// Positions of separators outside all parentheses and brackets that open among the tokens, up to a closing one without
/// its opening.
pub(crate) fn top_level(tokens: &[Token<'_>], separators: &[&str]) -> Vec<usize> {
    let mut depth = 0usize;
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" if depth == 0 => break,
            ")" | "]" => depth -= 1,
            text if depth == 0 && separators.contains(&text) => found.push(at),
            _ => {}
        }
    }
    found
}

fn partner(opening: &str) -> &'static str {
    match opening {
        "(" => ")",
        "[" => "]",
        _ => "}",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::syntax::tokens;

    #[test]
    fn the_bracket_without_a_partner_is_reported() {
        let at = |text: &str| {
            let found = unmatched(&tokens(text));
            found.map(|(token, message)| (token.start, message.split(';').next().unwrap().to_string()))
        };
        assert_eq!(at("fn a() { b[(1)] } // {"), None);
        assert_eq!(at("fn a() { if (b) { }"), Some((7, "`{` is never closed".into())));
        assert_eq!(at("fn a() { if (b) { } fn c() { }"), Some((7, "`{` is never closed".into())));
        assert_eq!(at("fn a() { b(1; }"), Some((14, "`}` does not close `(`".into())));
        assert_eq!(at("fn a() { } }"), Some((11, "`}` closes nothing".into())));
    }

    #[test]
    fn brackets_of_all_kinds_are_paired() {
        let close = |text: &str, open| closing(&tokens(text), open);
        assert_eq!(close("f(a[(1)], {b}) c", 1), Some(12));
        assert_eq!(close("f(a[(1)], {b}) c", 3), Some(7));
        assert_eq!((close("a b", 0), close("(a", 0), close("", 3)), (None, None, None));
        assert_eq!(block_end(&tokens("a { b } c } d }"), 0), Some(5));
    }

    #[test]
    fn separators_inside_brackets_are_passed_over() {
        let at = |text: &str| top_level(&tokens(text), &[",", "+"]);
        assert_eq!(at("a, f(b, c) + d[e, 1]"), [1, 8]);
        assert_eq!(at("a, b), c"), [1], "the list has ended");
    }
}
