//! Every option of a header before every kind of ending: what two stages compute is the same whether they share a dispatch, whoever looks at
//! which of their wires.
//!
//! Pairs are drawn with the seed of the day; `STAGEWRIGHT_COUNT` above their number takes them all.

use std::fmt::Write as _;

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::gpu::Gpu;
use stagewright_runtime::sim::{FrameInput, Simulation};

/// A stage by name: the lines of its header, the body of `stage`, and more fields of its node.
struct Stage {
    name: &'static str,
    header: &'static str,
    body: &'static str,
    node: &'static str,
}

const fn stage(name: &'static str, header: &'static str, body: &'static str) -> Stage {
    Stage { name, header, body, node: "" }
}

impl Stage {
    const fn with(self, node: &'static str) -> Stage {
        Stage { node, ..self }
    }

    fn text(&self, argument: &str, returns: &str) -> String {
        let lines: Vec<&str> = self.header.split("; ").collect();
        let arrow = if returns.is_empty() { String::new() } else { format!(" -> {returns}") };
        format!(
            "//! Stage\n//! {}\nfn away(n: i32) -> vec2i {{ return vec2i(n, -n); }}\nfn turn(x: f32) -> f32 {{ return x - floor(x / 1024.0) * 1024.0; }}\n\
             fn stage({argument}){arrow} {{ {} }}",
            lines.join("\n//! "),
            self.body
        )
    }
}

/// Stages that read the grid `x` and make the grid `r`.
const FRONTS: &[Stage] = &[
    stage("own", "@in x: Grid<f32>; @out r: Grid<f32>", "return turn(3.0 * x(cell) + 1.0);"),
    stage(
        "radius",
        "@in x: Grid<f32>, radius 2; @out r: Grid<f32>",
        "return turn(x(cell + away(1)) + x(cell - away(3)));",
    ),
    stage(
        "radius of a parameter",
        "@in x: Grid<f32>, radius size; @out r: Grid<f32>; @param size: i32 = 1, 0..4",
        "return turn(x(cell + away(1)) + x(cell - away(3)));",
    ),
    stage(
        "window",
        "@in x: Grid<f32>; @out r: Grid<f32>",
        "return turn(x(cell + vec2i(1, -1)) + x(cell - vec2i(2, 1)));",
    ),
    stage(
        "faces",
        "@in x: Grid<f32>; @out r: Grid<f32>",
        "return turn(x(neighbor(cell, 0)) + 2.0 * x(neighbor(cell, 3)));",
    ),
    stage(
        "edge",
        "@in x: Grid<f32>, edge zero, radius 2; @out r: Grid<f32>",
        "return turn(x(cell + away(1)) + x(cell - away(3)));",
    ),
    stage(
        "open zero",
        "@in x: Grid<f32>, open zero, radius 2; @out r: Grid<f32>",
        "return turn(x(cell + away(1)) + x(cell - away(3)));",
    ),
    stage("anywhere", "@in x: Grid<f32>; @out r: Grid<f32>", "return turn(x(cell + away(i32(x(cell)) % 3)));"),
    stage(
        "in place",
        "@in x: Grid<f32>; @inout r: Grid<f32> = 5, radius 2",
        "return turn(x(cell) + r(cell + away(1)) + r(cell - away(3)));",
    )
    .with("iterations: 3"),
    stage(
        "several numbers",
        "@in x: Grid<f32>; @inout m: Grid<f32[3]> = 1, radius 1; @out r: Grid<f32>",
        "var n = array<f32, 3>(); for (var i = 0; i < 3; i++) { n[i] = turn(m(cell + unit(i % 2), i) + m(cell, (i + 1) % 3) + x(cell)); } \
         return Result(n, turn(n[0] + 3.0 * n[2]));",
    )
    .with("iterations: 3"),
    stage(
        "several halves",
        "@in x: Grid<f32>, radius 2; @out m: Grid<f32[5]>; @out r: Grid<f32>",
        "let a = x(cell + away(1)); return Result(array<f32, 5>(a, 2.0, x(cell), 0.5 * a, 1.0), turn(a + 1.0));",
    )
    .with("precision: \"f16\""),
    stage("position", "@in x: Grid<f32>; @out r: Grid<f32>", "return turn(x_at(position(cell) + Vec(1.0)));"),
    stage(
        "like",
        "@in x: Grid<f32>; @in y: Grid<f32>; @out r: Grid<f32>, like y",
        "return turn(x_at(position(cell)) + 8.0 * y(cell));",
    ),
    stage("half", "@in x: Grid<f32>; @out r: Grid<f32>, half x", "return 4.0 * x_at(position(cell));"),
    stage("slices", "@in x: Grid<f32>; @out r: Grid<f32>, slices 2", "return turn(8.0 * x_at(position(cell)));"),
    stage(
        "over",
        "@in y: Grid<f32>; @in x: Grid<f32>; @over x; @out r: Grid<f32>",
        "return turn(x(cell) + floor(y_at(position(cell))));",
    ),
    stage(
        "checkerboard",
        "@in x: Grid<f32>; @inout r: Grid<f32> = 2; @sweep checkerboard",
        "return turn(x(cell) + r(neighbor(cell, 0)) + r(neighbor(cell, 3)));",
    ),
    stage("constant", "@inout r: Grid<f32> = 5", "return turn(2.0 * r(cell) + f32(cell.x));").with("on: \"d\", iterations: 3"),
    stage("scatter", "@in x: Grid<f32>; @out r: Grid<f32>, scatter", "add_r(cell + away(1), x(cell));"),
    stage(
        "scatter max",
        "@in x: Grid<f32>; @out r: Grid<f32>, scatter max",
        "max_r(cell, 1.0); max_r(cell + away(1), x(cell));",
    ),
    stage("f16", "@in x: Grid<f32>, radius 2; @out r: Grid<f32>", "return turn(x(cell + away(1)) + 1.0);")
        .with("precision: \"f16\""),
    stage(
        "flat",
        "@in camera: Camera; @in x: Grid<f32>, flat; @out r: Grid<f32>",
        "return turn(8.0 * x_at(vec2f(cell) + vec2f(0.5)) + floor(camera_eye(camera()).z));",
    ),
];

