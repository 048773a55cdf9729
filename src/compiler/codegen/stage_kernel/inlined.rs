//! Stages inlined into a kernel: the text of a field, or of a stage that runs before, and all that is generated for it, with every name of
//! theirs made different from everybody else's.
//!
//! ```wgsl
//! fn _f1_stage(position: vec2f) -> f32 { return length(position) - params._f1_radius; }
//! ```

use super::accessors::accessors;
use super::alarms::{GUARDS, Guards};
use super::context::{Context, Instance};
use super::declarations;
use super::names::prefix;
use super::text::Text;
use crate::codegen::prelude::{self, UsedNames};
use crate::stage::syntax::{TokenKind, tokens};

/// What is generated for an inlined stage.
pub(super) struct Module<'a> {
    pub text: String,
    pub guards: Guards<'a>,
}

pub(crate) fn module<'a>(cx: &Context<'_>, of: Instance<'a>) -> Module<'a> {
    let own = Text::of(cx, of);
    let (types, accessors) = (declarations::types(cx, of), accessors(cx, of, &own));
    let mut used = UsedNames::default();
    used.add_words(of.stage.words());
    [&types, &accessors].into_iter().for_each(|text| used.add_text(text));
    let prelude = prelude::prelude(&cx.domain(of.node), (0, of.node.blocks.is_some()), &mut used);
    let text = renamed(&format!("{}\n{prelude}{types}{accessors}", own.source), &prefix(of.index));
    let guards = Guards::of(cx, of, &text, own.finite);
    Module { text, guards }
}

/// A module's text with its own names prefixed, and its parameters as members of the kernel's block. Members after a
/// point and in the body of a struct keep their names.
fn renamed(text: &str, prefix: &str) -> String {
    let tokens = tokens(text);
    let mut own = prelude::declared(text);
    own.extend(GUARDS.map(String::from));
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
        } else if own.contains(token.text) {
            out.push_str(&text[copied..token.start]);
            copied = token.start + token.text.len();
            format!("{prefix}{}", token.text)
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
