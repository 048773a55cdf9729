//! Stages with ports of every kind that a grid confines: plans of every kind agree to the bit, and cells outside the blocks hold what no
//! stage has reached.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::{FrameInput, Simulation};

const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "spot": (custom: r#"//! Spot
        //! Moves through the box, and is gone in some frames.
        //! @out x: Grid<f32>
        fn stage(cell: Cell) -> f32 {
            let at = (i32(frame.index) * 11 + 3) % RESOLUTION.x;
            return select(0.0, 1.0, cell.x == at && frame.index % 4u != 2u);
        }"#, on: "box"),
    "noise": (custom: r#"//! Noise
        //! @out n: Grid<f32>
        fn stage(cell: Cell) -> f32 { return floor(random(cell, 3) * 100.0) - 50.0; }"#, on: "box"),
    "held": (state: "Grid<f32>", on: "box", inputs: {"next": "kinds.a"}, params: {"value": 3}),
    "solid": (state: "Grid<Mat>", on: "box", inputs: {"next": "kinds.m"}, params: {"value": 3}),
    "faces_held": (state: "FaceGrid", on: "box", inputs: {"next": "faces.u"}),
    "kinds": (custom: r#"//! Kinds
        //! @inout a: Grid<f32>
        //! @inout m: Grid<Mat>
        //! @in n: Grid<f32>
        //! @out low: f32, reduce min, expect -60..60   The lowest
        //! @out high: i32, reduce max
        //! @out total: u32, reduce sum
        fn stage(cell: Cell) -> Result {
            var m = m(cell); m[0][1] += n(cell);
            return Result(0.5 * a(cell) + n(cell), m, n(cell), i32(n(cell)), u32(abs(n(cell))));
        }"#, where: "spot", inputs: {"a": "held", "m": "solid", "n": "noise"}),
    "sums": (custom: r#"//! Sums
        //! @in n: Grid<f32>
        //! @out s: Grid<u32>, scan
        fn stage(cell: Cell) -> u32 { return u32(abs(n(cell))); }"#, where: "spot", inputs: {"n": "noise"}),
    "parts": (custom: r#"//! Parts
        //! @in n: Grid<f32>
        //! @out label: Grid<u32>, connect
        fn stage(cell: Cell) -> u32 { return select(0u, 8u + 3u, n(cell) > -20.0); }"#, where: "spot", inputs: {"n": "noise"}),
    "raise": (custom: r#"//! Raise
        //! @in n: Grid<f32>
        //! @out up: Grid<f32>, scatter max
        //! @out down: Grid<i32>, scatter min
        fn stage(cell: Cell) { max_up(cell + unit(0), n(cell)); min_down(cell - unit(1), i32(n(cell))); }"#, where: "spot", inputs: {"n": "noise"}),
    "onto": (custom: r#"//! Onto faces
        //! @in n: Grid<f32>
        //! @out u: FaceGrid, scatter
        fn stage(cell: Cell) { add_u(cell + unit(0), 0, n(cell)); add_u_at(position(cell), Vec(n(cell))); }"#, where: "spot", inputs: {"n": "noise"}),
    "faces": (custom: r#"//! Faces
        //! @inout u: FaceGrid
        //! @in n: Grid<f32>
        fn stage(cell: Cell) -> Vec { return 0.5 * u(cell) + Vec(n(cell) - n(cell - unit(0))); }"#, where: "spot", inputs: {"u": "faces_held", "n": "noise"}),
    "reads": (custom: r#"//! Reads
        //! @in s: Grid<u32>
        //! @in l: Grid<u32>
        //! @in u: FaceGrid
        //! @in m: Grid<Mat>
        //! @out r: Grid<f32>
        fn stage(cell: Cell) -> f32 { return f32(s(cell + unit(0))) + f32(l(cell) % 97u) + u(cell).x + m(cell)[1][0]; }"#,
        inputs: {"s": "sums", "l": "parts", "u": "onto", "m": "kinds.m"}),
    "again": (group: (inputs: {"x": "Grid<f32>", "n": "Grid<f32>"}, outputs: {"x": "step.x", "most": "most.r"}, nodes: {
        "step": (custom: r#"//! Step
            //! @inout x: Grid<f32>
            //! @in n: Grid<f32>
            fn stage(cell: Cell) -> f32 { return 0.5 * x(cell) + 0.25 * x(cell + unit(0)) + n(cell + unit(1)); }"#, inputs: {"x": "in.x", "n": "in.n"}),
        "most": (custom: r#"//! Most
            //! @in x: Grid<f32>
            //! @out r: f32, reduce max
            fn stage(cell: Cell) -> f32 { return abs(x(cell)); }"#, inputs: {"x": "step"}),
    }), where: "spot", iterations: 5, until: (number: "most", below: 60, every: 2), inputs: {"x": "noise", "n": "noise"}),
"##;

const WIRES: [&str; 14] = [
    "kinds.a",
    "kinds.m",
    "kinds.low",
    "kinds.high",
    "kinds.total",
    "sums.s",
    "parts.label",
    "raise.up",
    "raise.down",
    "onto.u",
    "faces.u",
    "reads.r",
    "again.x",
    "again.most",
];

fn document(cells: &str, edge: &str) -> Document {
    let nodes = NODES.replace("$cells", cells).replace("$edge", edge);
    Document::parse(&format!("(version: 1, fps: 60, seed: 7, nodes: {{ {nodes} }})")).unwrap()
}

const STATES: [&str; 3] = ["held", "solid", "faces_held"];

#[test]
fn plans_of_every_kind_agree_on_confined_stages() {
    for (cells, edge) in [("70, 21", "wrap"), ("64, 32", "open"), ("41, 12, 9", "mirror")] {
        let graph = Graph::build(&document(cells, edge), Library::builtin()).unwrap_or_else(|p| panic!("{p}"));
        let wires: Vec<String> = WIRES.into_iter().chain(STATES).map(String::from).collect();
        let keep = || Keep::Wires(wires.clone());
        let ways = [(Keep::All, Tuning::default()), (keep(), Tuning::gpu()), (keep(), Tuning::cpu())];
        let mut sims = ways.map(|(keep, tuning)| {
            let options = PlanOptions { keep, tuning, pools: true, ..PlanOptions::default() };
            Simulation::new(super::gpu(), Plan::compile(&graph, &options).unwrap_or_else(|p| panic!("{p}"))).unwrap()
        });
        for frame in 0..5 {
            sims.iter_mut().for_each(|sim| sim.step(&FrameInput::default()).unwrap());
            for wire in &wires {
                let [plain, gpu, cpu] = sims.each_ref().map(|sim| sim.read(wire).unwrap().words);
                assert!(plain == gpu && plain == cpu, "{cells} {edge}, frame {frame}, {wire}");
            }
            // The spot is gone in the third frame: no stage runs.
            let nothing = frame == 2;
            let read = |wire: &str| sims[1].read(wire).unwrap().data;
            let all = |wire: &str, value: f32| read(wire).iter().all(|v| *v == value) == nothing;
            for (wire, value) in [
                ("kinds.a", 0.0),
                ("kinds.m", 0.0),
                ("kinds.low", f32::MAX),
                ("kinds.high", i32::MIN as f32),
                ("kinds.total", 0.0),
                ("sums.s", 0.0),
                ("parts.label", u32::MAX as f32),
                ("raise.up", -f32::MAX),
                ("raise.down", i32::MAX as f32),
                ("onto.u", 0.0),
                ("faces.u", 0.0),
                ("again.x", 0.0),
                ("again.most", -f32::MAX),
            ] {
                assert!(all(wire, value), "{cells} {edge}, frame {frame}: {wire} {:?}", &read(wire)[..1]);
            }
        }
        let warnings: Vec<String> = sims[1].warnings(true).0.iter().map(ToString::to_string).collect();
        assert_eq!(warnings, Vec::<String>::new(), "the smallest of no number is not outside a range");
    }
}