/// Stages that read the grid `x` at their own cell, or around it, and end the way of a wire.
const ENDINGS: &[Stage] = &[
    stage("store", "@in x: Grid<f32>; @out r: Grid<f32>", "return turn(2.0 * x(cell) + 1.0);"),
    stage(
        "store around",
        "@in x: Grid<f32>, radius 2; @out r: Grid<f32>",
        "return turn(x(cell + away(1)) + x(cell - away(3)));",
    ),
    stage("store in half precision", "@in x: Grid<f32>; @out r: Grid<f32>", "return turn(2.0 * x(cell) + 1.0);")
        .with("precision: \"f16\""),
    stage("reduce max", "@in x: Grid<f32>; @out r: f32, reduce max", "return x(cell);"),
    stage("reduce min", "@in x: Grid<f32>; @out r: f32, reduce min", "return x(cell);"),
    stage("reduce sum", "@in x: Grid<f32>; @out r: f32, reduce sum", "return floor(x(cell));"),
    stage(
        "reduce around",
        "@in x: Grid<f32>, radius 2; @out r: f32, reduce max",
        "return x(cell + away(1)) + 3.0 * x(cell - away(3));",
    ),
    stage(
        "store and reduce",
        "@in x: Grid<f32>; @out r: Grid<f32>; @out most: f32, reduce max",
        "return Result(turn(x(cell) + 1.0), x(cell));",
    ),
    stage("scatter", "@in x: Grid<f32>; @out r: Grid<f32>, scatter 8", "add_r(cell + away(1), floor(x(cell)));"),
    stage(
        "scatter around",
        "@in x: Grid<f32>, radius 2; @out r: Grid<f32>, scatter 8",
        "add_r(cell + away(1), floor(x(cell - away(3))));",
    ),
    stage(
        "scatter min",
        "@in x: Grid<f32>; @out r: Grid<f32>, scatter min",
        "min_r(cell, 5.0); min_r(cell + away(1), x(cell));",
    ),
    stage("scan", "@in x: Grid<f32>; @out r: Grid<u32>, scan", "return u32(x(cell));"),
    stage(
        "store matrices",
        "@in x: Grid<f32>; @out r: Grid<Mat>",
        "return Mat(x(cell), 1.0, turn(2.0 * x(cell)), 0.5);",
    ),
    stage(
        "store several",
        "@in x: Grid<f32>; @out r: Grid<f32[3]>",
        "return array<f32, 3>(x(cell), turn(x(cell) + 1.0), 2.0);",
    ),
    stage(
        "checkerboard",
        "@in x: Grid<f32>; @inout r: Grid<f32> = 2; @sweep checkerboard",
        "return turn(x(cell) + r(neighbor(cell, 0)) + r(neighbor(cell, 3)));",
    ),
    stage(
        "sweeps",
        "@in x: Grid<f32>; @inout r: Grid<f32> = 2, radius 2",
        "return turn(x(cell) + r(cell + away(1)) + r(cell - away(3)));",
    )
    .with("iterations: 4"),
    stage(
        "emit",
        "@in x: Grid<f32>; @in amount: u32 = 20; @inout r: Particles{} -> {position: Vec, mark: f32}, emit amount",
        "let place = vec2f(vec2u(particle.serial % 8u, particle.serial / 8u % 6u)) + 0.5; return Result(place, x_at(place));",
    ),
];

