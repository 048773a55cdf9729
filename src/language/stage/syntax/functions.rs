//! Functions in a text: definitions and calls. All positions are token indices.

use std::ops::Range;

use super::{Token, TokenKind, closing};

/// A function's definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function<'a> {
    /// `fn`
    pub keyword: usize,
    /// The token of its name.
    pub name: Token<'a>,
    /// Tokens between the parentheses.
    pub arguments: Range<usize>,
    /// The type after `->`; empty where there is none.
    pub returns: Range<usize>,
    /// Tokens between the braces; to the end of the text where they do not match.
    pub body: Range<usize>,
}

impl<'a> Function<'a> {
    fn read(tokens: &[Token<'a>], keyword: usize) -> Option<Function<'a>> {
        let name = *tokens.get(keyword + 1)?;
        let open = keyword + 2;
        (text(tokens, keyword) == "fn" && text(tokens, open) == "(").then_some(())?;
        let close = closing(tokens, open).unwrap_or(tokens.len());
        let arrow = usize::from(text(tokens, close + 1) == "->");
        let brace = (close + 1..tokens.len()).find(|at| text(tokens, *at) == "{").unwrap_or(tokens.len());
        let end = closing(tokens, brace).unwrap_or(tokens.len());
        Some(Function {
            keyword,
            name,
            arguments: open + 1..close,
            returns: if arrow == 1 { close + 2..brace } else { brace..brace },
            body: (brace + 1).min(end)..end,
        })
    }

    /// Name and type of the first argument; empty where there is none, or its type is not a single word.
    pub(crate) fn first_argument(&self, tokens: &[Token<'a>]) -> (&'a str, &'a str) {
        let word = |at: usize| if at < self.arguments.end { text(tokens, at) } else { "" };
        let start = self.arguments.start;
        if word(start + 1) == ":" { (word(start), word(start + 2)) } else { (word(start), "") }
    }
}

/// The text of a token; empty after the last one.
pub fn text<'a>(tokens: &[Token<'a>], at: usize) -> &'a str {
    tokens.get(at).map_or("", |token| token.text)
}

/// All functions, in the order of the text.
pub fn functions<'a>(tokens: &[Token<'a>]) -> Vec<Function<'a>> {
    (0..tokens.len()).filter_map(|at| Function::read(tokens, at)).collect()
}

/// The first `fn stage(..)`.
pub fn stage_function<'a>(tokens: &[Token<'a>]) -> Option<Function<'a>> {
    let named =
        |at: &usize| text(tokens, *at) == "fn" && text(tokens, at + 1) == "stage" && text(tokens, at + 2) == "(";
    Function::read(tokens, (0..tokens.len()).find(named)?)
}

/// The name that the keyword at a position declares; in `var<private>` a template comes first.
fn declared_name<'t, 'a>(tokens: &'t [Token<'a>], keyword: usize) -> Option<&'t Token<'a>> {
    let mut after = tokens.iter().skip(keyword + 1);
    let name = after.next()?;
    let name = if name.text == "<" { after.skip_while(|token| token.text != ">").nth(1)? } else { name };
    (name.kind == TokenKind::Word).then_some(name)
}

/// Token indices of the keywords that declare something at module scope.
pub fn module_declarations(tokens: &[Token<'_>]) -> Vec<usize> {
    let mut depth = 0usize;
    let declares = |(at, token): (usize, &Token<'_>)| {
        let found = match token.text {
            // Nowhere else are these legal, whatever the braces.
            "fn" | "struct" | "alias" => true,
            "const" | "override" | "var" | "let" => depth == 0,
            _ => false,
        };
        match token.text {
            "{" => depth += 1,
            "}" => depth = depth.saturating_sub(1),
            _ => {}
        }
        found.then_some(at)
    };
    tokens.iter().enumerate().filter_map(declares).collect()
}

/// Names that a text declares at module scope.
pub fn module_names<'t, 'a>(tokens: &'t [Token<'a>]) -> Vec<&'t Token<'a>> {
    module_declarations(tokens).into_iter().filter_map(|keyword| declared_name(tokens, keyword)).collect()
}

/// Whether the word at a position follows a point, so that it is a member and not a name.
pub fn is_member(tokens: &[Token<'_>], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| text(tokens, before) == ".")
}

/// Every word that an opening parenthesis follows, except members and definitions, with its position.
pub fn calls<'a>(tokens: &[Token<'a>]) -> impl Iterator<Item = (usize, &'a str)> {
    tokens.windows(2).enumerate().filter_map(move |(at, pair)| {
        let [word, bracket] = pair else { return None };
        let defined = at.checked_sub(1).is_some_and(|before| matches!(text(tokens, before), "fn" | "."));
        (word.kind == TokenKind::Word && bracket.text == "(" && !defined).then_some((at, word.text))
    })
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    #[test]
    fn functions_have_arguments_a_result_and_a_body() {
        let tokens = tokens(
            "const a = 1; fn f() { g(); } fn stage(cell: Cell, b: array<f32, 2>) -> vec2<f32> { if a { } } fn h",
        );
        let all = functions(&tokens);
        let names: Vec<_> = all.iter().map(|f| f.name.text).collect();
        assert_eq!(names, ["f", "stage"]);
        let stage = stage_function(&tokens).unwrap();
        assert_eq!(Some(&stage), all.last());
        let words = |range: &Range<usize>| tokens[range.clone()].iter().map(|t| t.text).collect::<Vec<_>>().join(" ");
        assert_eq!(words(&stage.arguments), "cell : Cell , b : array < f32 , 2 >");
        assert_eq!((words(&stage.returns).as_str(), words(&stage.body).as_str()), ("vec2 < f32 >", "if a { }"));
        assert_eq!(stage.first_argument(&tokens), ("cell", "Cell"));
        assert_eq!((words(&all[0].returns).as_str(), all[0].first_argument(&tokens)), ("", ("", "")));
    }

    #[test]
    fn text_that_does_not_end_is_read_to_its_end() {
        for source in ["fn stage(", "fn stage(a: b", "fn stage(a: b) {", "fn stage(a: b) -> ", "fn stage(a: b) { ( }"] {
            let tokens = tokens(source);
            let stage = stage_function(&tokens).unwrap();
            assert!(stage.body.end <= tokens.len() && stage.body.start <= stage.body.end, "{source}: {stage:?}");
        }
        assert_eq!(stage_function(&tokens("fn stage { } fn stages() { }")), None);
    }

    #[test]
    fn names_at_module_scope_are_found() {
        let tokens =
            tokens("const a = 1; var<private> b: i32; struct C { d: i32 } alias E = C; fn f(g: i32) { let h = 1; }");
        assert_eq!(module_names(&tokens).iter().map(|name| name.text).collect::<Vec<_>>(), ["a", "b", "C", "E", "f"]);
    }

    #[test]
    fn calls_are_neither_members_nor_definitions() {
        let tokens = tokens("fn f(a: i32) { g(h(1)); a.k(2); l = m; }");
        let names: Vec<_> = calls(&tokens).map(|(_, name)| name).collect();
        assert_eq!(names, ["g", "h"]);
    }
}
