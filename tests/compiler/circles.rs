//! Checks that no more than two files import each other in a cycle, according to the paths in the code. A name is followed through
//! re-exports to the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use super::layers;

/// `a::b::c`, by segments.
type Name = Vec<String>;

/// A file's own paths, and what the first words of them mean.
#[derive(Default)]
struct Source {
    scope: BTreeMap<String, Name>,
    paths: Vec<Name>,
}

/// Words, `::`, and every other character by itself; no comments, strings and lifetimes.
fn tokens(code: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(first) = rest.chars().next() {
        let hashes = rest.strip_prefix('r').map_or(0, |raw| raw.len() - raw.trim_start_matches('#').len());
        let raw = rest.starts_with('r') && rest[1 + hashes..].starts_with('"');
        let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let length = match first {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            'r' if raw => {
                let end = format!("\"{}", "#".repeat(hashes));
                let body = 2 + hashes;
                body + rest[body..].find(&end).map_or(0, |at| at + end.len())
            }
            '"' => string(rest),
            '\'' => character(rest),
            ':' if rest.starts_with("::") => 2,
            _ => word.max(first.len_utf8()),
        };
        let (token, after) = rest.split_at(length);
        let skipped = first.is_whitespace() || raw || matches!(first, '"' | '\'') || token.starts_with("//");
        found.extend((!skipped).then_some(token));
        rest = after;
    }
    found
}

/// The length of the string that a text begins with.
fn string(text: &str) -> usize {
    let mut escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let ends = *c == '"' && !escaped;
        escaped = *c == '\\' && !escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at + 1)
}

/// The length of the character that a text begins with; one where it begins with a lifetime.
fn character(text: &str) -> usize {
    let mut after = text.char_indices().skip(1);
    match (after.next(), after.next()) {
        (Some((_, '\\')), Some((escaped, c))) => {
            let rest = escaped + c.len_utf8();
            rest + text[rest..].find('\'').map_or(0, |at| at + 1)
        }
        (_, Some((at, '\''))) => at + 1,
        _ => 1,
    }
}

/// Reads what a `use` declaration names from a place on: paths, each with the word that it is known by.
fn tree(tokens: &[&str], at: &mut usize, mut path: Name, found: &mut Vec<(Name, String)>) {
    loop {
        match tokens[*at] {
            "," | "}" | ";" => return found.push((path.clone(), path.last().cloned().unwrap_or_default())),
            "as" => {
                found.push((path, tokens[*at + 1].to_string()));
                *at += 2;
                return;
            }
            "{" => {
                while tokens[*at] != "}" {
                    *at += 1;
                    if tokens[*at] != "}" {
                        tree(tokens, at, path.clone(), found);
                    }
                }
                *at += 1;
                return;
            }
            "::" => {}
            "self" if !path.is_empty() => {}
            word => path.push(word.to_string()),
        }
        *at += 1;
    }
}

fn read(code: &str) -> Source {
    let tokens = tokens(code);
    let word = |at: usize| tokens.get(at).is_some_and(|t| t.starts_with(|c: char| c.is_alphabetic() || c == '_'));
    let mut source = Source::default();
    let mut at = 0;
    while at < tokens.len() {
        match tokens[at] {
            "use" => {
                let mut named = Vec::new();
                at += 1;
                tree(&tokens, &mut at, Vec::new(), &mut named);
                for (path, name) in named {
                    source.scope.entry(name).or_insert_with(|| path.clone());
                    source.paths.push(path);
                }
            }
            "mod" if tokens.get(at + 2) == Some(&";") => {
                let name = tokens[at + 1].to_string();
                source.scope.insert(name.clone(), vec!["self".into(), name]);
            }
            _ if word(at) && tokens.get(at + 1) == Some(&"::") => {
                let mut path = vec![tokens[at].to_string()];
                while tokens.get(at + 1) == Some(&"::") && word(at + 2) {
                    path.push(tokens[at + 2].to_string());
                    at += 2;
                }
                source.paths.push(path);
            }
            _ => {}
        }
        at += 1;
    }
    source
}

/// The files of a crate by their modules.
struct Crate {
    files: BTreeMap<Name, Source>,
}

impl Crate {
    /// A path in a module from the crate's root; `None` for one into another crate, or of a type.
    fn absolute(&self, module: &[String], path: &[String], depth: usize) -> Option<Name> {
        let (first, rest) = path.split_first()?;
        let join = |base: &[String], rest: &[String]| [base, rest].concat();
        match first.as_str() {
            _ if depth > 8 => None,
            "crate" => Some(rest.to_vec()),
            "self" => Some(join(module, rest)),
            "super" => {
                let (_, parent) = module.split_last()?;
                match rest.first().map(String::as_str) {
                    Some("super") => self.absolute(parent, rest, depth + 1),
                    _ => Some(join(parent, rest)),
                }
            }
            _ => {
                let meant = self.files.get(module)?.scope.get(first)?;
                (meant != path).then_some(())?;
                Some(join(&self.absolute(module, meant, depth + 1)?, rest))
            }
        }
    }

