//! Links between the documents hold: files are there, and so are headings that `#anchors` name.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

/// `README.md` and every page in `docs`, by their paths from the repository's root.
fn documents(root: &Path) -> BTreeMap<PathBuf, String> {
    let pages = std::fs::read_dir(root.join("docs")).expect("docs/").flatten().map(|entry| entry.path());
    let pages = pages.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let paths = pages.chain([root.join("README.md")]);
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).expect("a document is UTF-8");
        (path.strip_prefix(root).expect("below the root").to_path_buf(), text)
    };
    paths.map(read).collect()
}

/// The lines of a document with their numbers. Fenced code is left out.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        (!fenced && !is_fence).then_some((index + 1, line))
    })
}

/// A line without its inline code, which may hold brackets.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// What the links and images of a line point at, in Markdown and in HTML.
fn targets(line: &str) -> Vec<String> {
    let line = without_code(line);
    let after = |mark: &'static str, end: char| {
        let parts = line.split(mark).skip(1);
        parts.filter_map(move |rest| rest.split_once(end)).map(|(target, _)| target.to_string()).collect::<Vec<_>>()
    };
    [after("](", ')'), after("src=\"", '"'), after("href=\"", '"')].concat()
}

/// The anchors of a document's headings, made as GitHub makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut counts = BTreeMap::<String, usize>::new();
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let kept = title.trim().to_lowercase().replace(' ', "-");
        let slug: String = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
        let count = counts.entry(slug.clone()).or_default();
        anchors.insert(if *count == 0 { slug } else { format!("{slug}-{count}") });
        *count += 1;
    }
    anchors
}

/// `docs/../graphs` is `graphs`. `None` where a path leads out of the repository.
fn plain(path: &Path) -> Option<PathBuf> {
    path.components().try_fold(PathBuf::new(), |mut plain, part| match part {
        Component::ParentDir => plain.pop().then_some(plain),
        Component::CurDir => Some(plain),
        part => {
            plain.push(part);
            Some(plain)
        }
    })
}

/// Why a link of the document at `path` leads nowhere, if it does.
fn fault(root: &Path, documents: &BTreeMap<PathBuf, String>, path: &Path, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let folder = path.parent().unwrap_or(Path::new(""));
    let Some(file) = (if file.is_empty() { Some(path.to_path_buf()) } else { plain(&folder.join(file)) }) else {
        return Some("leads out of the repository".into());
    };
    if !documents.contains_key(&file) && !root.join(&file).exists() {
        return Some(format!("{} is not there", file.display()));
    }
    let anchor = anchor?;
    let Some(text) = documents.get(&file) else { return Some(format!("{} has no headings", file.display())) };
    (!anchors(text).contains(anchor)).then(|| format!("{} has no heading `{anchor}`", file.display()))
}

#[test]
fn links_between_documents_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let documents = documents(root);
    let mut checked = 0;
    let mut faults = Vec::new();
    let mut linked = BTreeSet::new();
    for (path, text) in &documents {
        for (number, line) in prose(text) {
            for target in targets(line) {
                checked += 1;
                if let Some(fault) = fault(root, &documents, path, &target) {
                    faults.push(format!("{}:{number}: ({target}): {fault}", path.display()));
                }
                let file = target.split('#').next().unwrap_or_default();
                linked.extend(plain(&path.parent().unwrap_or(Path::new("")).join(file)).filter(|file| file != path));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(checked > 40, "the scan finds links: {checked}");
    let lonely: Vec<_> =
        documents.keys().filter(|path| *path != Path::new("README.md") && !linked.contains(*path)).collect();
    assert!(lonely.is_empty(), "no document links to {lonely:?}");
}

/// The files of the repository that a line names in backticks, without those with a place to fill in, as `NAME` or `my_pane`.
fn named_files(line: &str) -> impl Iterator<Item = &str> {
    const FOLDERS: [&str; 8] = ["src/", "tests/", "shaders/", "graphs/", "docs/", "scripts/", "examples/", "benches/"];
    let open = |name: &str| {
        name.contains(['*', '{', ' ', '<'])
            || name.contains("my_")
            || name
                .split(['/', '.'])
                .any(|part| part.len() > 3 && part.chars().all(|c| c.is_ascii_uppercase() || c == '_'))
    };
    let code = line.split('`').skip(1).step_by(2);
    code.filter(move |name| FOLDERS.iter().any(|folder| name.starts_with(folder)) && !open(name))
}

#[test]
fn files_that_documents_name_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    assert_eq!(named_files("`src/a.rs`, `src/NAME.rs`, `a.rs` and `docs`").collect::<Vec<_>>(), ["src/a.rs"]);
    let (mut seen, mut missing) = (0, Vec::new());
    for (path, text) in &documents(root) {
        for (number, line) in prose(text) {
            for name in named_files(line) {
                seen += 1;
                if !root.join(name).exists() {
                    missing.push(format!("{}:{number}: {name}", path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
    assert!(seen > 40, "the scan finds files: {seen}");
}

/// Words that the page on architecture may have. What one module does is said in its header.
const WORDS_OF_ARCHITECTURE: usize = 5_500;

#[test]
fn architecture_stays_short() {
    let text = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/architecture.md")).unwrap();
    let words = text.split_whitespace().count();
    assert!(words > 3_000, "the scan finds the page: {words}");
    assert!(words <= WORDS_OF_ARCHITECTURE, "docs/architecture.md has {words} words: details belong to module headers");
}

#[test]
fn a_broken_link_is_found() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page =
        "# A title: with `code`\n## Twice\n## Twice\n```\n# not a heading\n[not](a_link.md)\n```\n`[nor](this.md)`\n";
    let documents = BTreeMap::from([(PathBuf::from("docs/page.md"), page.to_string())]);
    assert!(prose(page).all(|(_, line)| targets(line).is_empty()), "code holds no links");
    let fault = |target: &str| fault(root, &documents, Path::new("docs/page.md"), target);
    for good in ["#a-title-with-code", "#twice", "#twice-1", "page.md#twice", "../README.md", "https://example.org/x#y"]
    {
        assert_eq!(fault(good), None, "{good}");
    }
    for bad in [
        "#not-a-heading",
        "#twice-2",
        "missing.md",
        "images/missing.png",
        "page.md#thrice",
        "../../README.md",
        "../graphs#x",
    ] {
        assert!(fault(bad).is_some(), "{bad}");
    }
    assert_eq!(targets("[a](b.md) and ![c](d.png) <img src=\"e.png\" alt=\"x\">"), ["b.md", "d.png", "e.png"]);
}
