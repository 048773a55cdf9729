//! Names in expressions: reserved ones, those that numbers can have, and those that occur in a text.

use std::collections::BTreeSet;

use super::language::{VARIABLES, usage_of};

/// Whether the expression language itself defines this name.
pub fn reserved(name: &str) -> bool {
    VARIABLES.contains(&name)
        || usage_of(name).is_some()
        || matches!(name, "pi" | "tau" | "if" | "else" | "true" | "false")
}

/// Whether a number can have this name in expressions: letters, digits and `_`, not starting with a digit, and not
/// reserved.
pub fn usable(name: &str) -> bool {
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c| rest(c) && !c.is_ascii_digit()) && name.chars().all(rest) && !reserved(name)
}

/// Names that occur in a text and are not part of the language. The text need not be valid.
pub fn names(text: &str) -> BTreeSet<&str> {
    words(text).map(|(_, word)| word).filter(|word| usable(word)).collect()
}

/// Whether a variable or a number occurs in a text.
pub fn mentions(text: &str, name: &str) -> bool {
    words(text).any(|(_, word)| word == name)
}

/// The text with a number renamed.
pub fn rename(text: &str, old: &str, new: &str) -> String {
    replace(text, |word| (word == old).then(|| new.to_string()))
}

/// The text with several names replaced at the same time, so that names can be exchanged.
pub fn replace(text: &str, new: impl Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (at, word, new) in words(text).filter_map(|(at, word)| Some((at, word, new(word)?))) {
        out.push_str(text.get(copied..at).unwrap_or_default());
        out.push_str(&new);
        copied = at + word.len();
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    out
}

/// Words that are not a component (`.x`), an exponent (`1e3`) or a function, with their positions \[bytes\].
fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let part = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
            let start = at;
            let length = rest.find(part).unwrap_or(rest.len());
            let first = rest.chars().next()?;
            at += if length == 0 { first.len_utf8() } else { length };
            let component = text.get(..start).is_some_and(|before| before.trim_end().ends_with('.'));
            let called = text.get(at..).is_some_and(|after| after.trim_start().starts_with('('));
            if length > 0 && !first.is_ascii_digit() && !component && !called {
                return Some((start, rest.get(..length)?));
            }
        }
        None
    })
}