/// Stages over the particles `p`, which have a position, a mark and a vector of three.
const PARTICLE_FRONTS: &[Stage] = &[
    stage("own", "@inout p: Particles{mark: f32} -> {mark: f32}", "return turn(3.0 * particle.mark + 1.0);"),
    stage(
        "others",
        "@inout p: Particles{mark: f32} -> {mark: f32}",
        "return turn(particle.mark + p(particle.index ^ 1u).mark);",
    ),
    stage(
        "grid",
        "@in x: Grid<f32>; @inout p: Particles{position: Vec, mark: f32} -> {mark: f32}",
        "return turn(particle.mark + x_at(particle.position));",
    ),
    stage(
        "two",
        "@inout p: Particles{position: Vec, mark: f32} -> {mark: f32, position: Vec}",
        "return Result(turn(particle.mark + 2.0), vec2f(turn(particle.position.x + 1.0) % 8.0, particle.position.y));",
    ),
    stage(
        "own vector",
        "@inout p: Particles{mark: f32, v: vec3f} -> {mark: f32, v: vec3f}",
        "return Result(turn(particle.mark + particle.v.y), vec3f(turn(particle.v.z + 1.0), particle.v.xy));",
    ),
    stage(
        "others' vectors",
        "@inout p: Particles{mark: f32, v: vec3f} -> {mark: f32, v: vec3f}",
        "let other = p(particle.index ^ 1u); return Result(turn(particle.mark + 1.0), vec3f(turn(other.v.x + particle.v.y), other.v.yz));",
    ),
    stage(
        "vector of a grid",
        "@in x: Grid<f32>; @inout p: Particles{position: Vec, mark: f32} -> {v: vec3f}",
        "return vec3f(x_at(particle.position), particle.mark, 3.0);",
    ),
];

