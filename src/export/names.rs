//! Names of an export's files: `density.0001.vdb`.

/// Frame numbers are padded with zeros to this many digits.
const DIGITS: usize = 4;
/// The token that stands for the number of a frame.
const FRAME: &str = "frame";
/// Longest name without the number [bytes]; file systems allow 255.
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
    /// From a text with tokens, such as `{graph}_{name}.{frame}`: each token is replaced by its value, with `_` for what file names
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
                    let known = tokens.iter().map(|(name, _)| *name).chain([FRAME]);
                    let value = tokens.iter().find(|(name, _)| *name == token);
                    part.push_str(&plain(value.ok_or_else(|| unknown(token, known))?.1));
                }
                Piece::Text(text) => {
                    if let Some(wrong) = text.chars().find(|c| matches!(c, '/' | '\\' | '}') || c.is_control()) {
                        return Err(format!("a file name can't contain {wrong:?}; choose the folder with --out"));
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
        format!("{before}{}.{ending}", self.after)
    }

    /// The number of a frame, from the name of its file.
    pub fn number(&self, name: &str, ending: &str) -> Option<u64> {
        let digits = name.strip_prefix(self.before.as_str())?.strip_suffix(ending)?.strip_suffix('.')?;
        let digits = digits.strip_suffix(self.after.as_str())?;
        digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    }
}

/// A part of a text with tokens.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Piece<'t> {
    Text(&'t str),
    /// Without its braces.
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
pub(super) fn unknown<'n>(token: &str, known: impl Iterator<Item = &'n str>) -> String {
    let known: Vec<String> = known.map(|name| format!("{{{name}}}")).collect();
    let known = match known.split_last() {
        Some((last, others)) if !others.is_empty() => format!("{} or {last}", others.join(", ")),
        _ => known.concat(),
    };
    format!("`{{{token}}}` is not a token; use {known}")
}

/// A text with `_` for everything that is not a letter, a digit or one of `-_.`.
pub fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '_' }).collect()
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
        ] {
            let error = Names::parse(text, &tokens).unwrap_err();
            assert!(error.contains(cause), "{text}: {error}");
        }
        assert!(Names::parse(&"x".repeat(300), &tokens).unwrap_err().contains("200 bytes"));
    }
}
