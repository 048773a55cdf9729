//! Text as a word, a cell or a string of another language. Paths and names come from anywhere, so all of them go through here.

use std::borrow::Cow;
use std::fmt::Write as _;

/// A word of a command line: in single quotes where a POSIX shell would read it as something else.
pub fn shell(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+@,%".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.into() } else { format!("'{}'", word.replace('\'', r"'\''")) }
}

/// A path as an argument, which is never taken for an option.
pub fn argument(path: &str) -> Cow<'_, str> {
    if path.starts_with('-') { format!("./{path}").into() } else { path.into() }
}

/// Text in a cell of a CSV file, as RFC 4180 quotes it, on one line. Spreadsheets take text for a formula that begins with one of `=+-@`:
/// an apostrophe in front keeps it text, as when it is typed.
pub fn csv(text: &str) -> String {
    let breaks = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}');
    let line: String = text.chars().map(|c| if breaks(c) { ' ' } else { c }).collect();
    let formula = line.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let line = if formula && text.trim().parse::<f64>().is_err() { format!("'{line}") } else { line };
    // A semicolon separates cells where a comma is a decimal point.
    if line.contains([',', ';', '"']) { format!("\"{}\"", line.replace('"', "\"\"")) } else { line }
}

/// A string of JSON, in ASCII but for letters: it is one of YAML and of JavaScript too, and no part of it ends a script in a page.
pub fn json(text: &str) -> String {
    escaped(&serde_json::Value::from(text).to_string())
}

/// JSON with escapes for what YAML, JavaScript or HTML would read as something else.
pub fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Outside of strings, JSON has none of these.
            '<' | '>' | '&' | '\u{7f}'..='\u{a0}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}' => {
                let _ = write!(out, "\\u{:04x}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// A file name as a part of an address.
pub fn address(name: &str) -> String {
    percent_encoding::utf8_percent_encode(name, percent_encoding::NON_ALPHANUMERIC).to_string()
}

/// Text for an element or an attribute of XML and HTML. XML 1.0 cannot represent most control characters, so these are replaced.
pub fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\n' | '\r' | '\t' => {
                let _ = write!(out, "&#{};", c as u32);
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

/// Names that break what is not quoted, for tests.
#[doc(hidden)]
pub const NASTY: &[&str] = &[
    "plain",
    "a b",
    "",
    " ",
    "it's",
    "'",
    "''",
    "\"",
    "\\",
    "\\'",
    "a\nb",
    "a\nJOB\ntouch PWNED\n",
    "\r\n",
    "\t",
    "\u{7}",
    "\u{7f}",
    "\u{85}",
    "\u{2028}jobEnvironments: []",
    "\u{2029}",
    "\u{feff}",
    "$(touch PWNED)",
    "`touch PWNED`",
    "$HOME",
    "${x:-y}",
    "a;b",
    "a|b&c",
    "> PWNED",
    "*",
    "~",
    "#x",
    "a #b",
    "a: b",
    "- a",
    "-x",
    "--help",
    "=1+1",
    "=cmd|'calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    "\t=1+1",
    "a,b",
    "a;=1+1",
    "\"=1+1\"",
    "＝1+1",
    "!tag",
    "&anchor",
    "*alias",
    "{a: b}",
    "[a]",
    "%d",
    "%%",
    "null",
    "yes",
    "0x10",
    "</script><x>",
    "<!--",
    "]]>",
    "&amp;",
    "水",
    "\u{202e}gnp.exe",
    "{{Param.Program}}",
    "\u{1f525}",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_shell_reads_each_word_as_it_was() {
        // Twice: a command in a word of another.
        let script: String = NASTY.iter().map(|word| format!("printf '%s\\0' {}\n", shell(word))).collect();
        let whole = format!("sh -c {}", shell(&script));
        for script in [script, whole] {
            let output = std::process::Command::new("sh").args(["-c", &script]).output().unwrap();
            let words: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
            let expected: Vec<&[u8]> = NASTY.iter().map(|word| word.as_bytes()).chain([&b""[..]]).collect();
            assert_eq!(words, expected);
        }
        assert_eq!([argument("-x"), argument("a-x")], ["./-x", "a-x"]);
    }

    #[test]
    fn json_reads_back_and_has_nothing_that_another_reader_acts_on() {
        for text in NASTY {
            let quoted = json(text);
            assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), *text, "{quoted}");
            let acts =
                |c: char| c.is_control() || matches!(c, '<' | '&' | '\u{2028}' | '\u{2029}' | '\u{85}' | '\u{feff}');
            assert!(!quoted.contains(acts), "{quoted:?}");
        }
    }

    #[test]
    fn cells_are_one_line_one_cell_and_no_formula() {
        for text in NASTY {
            let cell = csv(text);
            assert!(!cell.contains(['\n', '\r', '\u{2028}', '\t']), "{cell:?}");
            let inner = cell.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(&cell);
            let quotes = inner.replace("\"\"", "");
            assert!(!quotes.contains('"') && (inner.len() < cell.len() || !inner.contains([',', ';'])), "{cell:?}");
            let first = inner.trim_start_matches([' ', '"']).chars().next();
            assert!(
                !first.is_some_and(|first| "=+-@＝".contains(first))
                    || !text.trim_start().starts_with(['=', '+', '-', '@']),
                "{cell:?}"
            );
        }
        assert_eq!(
            ["-1.5", "a", "a,b", "say \"x\"", "=1"].map(csv),
            ["-1.5", "a", "\"a,b\"", "\"say \"\"x\"\"\"", "'=1"]
        );
    }

    #[test]
    fn xml_has_no_markup_and_no_character_that_it_forbids() {
        for text in NASTY {
            let quoted = xml(text);
            assert!(!quoted.contains(['<', '>', '"', '\'']), "{quoted:?}");
            assert!(!quoted.contains(|c: char| c < ' '), "{quoted:?}");
        }
        assert_eq!(xml("a < b & \"c\"\n\u{1b}"), "a &lt; b &amp; &quot;c&quot;&#10;\u{fffd}");
    }
}