    /// The file that defines what a path from the root names; `None` for a module itself.
    fn definition(&self, path: &[String], depth: usize) -> Option<&Name> {
        let modules = (0..=path.len()).rev().find_map(|length| self.files.get_key_value(&path[..length]));
        let (module, source) = modules?;
        let name = path.get(module.len()).filter(|_| depth < 8)?;
        // A name that another file or crate defines is only re-exported here.
        let Some(meant) = source.scope.get(name) else { return Some(module) };
        let exported = self.absolute(module, meant, 0)?;
        match exported[..] != path[..=module.len()] {
            true => self.definition(&[&exported, &path[module.len() + 1..]].concat(), depth + 1),
            false => Some(module),
        }
    }

    /// The files that a file imports.
    fn imports(&self, module: &Name) -> BTreeSet<&Name> {
        let found =
            self.files[module].paths.iter().filter_map(|path| self.definition(&self.absolute(module, path, 0)?, 0));
        found.filter(|other| *other != module).collect()
    }

    /// Files that import each other in a circle, however many others lie between.
    fn circles(&self) -> BTreeSet<BTreeSet<String>> {
        let imports: BTreeMap<&Name, BTreeSet<&Name>> =
            self.files.keys().map(|file| (file, self.imports(file))).collect();
        let reached = |from: &Name| {
            let mut reached = BTreeSet::new();
            let mut next: Vec<&Name> = imports[from].iter().copied().collect();
            while let Some(file) = next.pop() {
                if reached.insert(file) {
                    next.extend(&imports[file]);
                }
            }
            reached
        };
        let all: BTreeMap<&Name, BTreeSet<&Name>> = self.files.keys().map(|file| (file, reached(file))).collect();
        let circle = |file: &Name| {
            let others = all[file].iter().filter(|other| all[**other].contains(file));
            others.map(|name| name.join("::")).collect::<BTreeSet<_>>()
        };
        self.files.keys().map(circle).filter(|circle| circle.len() > 1).collect()
    }
}

/// The modules of a crate by their names and texts.
fn parsed<'a>(files: impl Iterator<Item = (Name, &'a str)>) -> Crate {
    Crate { files: files.map(|(name, code)| (name, read(code))).collect() }
}

#[test]
fn no_more_than_two_files_import_each_other() {
    let mut edges = 0;
    for name in layers::CRATES {
        let (root, mut files) = (layers::folder(name), Vec::new());
        layers::sources(&root, &mut files);
        let texts: Vec<(Name, String)> = files
            .iter()
            .map(|file| {
                let inner = file.strip_prefix(&root).unwrap().with_extension("");
                let mut name: Name = inner.iter().map(|part| part.to_string_lossy().into_owned()).collect();
                name.pop_if(|last| ["mod", "lib"].contains(&last.as_str()));
                (name, layers::code(file))
            })
            .collect();
        let all = parsed(texts.iter().map(|(name, code)| (name.clone(), code.as_str())));
        edges += all.files.keys().map(|file| all.imports(file).len()).sum::<usize>();
        let circles: Vec<_> = all.circles().into_iter().filter(|circle| circle.len() > 2).collect();
        assert!(circles.is_empty(), "these files of {name} import each other: {circles:#?}");
    }
    assert!(edges > 1000, "the scan finds imports: {edges}");
}

#[test]
fn circles_are_found_through_re_exports_and_braces() {
    let name = |text: &str| text.split("::").filter(|part| !part.is_empty()).map(String::from).collect::<Name>();
    let files = [
        ("", "pub mod plan; pub use plan::A;"),
        ("plan", "mod a; mod b; mod c; mod d; pub use a::A; // use crate::no;\nconst TEXT: &str = \"use crate::no;\";"),
        ("plan::a", "use super::{b::{self, Other}, d::D};\npub struct A; fn f<'a>(b: &'a b::B) -> char { '\\'' }"),
        ("plan::b", "pub struct B; pub struct Other; fn f() { super::c::call(); }"),
        ("plan::c", "use crate::A; pub fn call() {}"),
        ("plan::d", "pub struct D; use std::fmt;"),
    ];
    let all = parsed(files.iter().map(|(module, code)| (name(module), *code)));
    let circle = ["plan::a", "plan::b", "plan::c"].map(String::from);
    assert_eq!(all.circles(), BTreeSet::from([BTreeSet::from(circle)]));
    let imported = |module: &str| all.imports(&name(module)).iter().map(|n| n.join("::")).collect::<Vec<_>>();
    assert_eq!(imported("plan"), ["plan::a"]);
    assert_eq!(imported("plan::a"), ["plan::b", "plan::d"]);
}
