//! Names of an export's files: `density.0001.vdb`.

/// Frame numbers are padded with zeros to this many digits.
const DIGITS: usize = 4;
/// The token that stands for the number of a frame.
const FRAME: &str = "{frame}";
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
        let mut rest = text;
        let mut numbered = false;
        while !rest.is_empty() {
            let part = if numbered { &mut names.after } else { &mut names.before };
            if let Some(after) = rest.strip_prefix(FRAME).filter(|_| !numbered) {
                (numbered, rest) = (true, after);
            } else if let Some(inner) = rest.strip_prefix('{') {
                let (token, after) = inner.split_once('}').ok_or("a token has no closing `}`".to_string())?;
                let value = tokens.iter().find(|(name, _)| *name == token).ok_or_else(|| {
                    let known: Vec<String> = tokens.iter().map(|(name, _)| format!("{{{name}}}")).collect();
                    format!("`{{{token}}}` is not a token; use {} and {FRAME} once", known.join(", "))
                })?;
                part.push_str(&plain(value.1));
                rest = after;
            } else {
                let next = rest.chars().next().unwrap_or_default();
                if matches!(next, '/' | '\\' | '}') || next.is_control() {
                    return Err(format!("a file name can't contain {next:?}; choose the folder with --out"));
                }
                part.push(next);
                rest = rest.get(next.len_utf8()..).unwrap_or_default();
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

/// A text with its known tokens replaced, with `_` for what file names should not contain; others stay as they are.
pub fn replace_tokens(text: &str, tokens: &[(&str, &str)]) -> String {
    tokens.iter().fold(text.to_string(), |text, (name, value)| text.replace(&format!("{{{name}}}"), &plain(value)))
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
            ("{nome}.{frame}", "`{nome}` is not a token; use {graph}, {name} and {frame} once"),
            ("a/{frame}", "can't contain '/'; choose the folder with --out"),
            ("{name", "no closing"),
            ("{frame}{frame}", "`{frame}` is not a token"),
            (".{name}", "begins with a dot"),
        ] {
            let error = Names::parse(text, &tokens).unwrap_err();
            assert!(error.contains(cause), "{text}: {error}");
        }
        assert!(Names::parse(&"x".repeat(300), &tokens).unwrap_err().contains("200 bytes"));
    }
}
