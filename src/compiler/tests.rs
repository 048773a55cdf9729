//! Requirements on generated text, checked for all shipped graphs.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::check::{cost, module};
use crate::codegen::prelude;
use crate::data::{Kernel, Plan};
use crate::document::Document;
use crate::graph::Graph;
use crate::ir::{OpId, Program, Task};
use crate::library::Library;
use crate::lower;
use crate::options::{Keep, PlanOptions};
use crate::passes::{Context, PASSES};
use crate::stage::accessors;
use crate::stage::language::{self, Kind};
use crate::stage::syntax::{TokenKind, tokens};
use crate::tuning::Tuning;

fn files(folder: &str, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(folder)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            if entry.is_dir() {
                folders.push(entry);
            } else if entry.extension().is_some_and(|found| found == ending) {
                found.push(entry);
            }
        }
    }
    found.sort();
    found
}

/// Kernels of all shipped graphs, as they run on a software adapter and on a GPU.
fn shipped() -> Vec<(String, Kernel)> {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join("graphs");
    let graphs = files("graphs", "ron").into_iter().filter(|path| path.parent() == Some(&folder));
    let mut kernels = Vec::new();
    for path in graphs {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let document = Document::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let graph = Graph::build(&document, Library::builtin()).unwrap();
        for tuning in [Tuning::default(), Tuning::gpu()] {
            let plan = Plan::compile(&graph, &PlanOptions { folder: folder.clone(), tuning, ..PlanOptions::default() });
            kernels.extend(plan.unwrap().kernels.into_iter().map(|kernel| (name.clone(), kernel)));
        }
    }
    kernels
}

/// The limits are far above what any sensible stage needs.
#[test]
fn shipped_kernels_cost_a_fraction_of_the_limits() {
    let (mut instructions, mut bytes) = ((0, String::new()), (0, String::new()));
    for (graph, kernel) in shipped() {
        let cost = cost::measure(&module::read(&kernel.wgsl).unwrap()).unwrap();
        let name = format!("{graph}: {} at {}", kernel.name, kernel.node);
        instructions = instructions.max((cost.instructions, name.clone()));
        bytes = bytes.max((cost.bytes, name));
    }
    println!("most instructions: {instructions:?}; most private bytes: {bytes:?}");
    assert!(instructions.0 * 3 <= cost::MAX_INSTRUCTIONS, "{instructions:?}");
    assert!(bytes.0 * 4 <= cost::MAX_PRIVATE_BYTES, "{bytes:?}");
}

/// An accessor hides the WGSL function that has its port's name, so no port may have the name of a function that
/// generated text calls.
#[test]
fn no_port_hides_a_function_that_generated_text_calls() {
    let mut called = BTreeSet::new();
    for path in files("src/compiler", "rs")
        .iter()
        .filter(|path| !["tests.rs", "validate.rs"].iter().any(|other| path.ends_with(other)))
    {
        let source = std::fs::read_to_string(path).unwrap();
        // Tests may use any name.
        let source = source.split("#[cfg(test)]").next().unwrap_or_default();
        // WGSL text is in strings; Rust's own functions are methods or have paths.
        let text = source.replace('"', " ").replace("{{", " ").replace("}}", " ");
        let tokens = tokens(&text);
        for window in tokens.windows(3) {
            let [before, word, after] = window else { continue };
            let call = word.kind == TokenKind::Word && after.text == "(";
            if call && !matches!(before.text, "." | ":" | "fn") && language::is_predeclared(word.text) {
                called.insert(word.text.to_string());
            }
        }
    }
    println!("{called:?}");
    assert!(called.contains("clamp") && called.contains("dot"), "the scan finds what there is");
    let free: Vec<&String> = called
        .iter()
        .filter(|name| !language::is_used_by_generated_text(name) && !language::is_memory_word(name))
        .collect();
    assert!(free.is_empty(), "ports could hide {free:?}; name them in `stage::language`");
}

