//! Names of an export's files: `density.0001.vdb`.

use sha2::{Digest, Sha256};

use crate::files::portable;

/// Frame numbers are padded with zeros to this many digits.
const DIGITS: usize = 4;
/// The token that stands for the number of a frame.
const FRAME: &str = "frame";
/// Comes before the hash of a [`unique`] name.
const MARK: char = '~';
/// Longest name without the number \[bytes\]; file systems allow 255.
const MAX_LENGTH: usize = 200;

/// The text around the number of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Names {
    before: String,
    after: String,
}

/// `frame.0001`, `frame.0002`, ...
impl Default for Names {
    fn default() -> Names {
        Names { before: "frame.".into(), after: String::new() }
    }
}

impl Names {
    /// Names from a text with tokens, such as `{graph}_{name}.{frame}`: each token is replaced by its value, with `_` for what file names
    /// should not contain. Without `{frame}`, the number comes last.
    ///
    /// # Errors
    /// An unknown token, a separator of folders, or a name that is too long, in one sentence.
    pub fn parse(text: &str, tokens: &[(&str, &str)]) -> Result<Names, String> {
        let mut names = Names { before: String::new(), after: String::new() };
        let mut numbered = false;
        for piece in pieces(text)? {
            let part = if numbered { &mut names.after } else { &mut names.before };
            match piece {
                Piece::Token(FRAME) if !numbered => numbered = true,
                Piece::Token(FRAME) => return Err("`{frame}` is there twice; remove one".into()),
                Piece::Token(token) => {
                    let tokens_and_frame = tokens.iter().map(|(name, _)| *name).chain([FRAME]);
                    let value = tokens.iter().find(|(name, _)| *name == token);
                    part.push_str(&component(value.ok_or_else(|| unknown(token, tokens_and_frame))?.1));
                }
                Piece::Text(text) => {
                    if let Some(wrong) = text.chars().find(|c| *c == '}' || portable::is_forbidden(*c)) {
                        let remedy =
                            if matches!(wrong, '/' | '\\') { "choose the folder with --out" } else { "leave it out" };
                        return Err(format!("a file name can't contain {wrong:?}; {remedy}"));
                    }
                    part.push_str(text);
                }
            }
        }
        if !numbered {
            names.before.push('.');
        }
        if names.before.starts_with('.') {
            return Err("the name begins with a dot, so the files would be hidden; begin with a letter".into());
        }
        if names.before.starts_with('-') {
            return Err("the name begins with a dash, which programs take for an option; begin with a letter".into());
        }
        if [names.frame(1, "x"), names.single("x")].iter().any(|name| portable::is_device(name)) {
            names.before.insert(0, '_');
        }
        if names.before.len() + names.after.len() > MAX_LENGTH {
            return Err(format!("the name is longer than {MAX_LENGTH} bytes; shorten it"));
        }
        Ok(names)
    }

    /// The name of a frame's file; `ending` is the extension without the dot.
    pub fn frame(&self, index: u64, ending: &str) -> String {
        format!("{}{index:0DIGITS$}{}.{ending}", self.before, self.after)
    }

    /// The name of the one file of all frames.
    pub fn single(&self, ending: &str) -> String {
        let before = self.before.trim_end_matches(['.', '_', '-', ' ']);
        let before = if before.is_empty() && self.after.is_empty() { "frames" } else { before };
        format!("{before}{}.{ending}", self.after)
    }

    /// The number of a frame, from the name of its file in whatever case.
    pub fn number(&self, name: &str, ending: &str) -> Option<u64> {
        let [name, before, after, ending] = [name, &self.before, &self.after, ending].map(portable::folded);
        let digits = name.strip_prefix(before.as_str())?.strip_suffix(ending.as_str())?.strip_suffix('.')?;
        let digits = digits.strip_suffix(after.as_str())?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    }
}

/// A part of a text with tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// A token without its braces.
    Token(&'t str),
}

/// The parts of a text with tokens in braces.
///
/// # Errors
/// A brace that is not closed.
pub(super) fn pieces(text: &str) -> Result<Vec<Piece<'_>>, String> {
    let (mut pieces, mut rest) = (Vec::new(), text);
    while let Some((before, inner)) = rest.split_once('{') {
        let (token, after) = inner.split_once('}').ok_or("a token has no closing `}`".to_string())?;
        pieces.extend([Piece::Text(before), Piece::Token(token)]);
        rest = after;
    }
    pieces.push(Piece::Text(rest));
    Ok(pieces)
}

/// The error of an unknown token.
pub(super) fn unknown<'n>(token: &str, tokens: impl Iterator<Item = &'n str>) -> String {
    let tokens: Vec<String> = tokens.map(|name| format!("{{{name}}}")).collect();
    let tokens = match tokens.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => tokens.concat(),
    };
    format!("`{{{token}}}` is not a token; use {tokens}")
}

