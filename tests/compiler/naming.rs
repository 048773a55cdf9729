//! Names say what they hold and what they do.

use std::path::Path;

use super::layers::sources;

/// Names of bindings and parameters that say nothing without a noun.
const BINDINGS: [&str; 6] = ["known", "own", "asked", "told", "given", "taken"];

/// Names of free functions that do not say what they return or do.
const FUNCTIONS: [&str; 5] = ["of", "at", "look", "settle", "beside"];

/// The words and marks of Rust code with the lines that they are on, without comments, strings, characters and lifetimes.
fn tokens(code: &str) -> Vec<(usize, &str)> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut tokens = Vec::new();
    let mut line = 1;
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        let hashes = rest[word..].len() - rest[word..].trim_start_matches('#').len();
        let is_raw = matches!(&rest[..word], "r" | "br") && rest[word + hashes..].starts_with('"');
        let mut escaped = false;
        let (length, is_code) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), false)
        } else if is_raw {
            let start = word + hashes + 1;
            let end = format!("\"{}", "#".repeat(hashes));
            (start + rest[start..].find(&end).expect("a raw string ends") + end.len(), false)
        } else if first == '"' {
            let is_end = |c: char| {
                let is_escaped = escaped;
                escaped = c == '\\' && !is_escaped;
                c == '"' && !is_escaped
            };
            (2 + rest[1..].find(is_end).expect("a string ends"), false)
        } else if let Some(escape) = rest.strip_prefix("'\\") {
            (3 + escape[1..].find('\'').expect("a character ends") + 1, false)
        } else if first == '\'' {
            let character: usize = rest.chars().take(2).map(char::len_utf8).sum();
            (if rest[character..].starts_with('\'') { character + 1 } else { 1 + word_after(rest) }, false)
        } else {
            (if word > 0 { word } else { first.len_utf8() + usize::from(rest.starts_with("::")) }, true)
        };
        if is_code && !first.is_whitespace() {
            tokens.push((line, &rest[..length]));
        }
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    tokens
}

/// The length of the word after the first character.
fn word_after(text: &str) -> usize {
    text[1..].find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len() - 1)
}

/// Where code binds or uses a variable of `BINDINGS` or defines a free function of `FUNCTIONS`.
fn vague_names(code: &str) -> Vec<(usize, &str)> {
    let tokens = tokens(code);
    let mut vague = Vec::new();
    // The brackets around a token; `impl` for those of an implementation or a trait.
    let mut open = Vec::new();
    let mut is_impl = false;
    for (index, &(line, token)) in tokens.iter().enumerate() {
        let before = if index > 0 { tokens[index - 1].1 } else { "" };
        let after = tokens.get(index + 1).map_or("", |next| next.1);
        match token {
            "{" if std::mem::take(&mut is_impl) => open.push("impl"),
            "(" | "[" | "{" => open.push(token),
            ")" | "]" | "}" => drop(open.pop()),
            "impl" | "trait" => is_impl |= matches!(before, "" | "}" | ";" | "]" | ")" | "{" | "unsafe" | "pub"),
            _ if FUNCTIONS.contains(&token) && before == "fn" && open.last() != Some(&"impl") => {
                vague.push((line, token));
            }
            _ if BINDINGS.contains(&token) && !matches!(before, "." | "::" | "fn" | "mod") => {
                // A colon follows a parameter, and in braces a field too.
                let is_field = after == ":" && open.last() != Some(&"(") && !matches!(before, "let" | "mut" | "|");
                if !is_field && !matches!(after, "(" | "::" | "!") {
                    vague.push((line, token));
                }
            }
            _ => {}
        }
    }
    vague
}

#[test]
fn names_say_what_they_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    sources(&root.join("src"), &mut files);
    assert!(files.len() > 500, "the scan finds the sources: {}", files.len());
    let mut vague = Vec::new();
    for file in files {
        let code = std::fs::read_to_string(&file).unwrap();
        let shown = file.strip_prefix(root).unwrap().display();
        vague.extend(vague_names(&code).iter().map(|(line, name)| format!("{shown}:{line}: {name}")));
    }
    assert!(vague.is_empty(), "{} names need a noun or a verb:\n{}", vague.len(), vague.join("\n"));
}

#[test]
fn a_vague_name_is_found() {
    for (code, lines) in [
        ("let mut known = 1;", vec![1]),
        ("fn f(\n    asked: u32,\n) {}", vec![2]),
        ("values.map(|(_, told)| 1)", vec![1]),
        ("values.map(|given: u32| 1)", vec![1]),
        ("if let Some(taken) = x {}\nfor own in y {}", vec![1, 2]),
        ("fn at() {}\nimpl A {\n    fn of() {}\n}\nfn look(x: impl Fn()) {}", vec![1, 5]),
        ("struct A { known: u32 }\nlet a = A { known: 1 }; a.known; a.told(); own(); given::b", vec![]),
        ("// let known\n\"let own \\\" let own\"; r#\"let \"asked\"\"#; '\"'; '\\''; x::<'told>()", vec![]),
    ] {
        assert_eq!(vague_names(code).iter().map(|(line, _)| *line).collect::<Vec<_>>(), lines, "{code}");
    }
}
