//! Names of one text made different from those of another, where both go into one kernel.

use crate::stage::syntax::{Token, TokenKind};

/// A module's text with the names that `name` has others for, and its parameters as members of the kernel's block, which begin with
/// `prefix`. `tokens`: those of the text. Members after a point and in the body of a struct keep their names.
pub(super) fn renamed(text: &str, tokens: &[Token<'_>], prefix: &str, name: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut copied = 0;
    let mut struct_depth = 0;
    for (index, token) in tokens.iter().enumerate() {
        let near = |offset: isize| index.checked_add_signed(offset).and_then(|i| tokens.get(i)).map_or("", |t| t.text);
        match token.text {
            "{" if struct_depth > 0 || near(-2) == "struct" => struct_depth += 1,
            "}" if struct_depth > 0 => struct_depth -= 1,
            _ => {}
        }
        let member = near(-1) == "." || (struct_depth > 0 && near(1) == ":");
        if token.kind != TokenKind::Word || member {
            continue;
        }
        let replaced = if token.text == "params" && near(1) == "." {
            // `params.x` becomes `params._f1_x`; the member follows the point.
            let Some(field) = tokens.get(index + 2) else { continue };
            out.push_str(&text[copied..field.start]);
            copied = field.start;
            prefix.to_string()
        } else if let Some(name) = name(token.text) {
            out.push_str(&text[copied..token.start]);
            copied = token.start + token.text.len();
            name
        } else {
            continue;
        };
        out.push_str(&replaced);
    }
    out.push_str(&text[copied..]);
    // The header and comments have been read where the stage stands.
    let body: Vec<&str> = out.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    body.join("\n") + "\n"
}