const PARTICLE_ENDINGS: &[Stage] = &[
    stage("store", "@inout p: Particles{mark: f32} -> {mark: f32}", "return turn(2.0 * particle.mark);"),
    stage("reduce sum", "@in p: Particles{mark: f32}; @out r: f32, reduce sum", "return particle.mark;"),
    stage("reduce max", "@in p: Particles{mark: f32}; @out r: f32, reduce max", "return particle.mark;"),
    stage(
        "store and reduce",
        "@inout p: Particles{mark: f32} -> {mark: f32}; @out r: f32, reduce sum",
        "return Result(turn(particle.mark + 1.0), particle.mark);",
    ),
    stage("filter", "@inout p: Particles{mark: f32}, filter", "return u32(particle.mark) % 3u != 0u;"),
    stage(
        "gather",
        "@inout p: Particles{mark: f32}, gather",
        "return p_count() - 1u - min(particle.index, p_count() - 1u) + 0u * u32(particle.mark);",
    ),
    stage(
        "scatter",
        "@inout p: Particles{mark: f32}, scatter",
        "return p_count() - 1u - min(particle.index, p_count() - 1u) + 0u * u32(particle.mark);",
    ),
    stage(
        "put",
        "@inout p: Particles{mark: f32} -> {item: f32}, put",
        "put_item(p_count() - 1u - particle.index, particle.mark);",
    ),
    stage(
        "matrix",
        "@inout p: Particles{mark: f32} -> {m: Mat, mark: f32}",
        "return Result(Mat(particle.mark, 1.0, 2.0, 0.5), turn(particle.mark + 1.0));",
    ),
    stage(
        "sum by index",
        "@inout p: Particles{mark: f32} -> {item: f32}, sum 8",
        "add_item((particle.index * 5u) % p_count(), particle.mark); add_item(particle.index / 2u, 1.0);",
    ),
    stage(
        "store vectors",
        "@inout p: Particles{mark: f32, v: vec3f} -> {v: vec3f}",
        "return vec3f(turn(particle.mark + particle.v.x), particle.v.zy);",
    ),
    stage(
        "near",
        "@inout p: Particles{mark: f32, v: vec3f} -> {mark: f32}",
        "var sum = particle.mark; for (var k = 0u; k < 5u; k++) { let q = p((particle.index + 7u * k) % p_count()); sum = turn(sum + q.v.y + q.mark); } return sum;",
    ),
    stage(
        "put vectors",
        "@inout p: Particles{v: vec3f} -> {item: vec3f}, put",
        "put_item(p_count() - 1u - particle.index, particle.v);",
    ),
    stage(
        "sum vectors by index",
        "@inout p: Particles{v: vec3f} -> {item: vec3f}, sum 8",
        "add_item((particle.index * 5u) % p_count(), particle.v); add_item(particle.index / 2u, vec3f(1.0, 2.0, 0.5));",
    ),
    stage("reduce vectors", "@in p: Particles{v: vec3f}; @out r: vec3f, reduce sum", "return particle.v;"),
    stage(
        "matrix and vector",
        "@inout p: Particles{mark: f32, v: vec3f} -> {m: Mat, v: vec3f}",
        "return Result(Mat(particle.mark, 1.0, 2.0, particle.v.x), particle.v.yzx);",
    ),
    stage(
        "add to a grid",
        "@in p: Particles{position: Vec, mark: f32}; @out r: Grid<f32>, scatter 8",
        "add_r(cell_at(particle.position), particle.mark);",
    ),
    stage(
        "add vectors to a grid",
        "@in p: Particles{position: Vec, mark: f32}; @out r: Grid<vec3f>, scatter 8",
        "for (var k = 0; k < 9; k++) { add_r(cell_at(particle.position) + Cell(k % 3 - 1, k / 3 - 1), vec3f(particle.mark, 1.0, 0.5)); }",
    ),
    stage(
        "add to faces",
        "@inout p: Particles{position: Vec, mark: f32} -> {mark: f32}; @out r: FaceGrid, scatter 8",
        "for (var k = 0; k < 4; k++) { add_r(cell_at(particle.position) + Cell(k - 2, k % 2), k % 2, particle.mark); } \
         add_r_at(particle.position, Vec(particle.mark, 1.0)); return turn(particle.mark + 3.0);",
    ),
    stage(
        "add around",
        "@inout p: Particles{position: Vec, mark: f32} -> {mark: f32}; @out r: Grid<vec3f>, scatter 8",
        "for (var k = 0; k < 9; k++) { add_r(cell_at(particle.position) + Cell(k % 3 - 1, k / 3 - 1), vec3f(particle.mark, 1.0, 0.5)); } return turn(particle.mark + 3.0);",
    ),
    stage(
        "emit",
        "@in amount: u32 = 5; @inout p: Particles{} -> {position: Vec, mark: f32}, emit amount",
        "return Result(vec2f(0.5), f32(particle.serial % 7u));",
    ),
];

/// A pair as a graph, and the wires of the two stages.
struct Pair {
    name: String,
    ron: String,
    states: Vec<String>,
    wires: Vec<String>,
}

fn custom(stage: &Stage, argument: &str, returns: &str, inputs: &str) -> String {
    let node = if stage.node.is_empty() { String::new() } else { format!(", {}", stage.node) };
    format!("(custom: r#\"{}\"#, inputs: {{{inputs}}}{node})", stage.text(argument, returns))
}

/// Type that a stage's function returns, and its wires `NODE.PORT`.
fn results(stage: &Stage, node: &str) -> (String, Vec<String>) {
    let mut returned = Vec::new();
    let mut wires = Vec::new();
    for line in stage.header.split("; ").filter(|line| line.starts_with("@out") || line.starts_with("@inout")) {
        let (name, rest) = line.split_once(' ').and_then(|(_, line)| line.split_once(": ")).expect("a port");
        let particles = rest.starts_with("Particles");
        let written = rest.split_once("-> {").map(|(_, list)| list.split('}').next().unwrap_or_default());
        let ends = |ending: &str| rest.ends_with(ending);
        if particles {
            let attributes =
                written.unwrap_or("mark: f32, v: vec3f").split(", ").map(|a| a.split_once(": ").expect("an attribute"));
            for (attribute, ty) in attributes {
                wires.push(format!("{node}.{name}.{attribute}"));
                if written.is_some() && !ends("put") && !ends("sum 8") {
                    returned.push(ty.to_string());
                }
            }
            if ends("filter") {
                returned.push("bool".into());
            } else if ends("gather") || ends(", scatter") {
                returned.push("u32".into());
            }
            continue;
        }
        wires.push(format!("{node}.{name}"));
        let scatters = rest.contains("scatter");
        let element = rest.trim_start_matches("Grid<").split(['>', ',', ' ']).next().unwrap_or_default();
        if !scatters {
            returned.push(element.into());
        }
    }
    let returns = match returned.as_slice() {
        [] => String::new(),
        [one] => one.strip_suffix(']').map_or(one.clone(), |array| format!("array<{}>", array.replace('[', ", "))),
        _ => "Result".into(),
    };
    (returns, wires)
}

