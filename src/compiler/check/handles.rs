//! Replaces naga's own handles (`[5]`, `Some([5])`) in its error messages by the names and code that they refer to.

use naga::valid::{EntryPointError, ValidationError};
use naga::{Function, Module, Span, WithSpan};

/// Longer code is not quoted.
const MOST_QUOTED: usize = 60;

/// A message of naga with names and parts of `text` in place of handles. Handles of things that cannot be shown are
/// removed.
pub(crate) fn named(message: &str, module: &Module, error: &WithSpan<ValidationError>, text: &str) -> String {
    let function = function_of(module, error.as_inner());
    let words: Vec<&str> = message.split_inclusive(' ').collect();
    let mut out = String::new();
    for (at, word) in words.iter().enumerate() {
        let Some(index) = handle(word) else {
            out.push_str(word);
            continue;
        };
        let before = at.checked_sub(1).and_then(|before| words.get(before)).map_or("", |word| word.trim());
        // `Function [3] 'stage'` contains the name already.
        let is_named = words.get(at + 1).is_some_and(|next| next.starts_with('\''));
        let shown = match before {
            _ if is_named => None,
            "to" if message.contains("Call to") => module.functions.iter().nth(index).and_then(|(_, f)| f.name.clone()),
            "type" | "types" => module.types.iter().nth(index).and_then(|(_, ty)| ty.name.clone()),
            _ => function.and_then(|function| expression(function, index, text)),
        };
        let end = word.trim_end().trim_end_matches(|c| c != ':' && c != ',').len();
        let end = word.get(end.saturating_sub(1)..).filter(|end| end.starts_with([':', ','])).unwrap_or("");
        match shown {
            Some(shown) => out.push_str(&format!("`{shown}`{}", if end.is_empty() { " " } else { end })),
            // The punctuation mark belongs to the word before.
            None if !end.is_empty() => out = format!("{}{end}", out.trim_end()),
            None => {}
        }
    }
    out.trim_end().replace("Call to `", "the call of `")
}

/// The number of a word that is a handle.
fn handle(word: &str) -> Option<usize> {
    let bare = word.trim().trim_start_matches("Some(").trim_end_matches([':', ',', ')', '.']);
    bare.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

/// The function that an error refers to.
fn function_of<'m>(module: &'m Module, error: &ValidationError) -> Option<&'m Function> {
    match error {
        ValidationError::Function { handle, .. } => module.functions.try_get(*handle).ok(),
        ValidationError::EntryPoint { name, source: EntryPointError::Function(_), .. } => {
            module.entry_points.iter().find(|entry| entry.name == *name).map(|entry| &entry.function)
        }
        _ => None,
    }
}

/// The source text of an expression.
fn expression(function: &Function, index: usize, text: &str) -> Option<String> {
    let (handle, _) = function.expressions.iter().nth(index)?;
    let span: Span = function.expressions.get_span(handle);
    let written = text.get(span.to_range()?)?;
    let short =
        !written.is_empty() && written.len() <= MOST_QUOTED && !written.contains('\n') && !written.starts_with('_');
    short.then(|| written.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(body: &str) -> String {
        let text = format!("fn twice(x: f32) -> f32 {{ return x + x; }}\n{body}");
        let module = naga::front::wgsl::parse_str(&text).unwrap();
        let flags = naga::valid::ValidationFlags::all();
        let error =
            naga::valid::Validator::new(flags, naga::valid::Capabilities::default()).validate(&module).unwrap_err();
        let mut message = error.as_inner().to_string();
        let mut source = std::error::Error::source(error.as_inner());
        while let Some(inner) = source {
            message = format!("{message}: {inner}");
            source = inner.source();
        }
        println!("{message}");
        let said = named(&message, &module, &error, &text);
        println!("  {said}");
        assert!(!said.contains('[') && !said.contains("  ") && !said.contains(" :"), "{said}");
        said
    }

    #[test]
    fn handles_are_named() {
        let call = said("fn f() { let y = twice(vec2f()); }");
        assert!(call.contains("the call of `twice` is invalid"), "{call}");
        let condition = said("fn f(a: f32) { if a { } }");
        assert!(condition.contains("`a`"), "{condition}");
        let returned = said("fn f(a: vec2f) -> f32 { return a.xy; }");
        assert!(returned.contains("`a.xy`"), "{returned}");
    }
}
