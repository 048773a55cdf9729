//! Text from files as a terminal or a window may show it.

use std::borrow::Cow;

/// Longest text of a message \[characters\].
pub const MOST: usize = 2000;

/// Whether a character acts on a terminal, or turns or hides the text around it, instead of being seen.
fn acts(c: char) -> bool {
    let hidden = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}');
    c.is_control() || hidden || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// The text with such characters written out: `\u{1b}`. Lines stay lines.
pub fn lines(text: &str) -> Cow<'_, str> {
    written_out(text, |c| acts(c) && !matches!(c, '\n' | '\t'), |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// The same for a name: it stays on its line.
pub fn name(text: &str) -> Cow<'_, str> {
    written_out(text, acts, |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// The same for JSON, in whose texts such characters have a spelling of their own.
pub fn json(text: &str) -> Cow<'_, str> {
    let spelt = |c: char| {
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    };
    written_out(text, |c| acts(c) && c != '\n', spelt)
}

/// The text with a placeholder for each such character, so that columns stay what they are.
pub fn in_place(text: &str) -> String {
    let shown = |c| match c {
        '\n' | '\t' => c,
        '\r' => ' ',
        _ if acts(c) => '\u{fffd}',
        _ => c,
    };
    text.chars().map(shown).collect()
}

/// No more of a message than a person reads: the beginning, and how much is left out.
pub fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MOST) {
        None => Cow::Borrowed(text),
        Some((end, _)) => {
            let (begin, rest) = text.split_at(end);
            Cow::Owned(format!("{begin}... ({} more characters)", rest.chars().count()))
        }
    }
}

fn written_out(text: &str, which: impl Fn(char) -> bool, as_text: impl Fn(char) -> String) -> Cow<'_, str> {
    if !text.contains(&which) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match which(c) {
            true => out.push_str(&as_text(c)),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// A number as short as it can be without being another: very large and very small ones with an exponent.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value.is_finite() && value != 0.0 && !(1e-5..1e15).contains(&size) {
        format!("{value:e}")
    } else {
        value.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_written_out() {
        assert_eq!(lines("a\u{1b}[31m\n\tb\u{202e}c\r"), "a\\u{1b}[31m\n\tb\\u{202e}c\\u{d}");
        assert_eq!(name("two\nlines \u{9b}"), "two\\u{a}lines \\u{9b}");
        assert_eq!(json("\"\u{202e}\u{7f}\""), r#""\u202e\u007f""#);
        assert!(matches!(lines("plain é 漢 🦀"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_message_is_cut_between_characters() {
        assert_eq!(cut("short"), "short");
        let long = "é".repeat(MOST + 7);
        assert!(cut(&long).ends_with("é... (7 more characters)"));
    }

    #[test]
    fn large_numbers_have_an_exponent() {
        for (value, text) in
            [(1e308, "1e308"), (-1e-30, "-1e-30"), (0.5, "0.5"), (0.0, "0"), (1e6, "1000000"), (f64::NAN, "NaN")]
        {
            assert_eq!(number(value), text);
        }
    }
}
