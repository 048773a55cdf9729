//! Whether a text writes to a variable, as far as tokens tell.

use super::{Token, text};

/// Whether an operator assigns: `=`, `+=`, `<<=`, but not `==`.
pub fn assigns(operator: &str) -> bool {
    operator.ends_with('=') && !matches!(operator, "==" | "<=" | ">=" | "!=")
}

/// Whether the expression from one token to another (inclusive) is assigned to, or has its address taken.
pub fn written(tokens: &[Token<'_>], first: usize, last: usize) -> bool {
    let (before, after) = unwrapped(tokens, first, last);
    assigns(after) || matches!(after, "++" | "--") || before == "&"
}

/// Whether a text could change a variable: assigns it, takes its address, or declares its name again.
pub fn may_write(tokens: &[Token<'_>], variable: &str) -> bool {
    let named = |at: &usize| text(tokens, *at) == variable;
    (0..tokens.len()).filter(named).any(|at| {
        let (before, after) = unwrapped(tokens, at, at);
        let writes = assigns(after) || matches!(after, "++" | "--") || matches!(before, "&" | "let" | "var" | "const");
        writes && before != "."
    })
}

/// The tokens around an expression, outside its parentheses: `(i) = 1` and `&(i)` are legal.
fn unwrapped<'a>(tokens: &[Token<'a>], mut first: usize, mut last: usize) -> (&'a str, &'a str) {
    loop {
        let before = first.checked_sub(1).map_or("", |at| text(tokens, at));
        let after = text(tokens, last + 1);
        if before != "(" || after != ")" {
            return (before, after);
        }
        (first, last) = (first - 1, last + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tokens;
    use super::*;

    #[test]
    fn writes_are_seen_through_parentheses() {
        for source in [
            "i = 1;",
            "(i) += 1;",
            "((i)) <<= 2u;",
            "i++;",
            "(i)--;",
            "p = &i;",
            "f(&(i));",
            "let i = 2;",
            "for (var i = 0;;)",
        ] {
            assert!(may_write(&tokens(source), "i"), "{source}");
        }
        for source in ["i == 1", "if i <= 2 { }", "a.i = 3;", "j = i;", "i.x"] {
            assert!(!may_write(&tokens(source), "i"), "{source}");
        }
        let member = tokens("(near.index) = 3u");
        assert!(written(&member, 1, 3) && !written(&tokens("near.index == 3u"), 0, 2));
    }
}