/// Everything that generated text declares, except the compiler's own names that begin with `_`, is in the table of
/// words or is an accessor.
#[test]
fn generated_text_declares_names_of_the_table_and_accessors() {
    let stages: Vec<_> = Library::builtin().stages().collect();
    let ports = || stages.iter().flat_map(|stage| &stage.header.ports);
    let curves = || stages.iter().flat_map(|stage| &stage.header.params).filter(|param| param.ty.returns().is_some());
    let declared = |text: &str| prelude::declared(&tokens(text)).into_iter().map(String::from).collect::<Vec<_>>();
    let declared_by_stages: BTreeSet<String> = stages.iter().flat_map(|stage| declared(&stage.source)).collect();
    let is_in_table = |name: &str| {
        let generated = |kind: &Kind| matches!(kind, Kind::Struct | Kind::Entry | Kind::Block | Kind::Counter);
        language::is_prelude(name)
            || language::kinds(name).iter().any(generated)
            || (name.len() == 1 && name.starts_with(|c: char| c.is_ascii_uppercase()))
            || ports().any(|port| accessors::is_accessor(port, name) || name == format!("Particle_{}", port.name))
            || curves().any(|param| param.name == name)
            || declared_by_stages.contains(name)
    };
    let kernels = shipped().into_iter().filter(|(_, kernel)| kernel.wgsl.contains("fn stage("));
    let declared: BTreeSet<String> = kernels.flat_map(|(_, kernel)| declared(&kernel.wgsl)).collect();
    assert!(["Cell", "neighbor", "params", "_pcg"].iter().any(|name| declared.contains(*name)), "{declared:?}");
    let unknown: Vec<&String> = declared.iter().filter(|name| !name.starts_with('_') && !is_in_table(name)).collect();
    println!("{} names, {unknown:?}", declared.len());
    assert!(unknown.is_empty(), "{unknown:?} stand in no table; name them in `stage::language`");
}

