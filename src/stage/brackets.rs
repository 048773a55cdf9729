//! Brackets that do not match. The text of the compiler follows the author's, so a bracket left open would only be missed there,
//! where nobody looks.

use super::lex::{Token, TokenKind};

/// The first bracket that has no partner, and what is wrong with it; in one pass.
pub fn unmatched<'a>(tokens: &[Token<'a>]) -> Option<(Token<'a>, String)> {
    let mut open: Vec<Token<'a>> = Vec::new();
    for token in tokens {
        // Functions do not nest, so what is open where one begins stays open.
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

/// The brace that closes the one that the tokens begin with, by its place among them.
pub fn closing(tokens: &[Token<'_>]) -> Option<usize> {
    let mut depth = 0usize;
    tokens.iter().position(|token| {
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
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
    use crate::library::Library;
    use crate::stage::lex;

    fn told(text: &str) -> Option<(usize, String)> {
        unmatched(&lex::tokens(text)).map(|(token, message)| (token.start, message))
    }

    #[test]
    fn the_bracket_without_a_partner_is_told() {
        let at = |text: &str| told(text).map(|(at, message)| (at, message.split(';').next().unwrap().to_string()));
        assert_eq!(at("fn a() { b[(1)] } // {"), None);
        assert_eq!(at("fn a() { if (b) { }"), Some((7, "`{` is never closed".into())));
        assert_eq!(at("fn a() { if (b) { } fn c() { }"), Some((7, "`{` is never closed".into())));
        assert_eq!(at("fn a() { b(1; }"), Some((14, "`}` does not close `(`".into())));
        assert_eq!(at("fn a() { } }"), Some((11, "`}` closes nothing".into())));
    }

    #[test]
    fn every_shipped_stage_matches() {
        for stage in Library::builtin().stages() {
            assert_eq!(told(&stage.source), None, "{}", stage.name);
        }
    }
}
