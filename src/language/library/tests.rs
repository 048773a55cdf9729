use super::*;
use crate::graph::Graph;

const HASH: &str = "//! Hash\n\nfn pcg(v: u32) -> f32 { return f32(v); }\n";

fn stage_text(uses: &str) -> String {
    format!(
        "//! Stage\n//! @use {uses}\n//! @out x: Grid<f32>  A value\n\nfn stage(cell: Cell) -> f32 {{ return pcg(1u); }}\n"
    )
}

/// A folder that is removed after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("stagewright-library-{name}-{}", std::process::id()));
        std::fs::create_dir_all(folder.join("own")).unwrap();
        Folder(folder)
    }

    fn write(&self, name: &str, text: &[u8]) {
        std::fs::write(self.0.join(name), text).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn errors(library: &Library, name: &str) -> Vec<String> {
    library.errors(name).unwrap_or_default().iter().map(ToString::to_string).collect()
}

fn broken(library: &Library) -> Vec<String> {
    library.broken().map(|(name, errors)| format!("{name}: {errors:?}")).collect()
}

#[test]
fn what_comes_with_the_program_is_valid_and_used() {
    let library = Library::builtin();
    assert_eq!(broken(library), [""; 0]);
    for file in library.shared_files() {
        assert_eq!(file.check(library), Ok(()), "{}", file.name);
        for name in file.declared() {
            let users = library
                .stages()
                .filter(|stage| stage.names(name) && stage.used().files.iter().any(|f| f.name == file.name));
            assert!(users.count() >= 2, "{}: `{name}` is used by fewer than two stages", file.name);
        }
    }
    for stage in library.stages() {
        for used in &stage.header.uses {
            let lines = stage.used().lines();
            assert!(lines.iter().any(|part| *part.file == *used.name), "{} uses nothing of {}", stage.name, used.name);
        }
    }
}

#[test]
fn files_without_a_stage_are_shared_and_read_before_stages() {
    let folder = Folder::new("shared");
    folder.write("zz_hash.wgsl", HASH.as_bytes());
    folder.write("own/a.wgsl", stage_text("zz_hash").as_bytes());
    let first = Library::with_folder(&folder.0, Library::builtin()).unwrap();
    assert_eq!(broken(&first), [""; 0]);
    assert!(first.stage("zz_hash").is_none() && first.is_shared("zz_hash") && first.file("zz_hash").is_some());
    assert!(first.stage("own/a").unwrap().source.contains("return f32(v)"));
    // A changed file changes the stages that use it.
    folder.write("zz_hash.wgsl", HASH.replace("f32(v)", "2.0").as_bytes());
    let second = Library::with_folder(&folder.0, &first).unwrap();
    assert!(second.stage("own/a").unwrap().source.contains("return 2.0"));
    // One with an error is reported there, and its stages keep their last version.
    folder.write("zz_hash.wgsl", b"//! Hash\n//! @in x: Grid<f32>  A value\n");
    let third = Library::with_folder(&folder.0, &second).unwrap();
    assert!(third.stage("own/a").unwrap().source.contains("return 2.0"));
    let declares = "`@in`: a file without `fn stage` is shared by stages and declares no ports or parameters; remove the line, or add `fn stage`";
    assert_eq!(errors(&third, "zz_hash"), [format!("2:1: {declares}")]);
    assert_eq!(errors(&third, "own/a"), [format!("zz_hash:2:1: {declares}")]);
}

#[test]
fn a_file_that_is_no_text_is_reported_where_it_is_used() {
    let folder = Folder::new("bytes");
    folder.write("hash.wgsl", b"//! Hash\n\xff\xfe");
    folder.write("own/a.wgsl", stage_text("hash").as_bytes());
    let library = Library::with_folder(&folder.0, Library::builtin()).unwrap();
    let message = errors(&library, "own/a").join("\n");
    assert!(message.starts_with("hash:1:1: it can't be read: ") && message.contains("UTF-8"), "{message}");
}

#[test]
fn mistakes_between_shared_files_are_those_of_the_files_as_well() {
    let folder = Folder::new("cycle");
    folder.write("a.wgsl", b"//! A\n//! @use b\n");
    folder.write("b.wgsl", b"//! B\n//! @use a\n//! @use missing/one\n");
    let library = Library::with_folder(&folder.0, Library::builtin()).unwrap();
    let remedy = "move what these files have in common to another one";
    let missing = "there is no shared file `missing/one`; name one of the library, of the stages folder or of the graph's `shared`";
    assert_eq!(
        errors(&library, "a"),
        [format!("b:2:10: `a` uses `b`, which uses `a`; {remedy}"), format!("b:3:10: {missing}")]
    );
    assert_eq!(
        errors(&library, "b"),
        [format!("a:2:10: `b` uses `a`, which uses `b`; {remedy}"), format!("3:10: {missing}")]
    );
}

#[test]
fn what_comes_with_the_program_never_uses_files_of_the_user() {
    let Some(name) = Library::builtin().shared_files().next().map(|file| file.name.clone()) else { return };
    let mut library = Library::builtin().clone();
    library.add_stage(&name, "//! Other\n");
    assert!(library.stages().count() == Library::builtin().stages().count() && library.broken().count() == 0);
}

/// A graph with a Custom node and shared texts.
fn graph(shared: &str, custom: &str) -> Document {
    Document::parse(&format!(
        "(version: 1, shared: {{{shared}}}, nodes: {{\"box\": (domain: (resolution: (8, 8), width: 1, edge: \"wall\")), \
         \"c\": (custom: {custom:?}), \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c.x\"}}), \
         \"o\": (output: (), inputs: {{\"image\": \"look.image\"}})}})"
    ))
    .unwrap()
}

fn problems(document: &Document) -> String {
    Graph::build(document, Library::builtin()).map_or_else(|problems| problems.to_string(), |_| String::new())
}

#[test]
fn a_graph_stores_shared_texts() {
    let document = graph(&format!("\"hash\": {HASH:?}"), &stage_text("hash"));
    assert_eq!(problems(&document), "");
    let text = document.to_text();
    assert!(
        text.contains(&format!("    shared: {{\n        \"hash\": r#\"{HASH}\"#,\n    }},\n    nodes: {{")),
        "{text}"
    );
    assert_eq!(Document::parse(&text).unwrap(), document);
    assert!(!Document::default().to_text().contains("shared"));
    let stages = graph(&format!("\"hash\": {:?}", stage_text("x")), &stage_text("hash"));
    assert_eq!(
        problems(&stages),
        "c (hash 1:1): the text has `fn stage`, so it is a stage and not a shared file; remove the function, or make it a Custom node"
    );
    let typo = graph(&format!("\"hash\": {HASH:?}"), &stage_text("hsh"));
    assert_eq!(problems(&typo), "c (2:10): there is no shared file `hsh`; did you mean `hash`?");
}

#[test]
fn a_shared_text_of_a_graph_precedes_others_of_its_name() {
    let mut library = Library::builtin().clone();
    library.add_stage("hash", HASH);
    let document = graph(&format!("\"hash\": {:?}", HASH.replace("f32(v)", "2.0")), &stage_text("hash"));
    let stage = |library: &Library| {
        let graph = Graph::build(&document, library).unwrap();
        graph.nodes.iter().find_map(|node| match &node.kind {
            crate::graph::Kind::Stage(stage) if node.path == "c" => Some(stage.source.clone()),
            _ => None,
        })
    };
    assert!(stage(&library).unwrap().contains("return 2.0"));
    assert!(stage(Library::builtin()).unwrap().contains("return 2.0"));
}

#[test]
fn a_shared_file_is_no_stage_of_a_node() {
    let mut library = Library::builtin().clone();
    library.add_stage("own/hash", HASH);
    let document = Document::parse("(version: 1, nodes: {\"a\": (stage: \"own/hash\")})").unwrap();
    let message = Graph::build(&document, &library).unwrap_err().to_string();
    assert!(
        message.contains("a: `own/hash` holds functions that stages share, and is no stage; write `//! @use own/hash` into the header of a stage that calls its functions"),
        "{message}"
    );
}

#[test]
fn a_group_of_the_library_stores_no_shared_texts() {
    let mut library = Library::builtin().clone();
    library.add_group("own/group", "(version: 1, shared: {\"a\": \"//! A\"}, nodes: {\"g\": (group: (nodes: {}))})");
    assert_eq!(
        errors(&library, "own/group"),
        ["1:1: a library file holds one group, and no `shared` functions; put them into a file of the stages folder"]
    );
}

#[test]
fn shared_texts_are_copied_with_the_nodes_that_use_them() {
    use crate::document::Scope;
    use crate::edit::{PasteInputs, copy, paste};
    let noise = "//! Noise\n//! @use hash\n\nfn noise() -> f32 { return pcg(1u); }\n";
    let custom = stage_text("noise").replace("pcg(1u)", "noise()");
    let from = graph(&format!("\"hash\": {HASH:?}, \"noise\": {noise:?}, \"other\": {HASH:?}"), &custom);
    let text = copy(&from, &Scope::default(), &["c".to_string()].into(), &BTreeSet::new());
    let pasted = |mut document: Document| {
        paste(&mut document, &Scope::default(), &text, (0.0, 0.0), PasteInputs::Drop, Library::builtin()).unwrap();
        document.shared
    };
    let names = |shared: BTreeMap<String, String>| shared.into_keys().collect::<Vec<_>>();
    assert_eq!(names(pasted(Document::default())), ["hash", "noise"]);
    let document = Document { shared: [("hash".to_string(), "//! Own\n".to_string())].into(), ..Document::default() };
    assert_eq!(pasted(document)["hash"], "//! Own\n", "the graph's own text stays");
}
