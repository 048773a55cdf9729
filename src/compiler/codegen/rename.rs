//! Names of one text made different from those of another, where both go into one kernel.

use std::ops::Range;

use crate::stage::syntax::{Token, TokenKind};

/// A part of a text that is replaced.
pub(super) struct NamePlace {
    /// Empty where something is put between.
    bytes: Range<usize>,
    /// Whether a parameter begins here, as a member of the kernel's block.
    is_param: bool,
}

/// The places of names for which `is_renamed` holds, and of parameters, in the tokens of a module's text. Members after a point and in the
/// body of a struct keep their names.
pub(super) fn places(tokens: &[Token<'_>], is_renamed: impl Fn(&str) -> bool) -> Vec<NamePlace> {
    let mut places = Vec::new();
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
        if token.text == "params" && near(1) == "." {
            // `params.x` becomes `params._f1_x`; the member follows the point.
            let Some(field) = tokens.get(index + 2) else { continue };
            places.push(NamePlace { bytes: field.start..field.start, is_param: true });
        } else if is_renamed(token.text) {
            places.push(NamePlace { bytes: token.start..token.start + token.text.len(), is_param: false });
        }
    }
    places
}

/// A module's text with other names at these places, and its parameters as members of the kernel's block, which begin with `prefix`.
pub(super) fn filled(text: &str, places: &[NamePlace], prefix: &str, name: impl Fn(&str) -> String) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    let mut copied = 0;
    for NamePlace { bytes, is_param } in places {
        out.push_str(&text[copied..bytes.start]);
        match is_param {
            true => out.push_str(prefix),
            false => out.push_str(&name(&text[bytes.clone()])),
        }
        copied = bytes.end;
    }
    out.push_str(&text[copied..]);
    // The header and comments have been read where the stage stands.
    let body: Vec<&str> = out.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    body.join("\n") + "\n"
}
