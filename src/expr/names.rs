//! Names in expressions: which are the language's own, which numbers can be written, and which a text mentions.

use std::collections::BTreeSet;

use super::{VARIABLES, usage_of};

/// Whether the language of expressions gives a name a meaning of its own.
pub fn reserved(name: &str) -> bool {
    VARIABLES.contains(&name)
        || usage_of(name).is_some()
        || matches!(name, "pi" | "tau" | "if" | "else" | "true" | "false")
}

/// Whether an expression can name a number so: letters, digits and `_`, no digit in front, and no word of the language.
pub fn usable(name: &str) -> bool {
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_';
    name.starts_with(|c| rest(c) && !c.is_ascii_digit()) && name.chars().all(rest) && !reserved(name)
}

/// Names that a text mentions and the language does not know, whether it reads as an expression or not.
pub fn names(text: &str) -> BTreeSet<&str> {
    words(text).map(|(_, word)| word).filter(|word| usable(word)).collect()
}

/// Whether a text mentions a variable or a number.
pub fn mentions(text: &str, name: &str) -> bool {
    words(text).any(|(_, word)| word == name)
}

/// The text with another name for a number.
pub fn rename(text: &str, old: &str, new: &str) -> String {
    replace(text, |word| (word == old).then(|| new.to_string()))
}

/// The text with other names, all put in at once: names may change places.
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

/// Words that are no part of a vector (`.x`), no exponent (`1e3`) and no function, and where they begin \[bytes\].
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
