//! Small dispatches that one workgroup does in their turn: which these are, and that they compute the same bits.

use std::collections::BTreeSet;

use stagewright_compiler::tuning::{LANES, MAX_JOINED_BUFFERS, MAX_LANES};
use stagewright_compiler::{Dispatch, Keep, Over, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

use super::shipped::{assert_same, planned, played};

/// A cycle of multigrid a frame, in a box or around a wall, with numbers that are made once for all cells.
const SOLVER: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "p": (state: "Grid<f32>", inputs: {"next": "$solve.pressure"}, on: "domain"),
    "strength": (custom: r#"//! Strength
        //! @over once
        //! @out strength: f32
        //! @param by: f32 = 1
        fn stage() -> f32 { return params.by; }"#, params: {"by": "0.5 + 0.1 * time"}),
    "twice": (custom: r#"//! Twice
        //! @over once
        //! @in once: f32
        //! @out twice: f32
        fn stage() -> f32 { return 2.0 * once(); }"#, inputs: {"once": "strength.strength"}),
    "source": (custom: r#"//! Source
        //! @in by: f32
        //! @out source: Grid<f32>
        //! @out most: f32, reduce max
        fn stage(cell: Cell) -> Result {
            let at = position(cell);
            let value = by() * (sin(9.0 * at.x + 2.0 * frame.time) * cos(7.0 * at.y) + f32(cell.x % 3));
            return Result(value, value);
        }"#, inputs: {"by": "twice.twice"}, on: "domain"),
    "open": (custom: r#"//! Open
        //! @out open: Grid<f32>
        fn stage(cell: Cell) -> f32 { return select(1.0, 0.0, distance(position(cell), 0.3 * SIZE) < 0.15); }"#, on: "domain"),
    "weight": (stage: "staggered/open_faces", inputs: {"open": "open"}),
    "parts": (stage: "multigrid/connected_parts", inputs: {"mask": "open", "weight": "weight"}),
    "box": (stage: "fluid/pressure_multigrid", inputs: {"divergence": "source.source", "pressure": "p"}),
    "walls": (stage: "two_phase/pressure_multigrid", inputs: {"divergence": "source.source", "part": "parts", "pressure": "p", "weight": "weight"}),
"##;

fn solver(cells: &str, edge: &str, solve: &str) -> Document {
    document(60.0, SOLVER, &[("$cells", cells), ("$edge", edge), ("$solve", solve)])
}

fn with(document: &Document, tuning: Tuning, wires: &[&str]) -> Plan {
    let keep = Keep::Wires(wires.iter().map(ToString::to_string).collect());
    let plan = planned(document, PlanOptions { keep, tuning, ..PlanOptions::default() });
    assert_eq!(plan.apart, None);
    plan
}

fn apart(tuning: &Tuning) -> Tuning {
    Tuning { without: vec!["one_workgroup".into()], ..tuning.clone() }
}

fn turns(plan: &Plan) -> Vec<(&Dispatch, u32)> {
    let turns = plan.frame.iter().filter_map(|dispatch| match dispatch.over {
        Over::Turns(count) => Some((dispatch, count)),
        _ => None,
    });
    turns.collect()
}

/// The paths of all nodes that a frame dispatches.
fn nodes(plan: &Plan) -> BTreeSet<&str> {
    plan.frame.iter().flat_map(Dispatch::nodes).collect()
}

/// In the plane and in space, narrow and odd, by kernels of few and of many buffers.
#[test]
fn small_dispatches_share_a_workgroup_and_change_no_bit() {
    let cases = [
        ("33, 20", "wall", "walls"),
        ("40, 24", "wrap", "box"),
        ("7, 5", "clamp", "walls"),
        ("12, 10, 9", "wall", "box"),
        ("20, 16, 18", "wall", "box"),
    ];
    for (cells, edge, solve) in today(cases, 2) {
        let (document, mut least) = (solver(cells, edge, solve), usize::MAX);
        let name = format!("{solve} of {cells}, {edge}");
        let plain = played(with(&document, Tuning::default(), &[]), 2);
        for joined_buffers in [8, 16, MAX_JOINED_BUFFERS] {
            let lanes = if joined_buffers == 16 { LANES } else { MAX_LANES };
            let tuning = Tuning { joined_buffers, lanes, ..Tuning::gpu() };
            let (one, several) = (with(&document, tuning.clone(), &[]), with(&document, apart(&tuning), &[]));
            let joined: u32 = turns(&one).iter().map(|(_, count)| count - 1).sum();
            println!("{name}: {} dispatches of {} by {joined_buffers} buffers", one.frame.len(), several.frame.len());
            assert!(joined > 0 && one.frame.len() + joined as usize == several.frame.len(), "{name}");
            assert!(one.frame.len() <= least, "{name}: more buffers, more dispatches");
            least = one.frame.len();
            assert_eq!(nodes(&one), nodes(&several), "{name}: every node is named");
            assert_eq!(one.memory, several.memory, "{name}");
            for (dispatch, _) in turns(&one) {
                let kernel = &one.kernels[dispatch.kernel];
                assert!(kernel.bindings.len() <= joined_buffers as usize, "{name}");
                let buffers: BTreeSet<_> = dispatch.buffers.iter().collect();
                assert_eq!(buffers.len(), kernel.bindings.len(), "{name}: a buffer is bound once");
                assert_eq!((dispatch.groups, dispatch.indirect), ([1; 3], None));
            }
            let last = one.invariant.len() + one.frame.len();
            let held = one.buffers.iter().flat_map(|buffer| &buffer.holds);
            let ends = held.flat_map(|held| [held.first, held.last]).flatten();
            assert!(ends.max().is_some_and(|end| end < last), "{name}: dispatches are numbered as they are");
            if joined_buffers == MAX_JOINED_BUFFERS {
                assert_same(&name, &played(one, 2), &plain);
            }
        }
    }
}

/// Levels of few cells fill a workgroup, which has no more invocations along an axis than every adapter offers. The software driver offers more.
#[test]
fn workgroups_are_within_the_limits_of_every_adapter() {
    for cells in ["2, 2, 2", "32, 32, 32", "4, 2, 64", "64, 2, 2", "9, 8, 7", "64, 64"] {
        for (solve, joined_buffers) in [("walls", 4), ("walls", 16), ("box", 4), ("box", 16)] {
            let plan = with(&solver(cells, "wall", solve), Tuning { joined_buffers, ..Tuning::gpu() }, &[]);
            for kernel in plan.kernels.iter() {
                let [x, y, z] = kernel.workgroup;
                assert!(x <= 256 && y <= 256 && z <= 64 && x * y * z <= 256, "{solve} of {cells}: {}", kernel.name);
            }
        }
    }
}

/// A wire that somebody looks at is kept as ever, and what lies behind a gate or is being edited stays by itself.
#[test]
fn what_is_looked_at_gated_or_edited_is_as_before() {
    let document = solver("16, 16", "wall", "walls");
    let all = with(&document, Tuning::gpu(), &["twice.twice", "source.most", "walls/restrict_2.coarse"]);
    let plain = with(&document, Tuning::default(), &["twice.twice", "source.most", "walls/restrict_2.coarse"]);
    assert!(!turns(&all).is_empty());
    let [mut joined, mut plain] =
        [all, plain].map(|plan| stagewright_runtime::sim::Simulation::new(gpu(), plan).unwrap());
    for _ in 0..3 {
        step(&mut joined, 1);
        step(&mut plain, 1);
        for wire in ["twice.twice", "source.most", "walls/restrict_2.coarse"] {
            assert_eq!(words(&joined, wire), words(&plain, wire), "{wire}");
        }
    }
    let edited = PlanOptions { edited: vec!["twice".into()], tuning: Tuning::gpu(), ..PlanOptions::default() };
    let plan = planned(&document, edited);
    let dispatches: Vec<_> =
        plan.frame.iter().filter(|dispatch| dispatch.nodes().any(|node| node == "twice")).collect();
    assert!(
        dispatches.len() == 1 && dispatches[0].with.is_empty() && dispatches[0].over == Over::Once,
        "{dispatches:?}"
    );
    let versions = PlanOptions { keep: Keep::Versions, tuning: Tuning::gpu(), ..PlanOptions::default() };
    assert!(turns(&planned(&document, versions)).is_empty(), "a debugger stops between any two dispatches");
    let group = r##"
        "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
        "rhs": (custom: r#"//! Source
            //! @out source: Grid<f32>
            fn stage(cell: Cell) -> f32 { return f32(cell.x) - 7.5; }"#, on: "domain"),
        "solve": (stage: "fluid/pressure_cg", inputs: {"divergence": "rhs"}),
        "p": (state: "Grid<f32>", inputs: {"next": "solve.pressure"}, on: "domain"),
    "##;
    let document = self::document(60.0, group, &[]);
    let plan = with(&document, Tuning::gpu(), &[]);
    let gated = plan.frame.iter().filter(|dispatch| dispatch.indirect.is_some_and(|indirect| !indirect.living));
    assert!(gated.count() > 0, "what waits for a gate is dispatched by it");
    assert_same("pressure_cg", &played(plan, 3), &played(with(&document, Tuning::default(), &[]), 3));
}
