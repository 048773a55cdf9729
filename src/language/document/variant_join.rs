//! Variants that are chosen together, by a name such as `article + picture`.

use std::collections::{BTreeMap, BTreeSet};

use super::{Document, NodeKind, Variant};
use crate::problem::{Problem, Problems};

/// The name by which a user chooses no variant, unless a variant has it.
pub const NO_VARIANT: &str = "default";

/// Chooses what a user names: a variant, several such as `article + picture`, or [`NO_VARIANT`].
///
/// # Errors
/// Errors of [`Document::choose`].
pub fn choose_named(document: &mut Document, name: &str) -> Result<(), Problems> {
    let is_default = name == NO_VARIANT && !document.variants.contains_key(name);
    document.choose(Some(name).filter(|_| !is_default))
}

/// The name of a variant, or of several together as [`Document::choose`] calls them; `None` where the document lacks one.
pub fn full_name(document: &Document, name: &str) -> Option<String> {
    document.variant_parts(name).ok().map(|parts| parts.join(" + "))
}

/// Whether a name chooses what is chosen by another one, which may name several variants in another order.
pub fn same_choice(document: &Document, name: &str, chosen: &str) -> bool {
    let parts = |name: &str| BTreeSet::from_iter(name.split('+').map(|part| part.trim().to_string()));
    name == chosen || !document.variants.contains_key(name) && parts(name) == parts(chosen)
}

impl Document {
    /// The variants that a name such as `article + picture` names, each once. A variant whose own name has a `+` is one.
    ///
    /// # Errors
    /// The first part that is no variant.
    pub(super) fn variant_parts(&self, name: &str) -> Result<Vec<&str>, Problem> {
        if let Some((name, _)) = self.variants.get_key_value(name) {
            return Ok(vec![name]);
        }
        let pieces: Vec<&str> = name.split('+').collect();
        if pieces.len() < 2 {
            return Err(self.no_variant(name));
        }
        let trimmed: BTreeMap<&str, &str> = self.variant_names().map(|name| (name.trim(), name)).collect();
        let longest = 1 + self.variant_names().map(|name| name.matches('+').count()).max().unwrap_or(0);
        // From the end: the variant that begins at a piece and leaves others behind it, and where those begin.
        let mut starts: Vec<Option<(&str, usize)>> = vec![None; pieces.len()];
        for at in (0..pieces.len()).rev() {
            let ends = (at + 1..=pieces.len().min(at + longest)).rev();
            let mut whole = ends.filter(|end| *end == pieces.len() || starts[*end].is_some());
            starts[at] = whole.find_map(|end| Some((*trimmed.get(pieces[at..end].join("+").trim())?, end)));
        }
        let mut parts = Vec::new();
        let mut at = 0;
        while let Some(Some((part, end))) = starts.get(at) {
            if !parts.contains(part) {
                parts.push(*part);
            }
            at = *end;
        }
        if at == pieces.len() {
            return Ok(parts);
        }
        match pieces.iter().map(|piece| piece.trim()).find(|piece| !trimmed.contains_key(piece)) {
            Some("") => {
                let cause = format!("`{}` has no variant on one side of a `+`", name.trim());
                Err(Problem::new("", "", cause, "write names on both sides, such as `article + picture`"))
            }
            Some(piece) => Err(self.no_variant(piece)),
            None => Err(self.no_variant(name)),
        }
    }

    /// A variant that replaces all that these variants replace. None of them is chosen.
    ///
    /// # Errors
    /// Two of them give something different values.
    pub(super) fn joined(&self, parts: &[&str]) -> Result<Variant, Problems> {
        let mut joining = Joining::default();
        for part in parts {
            let variant = self.variants.get(*part).ok_or_else(|| self.no_variant(part))?;
            joining.add(part, variant);
        }
        if joining.problems.is_empty() { Ok(joining.joined) } else { Err(joining.problems) }
    }
}

#[derive(Default)]
struct Joining<'a> {
    joined: Variant,
    givers: Givers<'a>,
    problems: Problems,
}

/// The variant that was the first to give something, by what it gives.
type Givers<'a> = BTreeMap<String, &'a str>;

impl<'a> Joining<'a> {
    fn add(&mut self, name: &'a str, variant: &Variant) {
        let Joining { joined, givers, problems } = self;
        let mut take = Taking { name, givers, problems };
        take.entries(&mut joined.set, &variant.set, |value| {
            value.as_ref().map_or_else(|| "its default".into(), ToString::to_string)
        });
        take.entries(&mut joined.muted, &variant.muted, |muted| {
            if *muted { "bypassed" } else { "not bypassed" }.into()
        });
        take.entries(&mut joined.stages, &variant.stages, |kind| match kind {
            NodeKind::Stage(stage) => stage.clone(),
            _ => "a stage of its own".into(),
        });
        take.entries(&mut joined.inputs, &variant.inputs, |link| {
            link.as_ref().map_or_else(|| "not wired".into(), |link| format!("wired to {link}"))
        });
        take.value(&mut joined.fps, variant.fps, "fps");
        take.value(&mut joined.substeps, variant.substeps, "substeps");
        take.value(&mut joined.seed, variant.seed, "seed");
        for (path, comment) in &variant.comments {
            add_text(joined.comments.entry(path.clone()).or_default(), comment, "\n");
        }
        add_text(&mut joined.about, &variant.about, " ");
    }
}

fn add_text(text: &mut String, more: &str, between: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push_str(between);
    }
    text.push_str(more);
}

/// What one variant adds to those before it.
struct Taking<'a, 'j> {
    name: &'a str,
    givers: &'j mut Givers<'a>,
    problems: &'j mut Problems,
}

impl Taking<'_, '_> {
    fn entries<V: Clone + PartialEq>(
        &mut self,
        all: &mut BTreeMap<String, V>,
        more: &BTreeMap<String, V>,
        words: impl Fn(&V) -> String,
    ) {
        for (key, value) in more {
            match all.get(key) {
                Some(first) => self.compare(key, first, value, &words),
                None => {
                    all.insert(key.clone(), value.clone());
                    self.givers.insert(key.clone(), self.name);
                }
            }
        }
    }

    fn value<V: Copy + PartialEq + ToString>(&mut self, all: &mut Option<V>, more: Option<V>, key: &str) {
        match (*all, more) {
            (Some(first), Some(value)) => self.compare(key, &first, &value, V::to_string),
            (None, Some(value)) => {
                *all = Some(value);
                self.givers.insert(key.into(), self.name);
            }
            (_, None) => {}
        }
    }

    fn compare<V: PartialEq>(&mut self, key: &str, first: &V, value: &V, words: impl Fn(&V) -> String) {
        if first == value {
            return;
        }
        let other = self.givers.get(key).copied().unwrap_or_default();
        let cause = format!(
            "the variants `{other}` and `{}` do not go together: `{key}` is {} in the first and {} in the second",
            self.name,
            words(first),
            words(value)
        );
        self.problems.push(Problem::new("", "", cause, "choose one of them, or store a variant of your own"));
    }
}
