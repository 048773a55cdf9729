//! Dependencies point down: each module imports those below it, which the code's own paths show.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("src/").flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
}

/// The folders of the workspace's crates, from the ground up. Cargo holds that each imports those before it and no other.
pub const CRATES: [&str; 8] = ["base", "formats", "language", "compiler", "runtime", "export", "editor", "cli"];

/// The folder of a crate's sources.
pub fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(name)
}

/// The modules of crates from the ground up. Each imports those before it and no other of its crate.
const ORDERS: [(&str, &[&str]); 5] = [
    (
        "base",
        &[
            "arena",
            "cancel",
            "printable",
            "quiet",
            "quoting",
            "spelling",
            "threads",
            "background",
            "curve",
            "input",
            "problem",
            "files",
            "cache",
            "expr",
        ],
    ),
    ("language", &["document", "stage", "library", "graph", "edit"]),
    (
        "compiler",
        &[
            "budget",
            "tuning",
            "ir",
            "scatter",
            "data",
            "simulation_dispatches",
            "options",
            "isolate",
            "text",
            "traffic",
            "lower",
            "baked",
            "passes",
            "check",
            "codegen",
            "compile",
            "unneeded",
        ],
    ),
    ("runtime", &["asset", "gpu", "sim", "tune", "bake", "bench"]),
    ("editor", &["model", "commands", "toolkit", "panes", "shell"]),
];

/// Imports that would be legal by the order and are not wanted: a device knows nothing of what was drawn on a canvas.
const APART: [(&str, &str, &[&str]); 4] = [
    ("runtime", "gpu", &["edit", "asset", "document", "expr"]),
    ("runtime", "asset", &["edit", "stage"]),
    ("runtime", "sim", &["edit"]),
    ("compiler", "passes", &["document", "files"]),
];

/// The one module of its crate that may name another crate.
const OWNERS: [(&str, &str, &str); 5] = [
    ("base", "rustix::", "files"),
    ("base", "zstd::", "cache"),
    ("language", "naga::", "stage"),
    ("runtime", "wgpu::", "gpu"),
    ("runtime", "naga::", "gpu"),
];

#[test]
fn other_crates_are_named_in_one_module() {
    for (name, other, module) in OWNERS {
        let (root, mut files) = (folder(name), Vec::new());
        sources(&root, &mut files);
        assert!(files.len() > 20, "the scan finds the sources of {name}");
        for file in files.iter().filter(|file| !file.starts_with(root.join(module))) {
            assert!(!code(file).contains(other), "{} uses {other}", file.display());
        }
    }
}

