use std::time::{Duration, Instant};

use super::*;
use crate::library::Library;
use crate::stage::Reach;

/// Shared files by name; what has `fn stage` is a stage.
struct Files<'a>(&'a [(&'a str, &'a str)]);

impl SharedFiles for Files<'_> {
    fn find(&self, name: &str) -> UseTarget {
        match self.0.iter().find(|(file, _)| *file == name) {
            None => UseTarget::Missing(Some("shared/hash".to_string()).filter(|_| name == "shared/hsh")),
            Some((_, text)) if !is_shared(text) => UseTarget::Other("a stage"),
            Some((_, text)) => match SharedFile::parse(name, text) {
                Ok(file) => UseTarget::File(Arc::new(file)),
                Err(errors) => UseTarget::Invalid(errors),
            },
        }
    }
}

const HASH: &str = "//! Hash\n\n// Whole numbers.\nconst FACTOR = 747796405u;\n\n/// A hash.\nfn pcg(v: u32) -> u32 {\n    return v * FACTOR;\n}\n\nfn other(v: u32) -> u32 { return v; }\n";
const NOISE: &str = "//! Noise\n//! @use shared/hash\n\nfn noise(v: u32) -> f32 { return f32(pcg(v)); }\n";

fn stage(uses: &str, rest: &str) -> String {
    format!(
        "//! Stage\n{uses}//! @out   value: Grid<f32>   A value\n\nfn stage(cell: Cell) -> f32 {{ return noise(7u); }}\n{rest}"
    )
}

fn parsed(source: &str, files: &[(&str, &str)]) -> Result<Stage, Vec<String>> {
    Stage::parse_using("t", source, &Files(files)).map_err(|errors| errors.iter().map(StageError::to_string).collect())
}

fn error(source: &str, files: &[(&str, &str)]) -> String {
    parsed(source, files).unwrap_err().join("\n")
}

const ALL: &[(&str, &str)] = &[("shared/hash", HASH), ("shared/noise", NOISE)];

#[test]
fn what_is_used_follows_the_stage_and_what_nothing_calls_is_left_out() {
    let text = stage("//! @use shared/noise  value noise\n", "");
    let stage = parsed(&text, ALL).unwrap();
    assert_eq!(stage.own_text(), text);
    assert_eq!(
        stage.source.strip_prefix(&text).unwrap(),
        "fn noise(v: u32) -> f32 { return f32(pcg(v)); }\nconst FACTOR = 747796405u;\nfn pcg(v: u32) -> u32 {\n    return v * FACTOR;\n}\n"
    );
    let lines = stage.used().lines();
    let places: Vec<_> = (1..=stage.source.lines().count()).map(|line| origin(&lines, line)).collect();
    let (noise, hash) = ("shared/noise", "shared/hash");
    assert_eq!(&places[..5], [None; 5]);
    assert_eq!(&places[5..], [(noise, 4), (hash, 4), (hash, 7), (hash, 8), (hash, 9)].map(Some));
    let names: Vec<&str> = stage.used().files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(names, [noise, hash]);
}

#[test]
fn a_stage_without_a_last_line_break_keeps_its_text() {
    let text = stage("//! @use shared/noise\n", "// end");
    let used = parsed(&text, ALL).unwrap();
    assert_eq!(used.own_text(), text);
    assert!(used.source.contains("// end\nfn noise"), "{}", used.source);
    let text = text.replace("noise(7u)", "1.0");
    let unused = parsed(&text, ALL).unwrap();
    assert_eq!((unused.own_text(), unused.source.trim_end()), (text.as_str(), text.as_str()));
}

