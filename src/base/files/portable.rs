//! Names of files and folders that every system can have: what Windows reserves is refused everywhere, so that a graph writes the same
//! files on each machine.

/// Names that Windows reserves for devices, whatever their extension.
const DEVICES: [&str; 6] = ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"];
/// Names that Windows reserves for devices where a digit follows.
const NUMBERED_DEVICES: [&str; 2] = ["COM", "LPT"];
/// Longest name \[bytes\].
const MAX_LENGTH: usize = 255;

/// Why some systems can't have a file or folder of this name, as the end of a sentence; `None` where all can.
pub fn fault(name: &str) -> Option<String> {
    if let Some(wrong) = name.chars().find(|c| is_forbidden(*c)) {
        return Some(format!("a name can't contain {wrong:?} on every system"));
    }
    if name.is_empty() || name.ends_with(['.', ' ']) {
        return Some("a name can't be empty or end with a dot or a space on every system".into());
    }
    if is_device(name) {
        return Some(format!("`{}` is the name of a device on Windows", name.split('.').next().unwrap_or_default()));
    }
    (name.len() > MAX_LENGTH).then(|| format!("a name has at most {MAX_LENGTH} bytes"))
}

/// Whether a file name can't have this character on some system.
pub fn is_forbidden(c: char) -> bool {
    // A line or paragraph separator ends a line for some readers of text.
    c.is_control() || matches!(c, '/' | '\\' | ':' | '*' | '?' | '"' | '<' | '>' | '|' | '\u{2028}' | '\u{2029}')
}

/// Whether Windows takes a name for a device: by what comes before the first dot, without spaces at its end.
pub fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end_matches(' ').to_uppercase();
    let numbered = |device: &&str| {
        let end = stem.strip_prefix(*device).map(|end| end.chars().collect::<Vec<char>>());
        matches!(end.as_deref(), Some(['0'..='9' | '¹' | '²' | '³']))
    };
    DEVICES.contains(&stem.as_str()) || NUMBERED_DEVICES.iter().any(numbered)
}

/// A name as systems compare it that ignore case.
pub fn folded(name: &str) -> String {
    name.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_some_system_reserves_is_refused() {
        let bad = [
            "",
            "a.",
            "a ",
            ".",
            "..",
            "CON",
            "con",
            "Con.0001.npy",
            "nul .png",
            "COM1",
            "lpt9.txt",
            "com²",
            "CONOUT$",
            "a:b",
            "a/b",
            "a\\b",
            "a\nb",
            "a?",
            "a|b",
            "a\"b",
            "a\u{2028}b",
        ];
        for name in bad {
            assert!(fault(name).is_some(), "{name:?}");
        }
        for name in ["a", "CONE", "COM", "COM10", "console.png", "水.0001.npy", "a b", ".hidden", "-a", "null"] {
            assert_eq!(fault(name), None, "{name:?}");
        }
        assert!(fault(&"x".repeat(256)).is_some());
        assert_eq!(folded("Straße É"), folded("STRASSE é"));
    }
}