/// The code of a file, without its comments and its tests.
pub fn code(file: &Path) -> String {
    let text = std::fs::read_to_string(file).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// The names that follow `prefix` in paths, `{}` after it opened: `crate::{a, b::c}` names a and b.
fn named(code: &str, prefix: &str) -> BTreeSet<String> {
    let word = |text: &str| text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(prefix) {
        let rest = &code[at + prefix.len()..];
        let whole = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        match rest.strip_prefix('{') {
            _ if !whole => {}
            None => drop(found.insert(word(rest))),
            Some(list) => {
                let (mut depth, mut start) = (0, 0);
                for (place, c) in list.char_indices() {
                    match c {
                        '{' => depth += 1,
                        ',' | '}' if depth == 0 => {
                            found.insert(word(list[start..place].trim_start()));
                            start = place + 1;
                        }
                        '}' => depth -= 1,
                        _ => {}
                    }
                    if c == '}'
                        && depth == 0
                        && list[..place].matches('{').count() == list[..place].matches('}').count()
                    {
                        break;
                    }
                }
            }
        }
    }
    found
}

/// Which modules below a folder import which, by the paths in their code.
fn imports(folder: &Path, prefix: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let mut imports = BTreeMap::<String, BTreeSet<String>>::new();
    for file in files {
        let inner = file.strip_prefix(folder).unwrap();
        let module = inner.iter().next().unwrap().to_string_lossy().trim_end_matches(".rs").to_string();
        let tests = inner.iter().any(|part| part == "tests" || part == "tests.rs" || part == "fixture.rs");
        if !tests && !["lib", "main", "mod"].contains(&module.as_str()) {
            let imported = imports.entry(module.clone()).or_default();
            imported.extend(named(&code(&file), prefix).into_iter().filter(|name| *name != module));
        }
    }
    imports
}

/// Whether modules import only those that stand before them.
fn in_order(imports: &BTreeMap<String, BTreeSet<String>>, order: &[&str]) -> Vec<String> {
    let place = |name: &str| order.iter().position(|module| *module == name);
    let mut wrong = Vec::new();
    for (module, named) in imports {
        let Some(at) = place(module) else {
            wrong.push(format!("`{module}` has no place in the order"));
            continue;
        };
        let above = named.iter().filter(|name| place(name).is_some_and(|there| there > at));
        wrong.extend(above.map(|name| format!("`{module}` imports `{name}`, which stands above it")));
    }
    wrong
}

#[test]
fn modules_import_only_those_below_them() {
    for (name, order) in ORDERS {
        let all = imports(&folder(name), "crate::");
        let missing: Vec<_> = order.iter().filter(|module| !all.contains_key(**module)).collect();
        assert!(missing.is_empty(), "{missing:?} are no modules of {name}");
        let inner: BTreeSet<&str> = order.iter().copied().collect();
        let within_crate = all.iter().map(|(module, named)| {
            (module.clone(), named.iter().filter(|named| inner.contains(named.as_str())).cloned().collect())
        });
        assert_eq!(in_order(&within_crate.collect(), order), [""; 0], "{name}");
        for (_, module, others) in APART.iter().filter(|(of, ..)| *of == name) {
            let named: Vec<_> = others.iter().filter(|other| all[*module].contains(**other)).collect();
            assert!(named.is_empty(), "`{module}` imports {named:?}");
        }
    }
    let compiler = imports(&folder("compiler"), "crate::");
    assert!(compiler["passes"].contains("ir") && compiler["lower"].contains("graph"), "the scan finds imports");
}

#[test]
fn paths_to_another_floor_of_the_editor_name_it() {
    let root = folder("editor");
    let mut files = Vec::new();
    sources(&root, &mut files);
    for file in files.iter().filter(|file| file.parent() != Some(&root)) {
        let depth = file.strip_prefix(&root).unwrap().components().count() - usize::from(file.ends_with("mod.rs"));
        let out = "super::".repeat(depth);
        assert!(!code(file).contains(&out), "{}: a path leaves the floor by `{out}`", file.display());
    }
}

#[test]
fn an_import_against_the_order_is_found() {
    let text = "use crate::graph::{Graph, Node};\nuse crate::{document::Document, plan::{Plan, ir}, sim};\nlet x = crate::gpu::Gpu;";
    let found: Vec<_> = named(text, "crate::").into_iter().collect();
    assert_eq!(found, ["document", "gpu", "graph", "plan", "sim"]);
    let imports = BTreeMap::from([("graph".into(), BTreeSet::from(["plan".to_string(), "stage".into()]))]);
    assert_eq!(
        in_order(&imports, &["document", "stage", "graph", "plan"]),
        ["`graph` imports `plan`, which stands above it"]
    );
}

/// Files are opened and written in `files` alone, where links, pipes and devices are thought of.
#[test]
fn files_are_opened_in_one_place() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    let may_open = |path: &Path| {
        path.starts_with(root.join("base/files")) || path.starts_with(root.join("embed")) || path.ends_with("tests.rs")
    };
    let calls =
        ["fs::write(", "fs::read(", "read_to_string(", "File::open(", "File::create", "OpenOptions::new", "fs::copy("];
    // Whole words: `CheckpointFile::open` is none of them.
    let within = |line: &str, call: &str| {
        line.match_indices(call).any(|(at, _)| !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_'))
    };
    let mut scanned = 0;
    for file in
        files.iter().filter(|path| !may_open(path) && !path.components().any(|part| part.as_os_str() == "tests"))
    {
        let text = std::fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
        // The locks of windows lie in the user's own folders; a thread's clock is a file of the system.
        let code = code.replace("OpenOptions::new().write(true).create_new(create).open(lock)", "");
        let code = code.replace("std::fs::read_to_string(self.file.as_ref()?)", "");
        for (number, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            scanned += 1;
            let found = calls.iter().find(|call| within(line, call));
            assert!(found.is_none(), "{}:{}: {}", file.display(), number + 1, line.trim());
        }
    }
    assert!(scanned > 10_000, "{scanned}");
}

/// What several test programs share is compiled once, in the crates `tests/support` and `tests/solver_support`.
#[test]
fn no_source_is_a_module_of_two_programs() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    ["src", "tests", "benches"].iter().for_each(|folder| sources(&root.join(folder), &mut files));
    let mut paths = Vec::new();
    for file in &files {
        let text = std::fs::read_to_string(file).unwrap();
        let lines = text.lines().enumerate().filter(|(_, line)| line.trim_start().starts_with("#[path"));
        paths.extend(lines.map(|(number, line)| format!("{}:{}: {line}", file.display(), number + 1)));
    }
    assert!(files.len() > 700, "the scan finds the sources: {}", files.len());
    assert!(paths.is_empty(), "{}", paths.join("\n"));
}