fn pair(front: &Stage, ending: &Stage, particles: bool) -> Pair {
    let has = |stage: &Stage, port: &str| {
        ["@in", "@inout"]
            .iter()
            .any(|word| stage.header.split("; ").any(|line| line.starts_with(&format!("{word} {port}: "))))
    };
    let argument = |stage: &Stage| if particles || stage.name == "emit" { "particle: Particle" } else { "cell: Cell" };
    let ((front_returns, mut wires), (end_returns, end_wires)) = (results(front, "f"), results(ending, "e"));
    wires.extend(end_wires);
    let mut inputs = String::new();
    for (port, wire) in [("x", "s"), ("y", "o"), ("p", "p"), ("camera", "cam")] {
        if has(front, port) {
            let _ = write!(inputs, "\"{port}\": \"{wire}\", ");
        }
    }
    let end_inputs = match (particles, has(ending, "p")) {
        (true, true) => "\"p\": \"f.p\"",
        // What is emitted joins the set of a State.
        _ if ending.name == "emit" => "\"x\": \"f.r\", \"r\": \"q\"",
        _ => "\"x\": \"f.r\"",
    };
    // Fronts on other domains lead into no State of this one.
    let apart = particles || ["like", "half", "slices"].contains(&front.name);
    let next = if apart { "more.r" } else { "f.r" };
    let mut ron = String::from(
        "(version: 1, name: \"pair\", fps: 60, seed: 7, nodes: {\n\
         \"d\": (domain: (resolution: (8, 6), width: 8, edge: (left: \"open\", right: \"open\", y: \"clamp\"))),\n\
         \"coarse\": (domain: (resolution: (4, 3), width: 8, edge: \"clamp\")),\n\
         \"cam\": (stage: \"view/camera\"),\n",
    );
    let start = stage("start", "@out r: Grid<f32>", "return f32((cell.x * 37 + cell.y * 101) % 257);");
    let more = stage("more", "@in x: Grid<f32>; @out r: Grid<f32>", "return turn(5.0 * x(cell) + 3.0);");
    let born = stage(
        "born",
        "@in amount: u32 = 24; @inout p: Particles{} -> {position: Vec, mark: f32, v: vec3f}, emit amount",
        "let place = vec2f(vec2u(particle.serial % 8u, particle.serial / 8u)) + 0.5; \
         return Result(place, f32(particle.serial * 37u % 257u), vec3f(vec3u(11u, 23u, 5u) * particle.serial % 61u));",
    );
    let mut node = |name: &str, text: String| {
        let _ = writeln!(ron, "\"{name}\": {text},");
    };
    let on = |text: String, domain: &str| text.replacen('(', &format!("(on: \"{domain}\", "), 1);
    node("start", on(custom(&start, "cell: Cell", "f32", ""), "d"));
    node("begin", on(custom(&start, "cell: Cell", "f32", ""), "coarse"));
    node("more", custom(&more, "cell: Cell", "f32", "\"x\": \"s\""));
    node("s", format!("(state: \"Grid<f32>\", on: \"d\", inputs: {{\"init\": \"start.r\", \"next\": \"{next}\"}})"));
    node("o", "(state: \"Grid<f32>\", on: \"coarse\", inputs: {\"init\": \"begin.r\"})".into());
    if particles {
        node("born", on(custom(&born, "particle: Particle", "Result", ""), "d"));
        node("p", "(state: \"Particles{position: Vec, mark: f32, v: vec3f}\", capacity: 64, on: \"d\", inputs: {\"init\": \"born.p\", \"next\": \"f.p\"})".into());
    } else if ending.name == "emit" {
        node(
            "q",
            "(state: \"Particles{position: Vec, mark: f32}\", capacity: 64, on: \"d\", inputs: {\"next\": \"e.r\"})"
                .into(),
        );
    }
    let placed =
        |text: String, stage: &Stage| if stage.name == "flat" || stage.name == "slices" { on(text, "d") } else { text };
    node("f", placed(custom(front, argument(front), &front_returns, &inputs), front));
    node("e", custom(ending, argument(ending), &end_returns, end_inputs));
    ron += "})\n";
    let states = if particles { &["p.mark", "p.v"][..] } else { &["s"] };
    let states = states.iter().map(|state| state.to_string()).collect();
    Pair { name: format!("{}, then {}", front.name, ending.name), ron, states, wires }
}

