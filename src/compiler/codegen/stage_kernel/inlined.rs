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
use super::entry::blocks;
use super::names::prefix;
use super::text::Text;
use crate::codegen::prelude::{self, UsedNames};
use crate::codegen::rename::{filled, places};
use crate::stage::syntax::tokens;

/// What is generated for an inlined stage.
pub(super) struct Module<'a> {
    pub text: String,
    pub guards: Guards<'a>,
}

pub(crate) fn module<'a>(cx: &Context<'_>, of: Instance<'a>) -> Module<'a> {
    let source_text = Text::new(cx, of);
    let (types, accessors) = (declarations::types(cx, of), accessors(cx, of, &source_text));
    let mut used = UsedNames::default();
    used.add_words(of.stage.words());
    [&types, &accessors].into_iter().for_each(|text| used.add_text(text));
    let prelude = prelude::prelude(&cx.domain(of.node), (0, of.node.blocks.is_some()), &mut used);
    let covered = blocks::covered(cx, of).unwrap_or_default();
    let (text, prefix) = (format!("{}\n{prelude}{types}{accessors}{covered}", source_text.source), prefix(of.index));
    let tokens = tokens(&text);
    let mut names = prelude::declared(&tokens);
    names.extend(GUARDS);
    let places = places(&tokens, |name| names.contains(name));
    let text = filled(&text, &places, &prefix, |name| format!("{prefix}{name}"));
    let guards = Guards::new(cx, of, &text, source_text.finite);
    Module { text, guards }
}