#[test]
fn each_mistake_is_one_sentence() {
    let shared = |header: &str, text: &str| format!("//! File\n{header}\n{text}\n");
    let cycle = [("a", &*shared("//! @use b", "")), ("b", &*shared("//! @use a", ""))];
    let recursive = shared("//! @use own", "");
    let clash = shared("", "fn pcg() {}");
    let ports = shared("//! @in x: Grid<f32>  A value", "");
    let many: Vec<(String, String)> = (0..40).map(|i| (format!("f{i}"), shared("", ""))).collect();
    let many: Vec<(&str, &str)> = many.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let use_many: String = (0..40).map(|i| format!("//! @use f{i}\n")).collect();
    let open = shared("", "fn noise(v: u32) -> f32 {");
    let junk = shared("", "fnn noise() {}");
    let twice = shared("", "fn noise() {}\nconst noise = 1;");
    let word = shared("", "fn max() {}");
    let use_of = |name: &str| stage(&format!("//! @use {name}\n"), "");
    let other = stage("", "");
    for (source, files, expected) in [
        (use_of("shared/hsh"), ALL, "2:10: there is no shared file `shared/hsh`; did you mean `shared/hash`?"),
        (
            use_of("../shared/hash"),
            ALL,
            "2:10: there is no shared file `../shared/hash`; name one of the library, of the stages folder or of the graph's `shared`",
        ),
        (
            use_of("o"),
            &[("o", &other)],
            "2:10: `o` is a stage, and `@use` needs a file without `fn stage`; move the functions to a file of their own",
        ),
        (use_of("own"), &[("own", &recursive)], "own:2:10: `own` uses itself; remove the line"),
        (
            use_of("a"),
            &cycle,
            "b:2:10: `a` uses `b`, which uses `a`; move what these files have in common to another one",
        ),
        (
            stage("//! @use shared/hash\n//! @use c\n", ""),
            &[ALL[0], ("c", &clash)],
            "c:3:1: `pcg` is declared here and in `shared/hash`, and the stage uses both; rename one of them",
        ),
        (
            stage("//! @use shared/noise\n", "fn pcg() {}"),
            ALL,
            "6:4: `pcg` is declared here and in `shared/hash`, which the stage uses; rename this one",
        ),
        (
            use_of("p"),
            &[("p", &ports)],
            "p:2:1: `@in`: a file without `fn stage` is shared by stages and declares no ports or parameters; remove the line, or add `fn stage`",
        ),
        (
            stage("//! @use shared/hash\n//! @use shared/hash\n", ""),
            ALL,
            "3:1: `shared/hash` is used twice (first on line 2)",
        ),
        (stage("//! @use\n", ""), ALL, "2:1: `@use` needs the name of one file, such as `//! @use shared/hash`"),
        (stage("//! @use a, b\n", ""), ALL, "2:1: `@use` needs the name of one file, such as `//! @use shared/hash`"),
        (stage(&use_many, ""), &many, "34:10: a stage uses at most 32 shared files; join some of them"),
        (
            use_of("n"),
            &[("n", "fn noise() {}")],
            "n:1:1: the header has no title; begin the file with `//! Title of the file`",
        ),
        (use_of("n"), &[("n", &open)], "n:3:25: `{` is never closed; add `}`"),
        (
            use_of("n"),
            &[("n", &junk)],
            "n:3:1: `fnn` begins no declaration; a shared file holds functions, constants and types",
        ),
        (use_of("n"), &[("n", &twice)], "n:4:1: `noise` is declared twice (first on line 3); rename one of them"),
        (use_of("n"), &[("n", &word)], "n:3:4: `max` is a WGSL name and can't be declared again; choose another name"),
    ] {
        assert_eq!(error(&source, files), expected);
    }
}

#[test]
fn errors_of_what_a_stage_and_its_files_are_together_stand_where_they_are() {
    let gain = "//! File\n\nfn noise(v: u32) -> f32 {\n    return params.gain;\n}\n";
    assert_eq!(
        error(&stage("//! @use n\n", ""), &[("n", gain)]),
        "n:4:19: the stage that uses this does not declare `params.gain`; add `//! @param gain: f32 = 0` to its header"
    );
    let declared = stage("//! @use n\n//! @param gain: f32 = 1  A factor\n", "");
    assert!(parsed(&declared, &[("n", gain)]).unwrap().unused.is_empty());
    let value = "//! File\n\n  fn noise(v: u32) -> f32 { return value(); } fn value() -> f32 { return 1.0; }\n";
    let source = stage("//! @use n\n", "").replace("@out   value: Grid<f32>", "@inout value: Grid<f32> = 0");
    assert_eq!(
        error(&source, &[("n", value)]),
        "n:3:50: `value` is generated for the port `value`; choose another name"
    );
    let half = format!("//! Half\n\nfn {{}} {{ {} }}\n", "x = 1; ".repeat(5_000));
    let [a, b] = ["noise() -> f32", "more() -> f32"].map(|name| half.replace("{}", name));
    let source = stage("//! @use a\n//! @use b\n", "").replace("noise(7u)", "noise() + more()");
    assert_eq!(
        error(&source, &[("a", &a), ("b", &b)]),
        "2:10: with the functions that it uses, the stage has over 64 KiB; split it in two, or pass tables in through a port"
    );
    let long = format!("//! Long\n\n// {}\nfn noise(v: u32) -> f32 {{ return 1.0; }}\n", "x".repeat(70_000));
    assert!(error(&stage("//! @use n\n", ""), &[("n", &long)]).contains("the source is over 64 KiB"));
}

