//! Makes text from files safe to show in a terminal or a window.

use std::borrow::Cow;

/// Length at which the text of a message is cut \[characters\].
pub const MAX_CHARACTERS: usize = 2000;

/// Whether a character is invisible and controls the terminal, or reorders or hides the text around it.
fn acts(c: char) -> bool {
    let hidden = matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}');
    c.is_control() || hidden || matches!(c, '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}')
}

/// The text with such characters escaped, as in `\u{1b}`. Line breaks and tabs stay.
pub fn lines(text: &str) -> Cow<'_, str> {
    written_out(text, |c| acts(c) && !matches!(c, '\n' | '\t'), |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// A name with all such characters escaped, line breaks included: a name must stay on one line.
pub fn name(text: &str) -> Cow<'_, str> {
    written_out(text, acts, |c| format!("\\u{{{:x}}}", u32::from(c)))
}

/// A text for a JSON string, with its escapes.
pub fn json(text: &str) -> Cow<'_, str> {
    let spelt = |c: char| {
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect()
    };
    written_out(text, |c| acts(c) && c != '\n', spelt)
}

/// The text with a placeholder for each such character, so that columns do not change.
pub fn in_place(text: &str) -> String {
    let shown = |c| match c {
        '\n' | '\t' => c,
        '\r' => ' ',
        _ if acts(c) => '\u{fffd}',
        _ => c,
    };
    text.chars().map(shown).collect()
}

/// The beginning of a long message, and how many characters were cut.
pub fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(MAX_CHARACTERS) {
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

/// A size on disk such as `1.2 GB`.
pub fn size(bytes: u64) -> String {
    let units = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3)];
    let size = bytes as f64;
    match units.into_iter().find(|(_, unit)| size >= *unit) {
        Some((name, unit)) if size / unit < 9.95 => format!("{:.1} {name}", size / unit),
        Some((name, unit)) => format!("{:.0} {name}", size / unit),
        None => format!("{bytes} bytes"),
    }
}

/// The shortest text of a number that still reads back as the same number; very large and very small ones get an
/// exponent.
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
        let long = "é".repeat(MAX_CHARACTERS + 7);
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