/// A text with `_` for everything that is not an ASCII letter, a digit or one of `-_.`: a name inside files of other programs.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
}

/// A value as a part of a path on every system, which is never the folder itself or the one above: with `_` for everything that is not
/// a letter or digit of any script or one of `-_.~`.
pub(super) fn component(text: &str) -> String {
    // In these scripts, of India and South-East Asia, some vowels are marks and no letters.
    let mark = |c: char| ('\u{900}'..='\u{109f}').contains(&c);
    let kept = |c: char| c.is_alphanumeric() || mark(c) || "-_.~".contains(c);
    let mut text: String = text.chars().map(|c| if kept(c) { c } else { '_' }).collect();
    if text.is_empty() || text.ends_with('.') {
        text.truncate(text.trim_end_matches('.').len());
        text.push('_');
    }
    if portable::is_device(&text) { format!("_{text}") } else { text }
}

/// A value as a part of a path, different for each text: where characters are replaced, a few digits of a hash follow.
pub(super) fn unique(text: &str) -> String {
    let safe = component(text);
    if safe == text && !text.contains(MARK) {
        return safe;
    }
    let [a, b, c, ..] = <[u8; 32]>::from(Sha256::digest(text.as_bytes()));
    format!("{safe}{MARK}{a:02x}{b:02x}{c:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_replaced_and_numbers_are_found_again() {
        let tokens = [("graph", "oil clock"), ("name", "solve/a.b")];
        let names = Names::parse("{graph}-{name}_{frame}_v2", &tokens).unwrap();
        assert_eq!(names.frame(7, "exr"), "oil_clock-solve_a.b_0007_v2.exr");
        assert_eq!(names.number("oil_clock-solve_a.b_12345_v2.exr", "exr"), Some(12345));
        assert_eq!(names.number("oil_clock-solve_a.b_12345_v2.vdb", "exr"), None);
        assert_eq!(names.number("oil_clock-solve_a.b_1x_v2.exr", "exr"), None);
        assert_eq!(names.single("csv"), "oil_clock-solve_a.b_v2.csv");
        assert_eq!(Names::parse("{name}", &tokens).unwrap().frame(1, "vdb"), "solve_a.b.0001.vdb");
        for (text, cause) in [
            ("{nome}.{frame}", "`{nome}` is not a token; use {graph}, {name} or {frame}"),
            ("a/{frame}", "can't contain '/'; choose the folder with --out"),
            ("{name", "no closing"),
            ("{frame}{frame}", "`{frame}` is there twice"),
            (".{name}", "begins with a dot"),
            ("-{name}", "begins with a dash"),
            ("a:{frame}", "can't contain ':'; leave it out"),
            ("a\n{frame}", "can't contain '\\n'"),
        ] {
            let error = Names::parse(text, &tokens).unwrap_err();
            assert!(error.contains(cause), "{text}: {error}");
        }
        assert!(Names::parse(&"x".repeat(300), &tokens).unwrap_err().contains("200 bytes"));
    }

    #[test]
    fn every_system_can_have_the_files_of_any_wire() {
        let wires =
            ["CON", "nul", "a:b", "..", "", "水", "com1.value", "$(x)", "a\"b'c", "\u{2028}", "=1+1", "x\n", "किताब"];
        for (wire, text) in wires.iter().flat_map(|wire| ["{name}.{frame}", "{frame}{name}"].map(|text| (wire, text))) {
            let Ok(names) = Names::parse(text, &[("name", *wire)]) else { panic!("{wire:?} in {text}") };
            for name in [names.frame(7, "npy"), names.single("csv")] {
                assert_eq!(portable::fault(&name), None, "{wire:?} in {text}: {name}");
                assert!(!name.starts_with(['.', '-']), "{name}");
            }
            assert_eq!(names.number(&names.frame(7, "npy").to_uppercase(), "npy"), Some(7), "{wire:?} in {text}");
        }
    }

    #[test]
    fn names_of_graphs_keep_their_letters_and_never_become_equal() {
        assert_eq!(["smoke", "水", "Wärme_2", "a.b-c"].map(unique), ["smoke", "水", "Wärme_2", "a.b-c"]);
        let alike = [
            "a b",
            "a_b",
            "a:b",
            "a\tb",
            "!!",
            "??",
            "__",
            "..",
            "...",
            "",
            ".",
            "con",
            "_con",
            "a_b~1b2c3d",
            "x",
            "x.",
            "x_",
        ];
        let mut names: Vec<String> = alike.iter().map(|text| unique(text)).collect();
        assert!(names.iter().all(|name| portable::fault(name).is_none()), "{names:?}");
        assert_eq!((names[0].len(), &names[0][..4]), (10, "a_b~"));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), alike.len(), "{names:?}");
    }
}