#[test]
fn proofs_see_the_functions_that_are_used() {
    let header = "//! Stage\n//! @inout x: Grid<f32> = 0   A value\n";
    let helpers = "fn wide(at: Cell) -> f32 {\n    var sum = 0.0;\n    for (var i = 0; i < 3; i++) { sum += x(at + i * unit(0)); }\n    while sum > 9.0 { sum *= 0.5; }\n    return sum;\n}\n";
    let body = "\nfn stage(cell: Cell) -> f32 { return wide(cell); }\n";
    let inlined = Stage::parse("t", &format!("{header}{body}{helpers}")).unwrap();
    let file = format!("//! File\n\n{helpers}\nfn unused() {{ loop {{ }} }}\n");
    let used = parsed(&format!("{header}//! @use n\n{body}"), &[("n", &file)]).unwrap();
    for stage in [&inlined, &used] {
        assert_eq!(stage.reach("x"), Reach::Anywhere);
        assert!(!stage.bounded(2).finite && stage.bounded(2).source.contains("_loop_spent"));
        assert!(stage.calls("unit") && !stage.names("unused"));
    }
    assert_eq!(inlined.source.lines().skip(2).collect::<Vec<_>>(), used.source.lines().skip(3).collect::<Vec<_>>());
    assert_eq!(inlined.footprint("x", 2), used.footprint("x", 2));
}

#[test]
fn specialised_texts_keep_the_lines_of_what_they_use() {
    let file = "//! File\n\n// A comment.\nfn noise(v: u32) -> f32 {\n    if params.order == 2 { return f32(v); }\n    return 1.0;\n}\n";
    let source = stage("//! @use n\n//! @param order: i32 = 2, 1..2, fixed  Order\n", "");
    let stage = parsed(&source, &[("n", file)]).unwrap();
    let constant = stage.with_constants(&[("order".to_string(), 1.0)].into());
    let line = constant.source.lines().position(|line| line.contains("return 1.0")).unwrap() + 1;
    assert!(!constant.source.contains("return f32(v)"), "{}", constant.source);
    assert_eq!(origin(&constant.used().lines(), line), Some(("n", 6)));
}

#[test]
fn ports_do_not_depend_on_what_is_used() {
    let source = "//! Stage\n//! @use missing\n//! @in x: Grid<f32>  A value\n//! @out y: Grid<f32>  A value\n\nfn stage(cell: Cell) -> f32 { return wide(cell); }\n";
    assert!(parsed(source, &[]).is_err());
    let outline = Stage::outline("t", source).unwrap();
    assert_eq!(outline.inputs().count(), 1);
    assert!(Stage::outline("t", &source.replace("Grid<f32>  A value\n//! @out", "Grd  A value\n//! @out")).is_err());
}

#[test]
fn hostile_uses_end_at_once() {
    let started = Instant::now();
    let thousand: String = (0..1_000).map(|i| format!("//! @use file{i}\n")).collect();
    let errors = Stage::parse_using("t", &stage(&thousand, ""), Library::builtin()).unwrap_err();
    assert_eq!(errors.len(), MAX_USED_FILES + 1);
    for name in ["..", "/etc/passwd", "C:\\x", "a//b", "\u{202e}", "a\u{0}b", &"x".repeat(60_000), "shared/hash.wgsl"] {
        let errors =
            Stage::parse_using("t", &stage(&format!("//! @use {name}\n"), ""), Library::builtin()).unwrap_err();
        assert!(errors[0].message.contains("there is no shared file"), "{:?}", errors[0]);
    }
    let chain: Vec<(String, String)> =
        (0..100).map(|i| (format!("f{i}"), format!("//! File\n//! @use f{}\n", i + 1))).collect();
    let chain: Vec<(&str, &str)> = chain.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    assert!(error(&stage("//! @use f0\n", ""), &chain).starts_with("f31:2:10: a stage uses at most 32"));
    for unit in ["@", "@(", "fn ", "struct{}", "const a;", "(", "const_assert ", "alias a = b;"] {
        drop(SharedFile::parse("n", &format!("//! File\n\n{}", unit.repeat(60_000 / unit.len()))));
    }
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
}

#[test]
fn signatures_are_those_of_functions() {
    let file = SharedFile::parse("shared/hash", HASH).unwrap();
    assert_eq!(file.declared().collect::<Vec<_>>(), ["FACTOR", "pcg", "other"]);
    assert_eq!(file.signatures(), ["fn pcg(v: u32) -> u32", "fn other(v: u32) -> u32"]);
    assert_eq!(file.declaration("pcg"), Some((7, 1)));
}

#[test]
fn a_text_is_parsed_again_only_with_other_files() {
    let source = stage("//! @use shared/noise\n", "");
    let with = |files| Stage::parse_once("t", &source, &Files(files)).unwrap();
    let first = with(ALL);
    assert!(Arc::ptr_eq(&first, &with(ALL)), "the files are equal");
    let hash = HASH.replace("747796405u", "3u");
    let other = with(&[("shared/hash", &hash), ("shared/noise", NOISE)]);
    assert!(other.source.contains("FACTOR = 3u") && first.source.contains("FACTOR = 747796405u"));
    assert!(Stage::parse_once("t", &source, &Files(&ALL[..1])).is_err(), "a file is missing");
    assert_ne!(Stage::parse_once("u", &source, &Files(ALL)).unwrap().name, first.name);
}