fn pairs() -> Vec<Pair> {
    let cells = FRONTS.iter().flat_map(|front| ENDINGS.iter().map(move |ending| pair(front, ending, false)));
    let particles =
        PARTICLE_FRONTS.iter().flat_map(|front| PARTICLE_ENDINGS.iter().map(move |ending| pair(front, ending, true)));
    cells.chain(particles).collect()
}

/// The words of States and of wires after three frames.
fn run(
    gpu: &Gpu,
    graph: &Graph,
    pair: &Pair,
    tuning: Tuning,
    kept: &[String],
) -> Result<Vec<(String, Vec<u32>)>, String> {
    let node = |wire: &String| wire.split('.').take(2).collect::<Vec<_>>().join(".");
    let states = pair.states.iter().map(|state| state.split('.').next().unwrap_or_default().to_string());
    let keep: Vec<String> = states.chain(kept.iter().map(node)).collect();
    let options = PlanOptions { keep: Keep::Wires(keep), tuning, ..PlanOptions::default() };
    let plan = Plan::compile(graph, &options).map_err(|e| format!("does not compile: {e}"))?;
    let mut simulation = Simulation::new(gpu, plan).map_err(|e| format!("does not start: {e}"))?;
    for _ in 0..3 {
        simulation.step(&FrameInput::default()).map_err(|e| e.to_string())?;
    }
    let read = |wire: &String| Ok((wire.clone(), simulation.read(wire).map_err(|e| format!("{wire}: {e}"))?.words));
    pair.states.iter().chain(kept).map(read).collect()
}

/// What differs between the ways to compute a pair, and to look at it.
fn compare(gpu: &Gpu, pair: &Pair) -> Result<(), String> {
    let document = Document::parse(&pair.ron).map_err(|e| e.to_string())?;
    let graph = Graph::build(&document, Library::builtin()).map_err(|e| e.to_string())?;
    let expected = run(gpu, &graph, pair, Tuning::default(), &pair.wires)?;
    // Sets of any size are listed by bins.
    let listing = Tuning { binned_capacity: 1, ..Tuning::gpu() };
    for (tuning, name) in [(Tuning::cpu(), "on a CPU"), (listing, "on a GPU"), (Tuning::default(), "plain")] {
        // Nobody looks; somebody looks at the ending; at both.
        let looks = [&[][..], &pair.wires[pair.wires.len() - 1..], &pair.wires];
        for kept in looks {
            for (wire, words) in run(gpu, &graph, pair, tuning.clone(), kept)? {
                let wanted = expected.iter().find(|(name, _)| *name == wire).map(|(_, words)| words);
                if wanted != Some(&words) {
                    return Err(format!("{name}, looking at {kept:?}: {wire} is {words:x?} instead of {wanted:x?}"));
                }
            }
        }
    }
    Ok(())
}

#[test]
fn stages_compute_the_same_together_apart_and_observed() {
    let gpu = super::gpu();
    let pairs = pairs();
    let seed = super::seed::first() as usize;
    let count = super::seed::number("STAGEWRIGHT_COUNT").map_or(30, |count| count as usize).min(pairs.len());
    // A stride without a common divisor visits all of them.
    let common = |stride: usize| (2..=stride).any(|d| stride.is_multiple_of(d) && pairs.len().is_multiple_of(d));
    let stride = (38..).find(|stride| !common(*stride)).unwrap_or(1);
    let mut failed = Vec::new();
    for k in 0..count {
        let pair = &pairs[(seed * count + k) * stride % pairs.len()];
        if let Err(difference) = compare(gpu, pair) {
            println!("{}: {difference}\n{}", pair.name, pair.ron);
            failed.push(&pair.name);
        }
    }
    println!("{count} of {} pairs from seed {seed}", pairs.len());
    let repeat = super::seed::repeat(seed as u64, count as u64, "stages_compute_the_same_together");
    assert!(failed.is_empty(), "{} of {count} pairs: {failed:#?}; {repeat}", failed.len());
}
