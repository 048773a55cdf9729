//! Variants that are chosen together, by a name such as `article + picture`.

use std::collections::BTreeMap;

use super::{Document, NodeKind, Variant};
use crate::problem::{Problem, Problems};

impl Document {
    /// A variant that replaces all that those variants replace which a name such as `article + picture` names. None of them is chosen.
    ///
    /// # Errors
    /// When there is no such variant, or two of them give something different values.
    pub(super) fn joined(&self, name: &str) -> Result<Variant, Problems> {
        let parts: Vec<&str> = name.split('+').map(str::trim).collect();
        if parts.len() < 2 {
            return Err(self.no_variant(name).into());
        }
        let mut joining = Joining::default();
        for part in parts {
            let variant = self.variants.get(part).ok_or_else(|| self.no_variant(part))?;
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