/// A port or a parameter of any name either compiles or is rejected at its line, by its name.
#[test]
fn ports_and_parameters_of_any_name_work_or_are_refused_by_name() {
    let words = language::WORDS.iter().flat_map(|(_, words)| *words).chain(naga::keywords::wgsl::BUILTIN_IDENTIFIERS);
    // Where WGSL reserves a word, its use in the text is the first error that is reported.
    let free = |word: &&str| language::is_snake_case(word) && !language::is_reserved(word);
    let words: BTreeSet<&str> = words.copied().filter(free).collect();
    let mut works = 0;
    let mut refused = 0;
    let mut wrong = Vec::new();
    for word in &words {
        for (declaration, read) in [
            ("@in WORD: Grid<f32> = 0", "WORD(cell)"),
            ("@inout WORD: Grid<f32> = 0", "WORD(neighbor(cell, 0)) + x(cell)"),
            ("@param WORD: f32 = 0", "params.WORD"),
            ("@param WORD: curve = [(0, 0), (1, 1)]", "WORD(0.5)"),
        ] {
            let written = if declaration.starts_with("@inout") { "@in x: Grid<f32> = 1" } else { "@out x: Grid<f32>" };
            let source = format!(
                "//! Names\n//! {declaration}\n//! {written}\nfn stage(cell: Cell) -> f32 {{ return {read} * f32(cell.x) * CELL_SIZE; }}"
            )
            .replace("WORD", word);
            let output = if declaration.starts_with("@inout") { word } else { "x" };
            let text = format!(
                "(version: 1, nodes: {{ \"box\": (domain: (resolution: (8, 8), width: 1, edge: \"clamp\")), \
                 \"c\": (custom: {source:?}, on: \"box\"), \"look\": (stage: \"view/color_map\", inputs: {{\"field\": \"c.{output}\"}}), \
                 \"screen\": (output: (), inputs: {{\"image\": \"look.image\"}}) }})"
            );
            let document = Document::parse(&text).unwrap();
            let graph = Graph::build(&document, Library::builtin());
            match graph.and_then(|graph| Plan::compile(&graph, &PlanOptions::default())) {
                Ok(_) => works += 1,
                Err(problems) => {
                    let located = problems.0.iter().find(|problem| problem.place.is_some_and(|place| place.line == 2));
                    let named = located.is_some_and(|problem| problem.cause.contains(&format!("`{word}`")));
                    wrong.extend((!named).then(|| format!("{declaration} with {word}: {problems}")));
                    refused += 1;
                }
            }
        }
    }
    println!("{} words: {works} declarations work, {refused} are refused", words.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(works > 100 && refused > 100, "{works} {refused}");
}

/// A graph with every part that a program can have: a State, an invariant stage, fusion, sums, and a group with early
/// exit.
const GRAPH: &str = r##"(version: 1, nodes: {
    "domain": (domain: (resolution: (16, 8), width: 1, edge: "wall")),
    "ramp": (custom: r#"//! Ramp
        //! @out w: Grid<f32>
        fn stage(cell: Cell) -> f32 { return f32(cell.x); }"#, on: "domain"),
    "s": (state: "Grid<f32>", inputs: {"next": "less.y", "init": "ramp.w"}),
    "half": (custom: r#"//! Half
        //! @in x: Grid<f32>
        //! @in w: Grid<f32>
        //! @out y: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 0.5 * x(cell) * w(cell); }"#, inputs: {"x": "s", "w": "ramp.w"}),
    "less": (custom: r#"//! Less
        //! @in x: Grid<f32>
        //! @out y: Grid<f32>
        fn stage(cell: Cell) -> f32 { return x(cell) - 1.0; }"#, inputs: {"x": "half.y"}),
    "spread": (custom: r#"//! Spread
        //! @in x: Grid<f32>
        //! @out sum: Grid<f32>, scatter
        fn stage(cell: Cell) { add_sum(neighbor(cell, 0), x(cell)); }"#, inputs: {"x": "half.y"}),
    "sums": (state: "Grid<f32>", inputs: {"next": "spread.sum"}),
    "solve": (group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "add.x", "left": "add.left"}, nodes: {
        "add": (custom: r#"//! Add
            //! @inout x: Grid<f32>
            //! @out left: f32, reduce max
            fn stage(cell: Cell) -> Result { return Result(x(cell) + 1.0, 9.0 - x(cell)); }"#, inputs: {"x": "in.x"}),
    }), inputs: {"x": "less.y"}, iterations: 3, until: (number: "left", below: 0.5, every: 1)),
    "solved": (state: "Grid<f32>", inputs: {"next": "solve.x"}),
})"##;

/// A graph with its programs of a frame and of a reset, after all passes.
pub(super) struct Optimised {
    pub graph: Graph,
    pub frame: Program,
    pub reset: Program,
}

impl Optimised {
    pub(super) fn new(tuning: &Tuning) -> Optimised {
        let graph =
            Graph::build(&Document::parse(GRAPH).unwrap(), Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
        let keep = Keep::Wires(["s", "sums", "solved"].map(|state| format!("{state}.value")).into());
        let options = PlanOptions { keep, ..PlanOptions::default() };
        let mut frame = lower::frame(&graph, &options).unwrap();
        let mut reset = lower::reset(&graph, &frame, &options).unwrap();
        let context = Context { graph: &graph, tuning, hoist: true, memory: u64::MAX, pools: true };
        for pass in PASSES.iter().filter(|pass| (pass.when)(&context)) {
            pass.run(&context, &mut frame, &mut reset).unwrap();
        }
        Optimised { graph, frame, reset }
    }

    /// The first operation of the frame that dispatches a node's stage.
    pub(super) fn stage(&self, node: &str) -> OpId {
        let dispatches_stage = |task: &Task| matches!(task, Task::Stage);
        self.find(node, dispatches_stage)
    }

    /// The first operation of the frame that belongs to a node.
    pub(super) fn find(&self, node: &str, does: impl Fn(&Task) -> bool) -> OpId {
        let node = self.graph.node(node).unwrap();
        self.frame.ops.position(|op| op.node == node && does(&op.task)).unwrap()
    }
}
