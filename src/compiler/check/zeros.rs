//! Prepares a kernel's text for naga. naga 29 and 30 evaluate a constant vector wrongly that begins with a shorter
//! vector's zero value: of `vec4f(vec3f(), 1.0)`, `.y` is 1, and `.x` is an error. With `vec3f(0)` the result is
//! correct. So `vec3f()` is rewritten as `vec3f(0)`, and positions in the text are mapped back.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::stage::syntax::{Token, tokens};

/// A text with explicit zero vectors.
pub(crate) struct Spelled<'a> {
    written: &'a str,
    pub text: Cow<'a, str>,
    /// Insertions: offset in the new text, and length \[bytes\].
    added: Vec<(usize, usize)>,
}

impl<'a> Spelled<'a> {
    pub(crate) fn new(written: &'a str) -> Spelled<'a> {
        let tokens = tokens(written);
        let aliases = aliases(&tokens);
        let mut text = String::new();
        let mut added = Vec::new();
        let mut done = 0;
        for (at, pair) in tokens.windows(2).enumerate() {
            let [Token { text: "(", start, .. }, Token { text: ")", .. }] = pair else { continue };
            let Some(zero) = tokens.get(..at).and_then(|before| zero(before, &aliases)) else { continue };
            text += written.get(done..=*start).unwrap_or_default();
            added.push((text.len(), zero.len()));
            text += zero;
            done = start + 1;
        }
        if added.is_empty() {
            return Spelled { written, text: Cow::Borrowed(written), added };
        }
        text += written.get(done..).unwrap_or_default();
        Spelled { written, text: Cow::Owned(text), added }
    }

    /// Where a span begins in the original text.
    pub(crate) fn location(&self, span: naga::Span) -> Option<naga::SourceLocation> {
        let range = span.to_range()?;
        let [start, end] = [range.start, range.end].map(|at| {
            let before = self.added.iter().take_while(|(place, _)| *place < at);
            before.fold(at, |back, (place, long)| back - (*long).min(at - place))
        });
        Some(naga::Span::new(start as u32, end as u32).location(self.written))
    }
}

/// The notation of zero components for the vector type that ends these tokens; `None` where it is not a vector.
fn zero(tokens: &[Token], aliases: &BTreeMap<&str, &'static str>) -> Option<&'static str> {
    let of = |vector: &str, scalar: &str| match (vector, scalar) {
        ("vec2" | "vec3" | "vec4", "f32" | "i32" | "u32" | "f16") => Some("0"),
        ("vec2" | "vec3" | "vec4", "bool") => Some("false"),
        _ => None,
    };
    match tokens {
        [.., vector, Token { text: "<", .. }, scalar, Token { text: ">", .. }] => of(vector.text, scalar.text),
        [.., Token { text: "vec2" | "vec3" | "vec4", .. }] => Some("0"),
        [.., Token { text, .. }] => match text.strip_suffix(['f', 'i', 'u', 'h']) {
            Some("vec2" | "vec3" | "vec4") => Some("0"),
            _ => aliases.get(text).copied(),
        },
        [] => None,
    }
}

/// Aliases of vectors, and the notation of their zeros.
fn aliases<'a>(tokens: &[Token<'a>]) -> BTreeMap<&'a str, &'static str> {
    let declared = tokens.iter().enumerate().filter(|(_, token)| token.text == "alias").filter_map(|(at, _)| {
        let [name, Token { text: "=", .. }, ty @ ..] = tokens.get(at + 1..)? else { return None };
        Some((name.text, ty.split(|token| token.text == ";").next()?))
    });
    let declared: Vec<_> = declared.collect();
    let mut zeros_by_alias = BTreeMap::new();
    // An alias may be declared before the one that it refers to.
    for _ in 0..declared.len() {
        let found: Vec<_> =
            declared.iter().filter_map(|(name, ty)| Some((*name, zero(ty, &zeros_by_alias)?))).collect();
        let before = zeros_by_alias.len();
        zeros_by_alias.extend(found);
        if zeros_by_alias.len() == before {
            break;
        }
    }
    zeros_by_alias
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zero_vectors_are_spelled_out() {
        for (written, spelled) in [
            ("a = vec4f(vec3f(), 1.0) + f();", "a = vec4f(vec3f(0), 1.0) + f();"),
            ("vec3<f32>() vec2 < u32 > ( ) vec4<bool>()", "vec3<f32>(0) vec2 < u32 > (0 ) vec4<bool>(false)"),
            ("alias B = A; alias A = vec3<bool>; B() A()", "alias B = A; alias A = vec3<bool>; B(false) A(false)"),
            ("alias Vec = vec2f; Vec ( ) ", "alias Vec = vec2f; Vec (0 ) "),
            (
                "mat3x3f() array<vec3f, 2>() myvec3f() S() u32() vec3<T>()",
                "mat3x3f() array<vec3f, 2>() myvec3f() S() u32() vec3<T>()",
            ),
            ("() ( ( a<b>() \u{e9}vec2f() x vec2i(1) // vec2f()", "() ( ( a<b>() \u{e9}vec2f() x vec2i(1) // vec2f()"),
        ] {
            assert_eq!(Spelled::new(written).text, spelled);
        }
    }

    #[test]
    fn places_are_those_of_what_was_written() {
        let written = "vec3f();\nvec3<bool>(); vec2f(); here";
        let spelled = Spelled::new(written);
        for word in ["here", "vec2f", "vec3<bool>", "vec3f"] {
            let [new, old] = [&*spelled.text, written].map(|text| text.find(word).unwrap() as u32);
            let location = spelled.location(naga::Span::new(new, new + word.len() as u32)).unwrap();
            assert_eq!((location.offset, location.length), (old, word.len() as u32), "{word}");
        }
        // Around an insertion, and inside it.
        assert_eq!(spelled.location(naga::Span::new(0, 8)).map(|l| l.length), Some(7));
        assert_eq!(spelled.location(naga::Span::new(22, 24)).map(|l| l.offset), Some(20));
    }
}
