//! Stages that a grid confines with `where`: the same bits as stages that ask a mask, which is written in the language itself, and zero
//! elsewhere.

use stagewright_compiler::{Keep, MemoryBudget, Plan, PlanOptions, Tuning};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

/// Something that moves through the box, a mask of its blocks and of those beside them, and stages of every kind, which run in these.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "seed": (custom: r#"//! Seed
        //! A speck that goes its way, in one component of a vector.
        //! @out d: Grid<vec2f>
        fn stage(cell: Cell) -> vec2f {
            let at = (i32(frame.index) * 5 + 3) % RESOLUTION.x;
            let there = cell.x == at && cell.y == (at * 2) % RESOLUTION.y;
            return vec2f(0.0, select(0.0, 1.0, there));
        }"#, on: "box"),
    "mask": (custom: r#"//! Mask
        //! @in d: Grid<vec2f>
        //! @out m: Grid<f32>
        fn stage(cell: Cell) -> f32 {
            let blocks = (RESOLUTION + 7) / 8;
            var found = 0.0;
            for (var k = 0; k < $around; k++) {
                var b = cell / 8 + $offset;
                if ($wraps) { b = (b + blocks) % blocks; }
                if (any(b < Cell(0)) || any(b >= blocks)) { continue; }
                for (var j = 0; j < $block; j++) {
                    let c = b * 8 + $within;
                    if (all(c < RESOLUTION) && any(d(c) != vec2f(0.0))) { found = 1.0; }
                }
            }
            return found;
        }"#, inputs: {"d": "seed"}),
    "noise": (custom: r#"//! Noise
        //! @out n: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 2.0 * random(cell, 3) - 1.0; }"#, on: "box"),
    "spread": (custom: r#"//! Spread
        //! @inout a: Grid<f32>, radius 1
        //! @inout b: Grid<f32[3]>, radius 1
        //! @out flow: Grid<Vec>
        $mask
        fn stage(cell: Cell) -> Result {
            $none(Result(0.0, array<f32, 3>(), Vec()))
            var v = array<f32, 3>();
            for (var i = 0; i < 3; i++) { v[i] = 0.5 * b(cell, i) + 0.25 * a(cell + unit(0)) + 0.125; }
            return Result(0.5 * a(cell) + 0.25 * a(cell - unit(1)) + 0.0625, v, Vec(a(cell)));
        }"#, $where inputs: {"a": "carried", "b": "several" $wire}, iterations: 3),
    "halves": (custom: r#"//! Halves
        //! @inout h: Grid<f32>
        //! @in n: Grid<f32>
        $mask
        fn stage(cell: Cell) -> f32 { $none(0.0) return 0.5 * h(cell) + n(cell); }"#, $where inputs: {"h": "half", "n": "noise" $wire}, precision: "f16"),
    "sweep": (custom: r#"//! Sweep
        //! @inout p: Grid<f32>
        //! @in n: Grid<f32>
        //! @sweep checkerboard
        $mask
        fn stage(cell: Cell) -> f32 {
            $none(0.0)
            var sum = n(cell);
            for (var k = 0; k < FACES; k++) { sum += p(neighbor(cell, k)); }
            return sum / 7.0;
        }"#, $where inputs: {"p": "pressure", "n": "noise" $wire}, iterations: 2),
    "faces": (custom: r#"//! Faces
        //! @in p: Grid<f32>, radius 1
        //! @out u: FaceGrid
        //! @out c: Grid<f32>
        $mask
        fn stage(cell: Cell) -> Result { $beside return Result(Vec(1.0 + p(cell)), 2.0 + p(cell)); }"#,
        $where inputs: {"p": "sweep.p" $wire}),
    "own": (custom: r#"//! Own
        //! @in a: Grid<f32>
        //! @out x: Grid<f32>
        $mask
        fn stage(cell: Cell) -> f32 { $none(0.0) return a(cell) + 1.0; }"#, $where inputs: {"a": "spread.a" $wire}),
    "after": (custom: r#"//! After
        //! @in x: Grid<f32>
        //! @out y: Grid<f32>
        //! @out most: f32, reduce max
        //! @out sum: f32, reduce sum
        $mask
        fn stage(cell: Cell) -> Result { $none(Result(0.0, -3.4028234e38, 0.0)) return Result(2.0 * x(cell), x(cell), round(x(cell))); }"#,
        $where inputs: {"x": "own" $wire}),
    "counts": (custom: r#"//! Counts
        //! @in x: Grid<f32>
        //! @out h: Grid<u32>, scatter
        $mask
        fn stage(cell: Cell) { $leave add_h(cell / 2, 1u); add_h(cell + unit(0), u32(abs(x(cell)))); }"#,
        $where inputs: {"x": "own" $wire}),
    "everywhere": (custom: r#"//! Everywhere
        //! @in y: Grid<f32>
        //! @out z: Grid<f32>
        fn stage(cell: Cell) -> f32 { return y(cell) + y(cell + unit(0)); }"#, inputs: {"y": "after.y"}),
    "carried": (state: "Grid<f32>", on: "box", inputs: {"next": "spread.a"}, params: {"value": 0.5}),
    "several": (state: "Grid<f32[3]>", on: "box", inputs: {"next": "spread.b"}, params: {"value": 0.25}),
    "half": (state: "Grid<f32>", on: "box", inputs: {"next": "halves"}, precision: "f16", params: {"value": 1}),
    "pressure": (state: "Grid<f32>", on: "box", inputs: {"next": "sweep.p"}, params: {"value": 3}),
"##;

/// What both must agree on.
const WIRES: [&str; 11] = [
    "spread.a",
    "spread.b",
    "spread.flow",
    "halves.h",
    "sweep.p",
    "faces.u",
    "faces.c",
    "after.y",
    "after.most",
    "after.sum",
    "counts.h",
];

/// The graph with `where`, or with the mask.
fn graph(confined: bool, cells: &str, edge: &str) -> Document {
    let flat = cells.matches(',').count() == 1;
    let (around, block, offset, within) = match flat {
        true => ("9", "64", "Cell(k % 3 - 1, k / 3 - 1)", "Cell(j % 8, j / 8)"),
        false => ("27", "512", "Cell(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)", "Cell(j % 8, j / 8 % 8, j / 64)"),
    };
    let wraps = if edge == "wrap" { "true" } else { "false" };
    let (mask, wire, confine) = match confined {
        true => ("", "", "where: \"seed\","),
        false => ("//! @in m: Grid<f32>, radius 1", ", \"m\": \"mask\"", ""),
    };
    let ask = |end: &str| {
        if confined { String::new() } else { format!("if (m(min(cell, RESOLUTION - 1)) == 0.0) {{ return {end}; }}") }
    };
    let mut nodes = NODES.to_string();
    // `$none(VALUE)` is the way out of a stage.
    while let Some(start) = nodes.find("$none(") {
        let (mut depth, mut end) = (0, start + 5);
        for (at, letter) in nodes[start + 5..].char_indices() {
            depth += match letter {
                '(' => 1,
                ')' => -1,
                _ => 0,
            };
            if depth == 0 {
                end = start + 5 + at;
                break;
            }
        }
        let value = nodes[start + 6..end].to_string();
        nodes.replace_range(start..=end, &ask(&value));
    }
    let leave = ask("");
    // A face belongs to the cells on both sides of it.
    let beside = match confined {
        true => "",
        false => {
            "let last = RESOLUTION - 1; var near = m(select(clamp(cell, Cell(0), last), cell, $wraps)); for (var k = 0; k < DIM; k++) { let c = cell - unit(k); near += m(select(clamp(c, Cell(0), last), c, $wraps)); } if (near == 0.0) { return Result(Vec(), 0.0); }"
        }
    };
    let values = [
        ("$cells", cells),
        ("$edge", edge),
        ("$around", around),
        ("$block", block),
        ("$offset", offset),
        ("$within", within),
        ("$mask", mask),
        ("$wire", wire),
        ("$where", confine),
        ("$leave", &leave),
        ("$beside", beside),
        ("$wraps", wraps),
    ];
    document(60.0, &nodes, &values)
}

/// The plain plan that keeps all, and those for a GPU and for a processor that keep these wires.
fn plans(document: &Document, keep: &[&str]) -> Vec<Simulation> {
    let wires = || Keep::Wires(keep.iter().map(ToString::to_string).collect());
    let graph = Graph::build(document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let ways = [(Keep::All, Tuning::default()), (wires(), Tuning::gpu()), (wires(), gpu().tuning())];
    let plan =
        |(keep, tuning)| Plan::compile(&graph, &PlanOptions { keep, tuning, pools: true, ..PlanOptions::default() });
    ways.into_iter().map(|way| Simulation::new(gpu(), plan(way).unwrap_or_else(|e| panic!("{e}"))).unwrap()).collect()
}

/// Holds a wire of all plans against that of the first, bit for bit.
fn agree<'s>(sims: impl IntoIterator<Item = &'s Simulation>, wire: &str, what: &str) {
    let all: Vec<Vec<u32>> = sims.into_iter().map(|sim| words(sim, wire)).collect();
    for (way, found) in all.iter().enumerate() {
        let differ = found.iter().zip(&all[0]).filter(|(a, b)| a != b).count();
        assert!(
            found.len() == all[0].len() && differ == 0,
            "{what}, {wire}, plan {way}: {differ} words of {} differ",
            found.len()
        );
    }
}

#[test]
fn a_confined_stage_is_one_that_asks_a_mask() {
    let mut ran = [0usize; 2];
    for (cells, edges) in [("46, 27", ["wrap", "wall", "zero"].as_slice()), ("18, 11, 9", &["wrap", "clamp"])] {
        for edge in edges {
            let mut masked = plans(&graph(false, cells, edge), &WIRES);
            let mut confined = plans(&graph(true, cells, edge), &WIRES);
            for frame in 1..=3 {
                masked.iter_mut().chain(&mut confined).for_each(|sim| step(sim, 1));
                let mask = read(&masked[0], "mask.m");
                ran[0] += mask.iter().filter(|m| **m == 0.0).count();
                ran[1] += mask.iter().filter(|m| **m != 0.0).count();
                for wire in WIRES {
                    agree(masked.iter().chain(&confined), wire, &format!("{cells} {edge}, frame {frame}"));
                }
            }
        }
    }
    assert!(ran.iter().all(|cells| *cells > 5_000), "cells that ran and did not: {ran:?}");
}

/// Stages over wider and narrower cells than those of the grid that confines them.
const LEVELS: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "seed": (custom: r#"//! Seed
        //! @in n: Grid<f32>
        //! @out d: Grid<f32>$half
        fn stage(cell: Cell) -> f32 {
            let at = RESOLUTION / 2 + select(Cell(0), RESOLUTION / 4, Cell(0) == Cell(i32(frame.index) % 3));
            return select(0.0, 1.0, all(cell == at));
        }"#, inputs: {"n": "noise"}),
    "noise": (custom: r#"//! Noise
        //! @out n: Grid<f32>
        fn stage(cell: Cell) -> f32 { return random(cell, 5) - 0.5; }"#, on: "box"),
    "mask": (custom: r#"//! Mask
        //! @in d: Grid<f32>
        //! @out m: Grid<f32>, like d
        fn stage(cell: Cell) -> f32 {
            var found = 0.0;
            for (var k = 0; k < $around; k++) {
                let b = cell / 8 + $offset;
                if (any(b < Cell(0)) || any(b > (RESOLUTION - 1) / 8)) { continue; }
                for (var j = 0; j < $block; j++) {
                    let c = b * 8 + $within;
                    if (all(c < RESOLUTION) && d(c) != 0.0) { found = 1.0; }
                }
            }
            return found;
        }"#, inputs: {"d": "seed"}),
    "levels": (group: (
        inputs: {"field": "Grid<f32>" $port},
        outputs: {
            "l0": "l0.f", "l1": "l1.f", "l2": "l2.f", "l3": "l3.f", "l4": "l4.f", "l5": "l5.f",
            "s0": "s0.p", "s1": "s1.p", "s2": "s2.p", "s3": "s3.p", "s4": "s4.p", "s5": "s5.p",
        },
        nodes: {$levels},
    ), $where inputs: {"field": "noise" $wire}),
"##;

const LEVEL_WIRES: [&str; 12] = [
    "levels.l0",
    "levels.l1",
    "levels.l2",
    "levels.l3",
    "levels.l4",
    "levels.l5",
    "levels.s0",
    "levels.s1",
    "levels.s2",
    "levels.s3",
    "levels.s4",
    "levels.s5",
];

/// Levels with cells up to 32 times as wide, confined by a grid on the first or the second; or by a mask.
fn levels(confined: bool, cells: &str, coarse: bool) -> Document {
    let flat = cells.matches(',').count() == 1;
    let (around, block, offset, within) = match flat {
        true => ("9", "64", "Cell(k % 3 - 1, k / 3 - 1)", "Cell(j % 8, j / 8)"),
        false => ("27", "512", "Cell(k % 3 - 1, k / 3 % 3 - 1, k / 9 - 1)", "Cell(j % 8, j / 8 % 8, j / 64)"),
    };
    let place = if flat { "Cell(k % w, k / w)" } else { "Cell(k % w, k / w % w, k / (w * w))" };
    let (mask, wire, port, confine) = match confined {
        true => ("", "", "", "where: \"seed\","),
        false => ("//! @in m: Grid<f32>", ", \"m\": \"mask\"", ", \"m\": \"Grid<f32>\"", ""),
    };
    // Of narrower cells each lies in one of the mask's; wider ones cover several.
    let ask = match (confined, coarse) {
        (true, _) => String::new(),
        (false, false) => format!(
            "let w = WIDENING; var many = 1; for (var d = 0; d < DIM; d++) {{ many *= w; }}
             for (var k = 0; k < many; k++) {{ let c = cell * w + {place}; if (all(c < FINEST) && m_at((Vec(c) + 0.5) * CELL_SIZE / f32(w)) < 0.5) {{ return 0.0; }} }}"
        ),
        (false, true) => format!(
            "let w = max(WIDENING / 2, 1); var many = 1; for (var d = 0; d < DIM; d++) {{ many *= w; }}
             for (var k = 0; k < many; k++) {{ let c = select(cell * w + {place}, cell / 2, WIDENING == 1); let h = CELL_SIZE * select(1.0 / f32(w), 2.0, WIDENING == 1); if (all(c < (FINEST + 1) / 2) && m_at((Vec(c) + 0.5) * h) < 0.5) {{ return 0.0; }} }}"
        ),
    };
    let inner = if confined { "" } else { ", \"m\": \"in.m\"" };
    let level = |number: u32| {
        let (half, from) = match number {
            0 => (", like field", "in.field".to_string()),
            n => (", half field", format!("l{}.f", n - 1)),
        };
        format!(
            r##""l{number}": (custom: r#"//! Level
                //! @in field: Grid<f32>
                {mask}
                //! @out f: Grid<f32>{half}
                fn stage(cell: Cell) -> f32 {{ {ask} return select(1.5, 2.5, field_at(position(cell)) > 0.0) + f32(cell.x); }}"#,
                inputs: {{"field": "{from}"{inner}}}),
            "s{number}": (custom: r#"//! Sweeps
                //! @sweep checkerboard
                //! @inout p: Grid<f32>, radius 1
                {mask}
                fn stage(cell: Cell) -> f32 {{
                    {ask}
                    var sum = 0.25 * f32(cell.y);
                    for (var k = 0; k < FACES; k++) {{ sum += p(neighbor(cell, k)); }}
                    return 0.125 * sum;
                }}"#, inputs: {{"p": "l{number}.f"{inner}}}, iterations: 3),"##
        )
    };
    let inside: String = (0..6).map(level).collect();
    let values = [
        ("$half", if coarse { ", half n" } else { ", like n" }),
        ("$around", around),
        ("$block", block),
        ("$offset", offset),
        ("$within", within),
        ("$levels", &inside),
        ("$port", port),
        ("$wire", wire),
        ("$where", confine),
        ("$cells", cells),
    ];
    document(60.0, LEVELS, &values)
}

#[test]
fn wider_cells_run_where_blocks_cover_them_whole() {
    let mut ran = [[0usize; 2]; 12];
    for (cells, coarse) in [("150, 101", false), ("150, 101", true), ("41, 19, 26", false), ("41, 19, 26", true)] {
        let mut masked = plans(&levels(false, cells, coarse), &LEVEL_WIRES);
        let mut confined = plans(&levels(true, cells, coarse), &LEVEL_WIRES);
        masked.iter_mut().chain(&mut confined).for_each(|sim| step(sim, 1));
        for (wire, ran) in LEVEL_WIRES.iter().zip(&mut ran) {
            words(&masked[0], wire).iter().for_each(|word| ran[usize::from(*word != 0)] += 1);
            agree(masked.iter().chain(&confined), wire, &format!("{cells}, {coarse}"));
        }
    }
    assert!(ran.iter().all(|[none, some]| *none > 0 && *some > 0), "cells that did not run and did: {ran:?}");
}

/// What spreads through the box from a speck that moves, in States that begin empty: centres, faces, and one that sweeps change in place.
const SPREADING: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "there": (custom: r#"//! There
        //! @in s: Grid<vec4f>
        //! @out m: Grid<f32>
        fn stage(cell: Cell) -> f32 {
            let at = (i32(frame.index) * 7 + 3) % RESOLUTION.x;
            let source = cell.x == at && cell.y == (2 * at) % RESOLUTION.y;
            return select(0.0, 1.0, source || s(cell).y > 0.25);
        }"#, inputs: {"s": "smoke"}),
    "carry": (custom: r#"//! Carry
        //! @in s: Grid<vec4f>
        //! @in u: FaceGrid
        //! @in m: Grid<f32>
        //! @out q: Grid<vec4f>
        fn stage(cell: Cell) -> vec4f {
            let blown = s_at(position(cell) - 0.0 * Vec(u(cell)));
            let near = 0.25 * (s(cell + unit(0)) + s(cell - unit(1)));
            return 0.5 * s(cell) + near + 0.0 * blown + vec4f(0.0, m(cell), 0.5, u_face(cell, 1));
        }"#, where: "there", inputs: {"s": "smoke", "u": "wind", "m": "there"}),
    "blow": (custom: r#"//! Blow
        //! @inout u: FaceGrid
        //! @in p: Grid<f32>, radius 1
        fn stage(cell: Cell) -> Vec { return 0.5 * u(cell) + Vec(p(cell)) - p(cell - unit(0)); }"#,
        where: "there", inputs: {"u": "wind", "p": "sweep"}),
    "sweep": (custom: r#"//! Sweep
        //! @inout p: Grid<f32>, radius 1
        //! @in q: Grid<vec4f>
        //! @sweep checkerboard
        fn stage(cell: Cell) -> f32 {
            var sum = q(cell).y;
            for (var k = 0; k < FACES; k++) { sum += p(neighbor(cell, k)); }
            return 0.125 * sum;
        }"#, where: "there", inputs: {"p": "pressure", "q": "carry"}, iterations: 2),
    "wide": (custom: r#"//! Wide
        //! @in p: Grid<f32>
        //! @out w: Grid<f32>, half p
        fn stage(cell: Cell) -> f32 { return p_at(position(cell)); }"#, where: "there", inputs: {"p": "sweep"}),
    "sum": (custom: r#"//! Sum
        //! @in q: Grid<vec4f>
        //! @in u: FaceGrid
        //! @out most: f32, reduce max
        //! @out total: f32, reduce sum
        //! @out faces: Grid<Vec>
        fn stage(cell: Cell) -> Result { return Result(q(cell).y + q(cell).w, q(cell).z + 0.001 * f32(cell.x), u(cell)); }"#,
        where: "there", inputs: {"q": "carry", "u": "blow"}),
    "late": (custom: r#"//! Late
        //! @in p: Grid<f32>
        //! @out l: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 1.0 + p(cell); }"#, where: "smoke", inputs: {"p": "sweep"}),
    "marks": (custom: r#"//! Marks
        //! @in s: Grid<vec4f>
        //! @out m: Grid<vec2f>
        fn stage(cell: Cell) -> vec2f { return vec2f(0.0, select(0.0, 1.0, s(cell).y > 0.5)); }"#, inputs: {"s": "smoke"}),
    "later": (custom: r#"//! Later
        //! @in p: Grid<f32>
        //! @out l: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 2.0 + p(cell); }"#, where: "marks", inputs: {"p": "sweep"}),
    "everywhere": (custom: r#"//! Everywhere
        //! @in s: Grid<vec4f>
        //! @in q: Grid<vec4f>
        //! @in u: FaceGrid
        //! @in p: Grid<f32>
        //! @out four: Grid<vec4f>, like s
        fn stage(cell: Cell) -> vec4f { return vec4f(s(cell).y, q(cell).z, u(cell).x + u_face(cell, 3), p(cell + unit(1))); }"#,
        inputs: {"s": "smoke", "q": "carry", "u": "blow", "p": "sweep"}),
    "smoke": (state: "Grid<vec4f>", on: "box", inputs: {"next": "carry"}),
    "wind": (state: "FaceGrid", on: "box", inputs: {"next": "blow"}),
    "pressure": (state: "Grid<f32>", on: "box", inputs: {"next": "sweep"}),
"##;

#[test]
fn grids_in_pools_have_the_same_bits() {
    let wires = ["everywhere.four", "sum.most", "sum.total", "wide.w", "late.l", "later.l"];
    for (cells, edge) in
        [("46, 28", "wrap"), ("40, 24", "zero"), ("47, 33", "wall"), ("18, 14, 10", "wrap"), ("16, 11, 9", "wall")]
    {
        let document = document(60.0, SPREADING, &[("$cells", cells), ("$edge", edge)]);
        let mut sims = plans(&document, &wires);
        let memory: Vec<u64> = sims.iter().map(|sim| sim.plan().memory).collect();
        let pooled =
            |sim: &Simulation| sim.plan().states.iter().filter(|s| s.description.ends_with("in blocks")).count();
        let options = PlanOptions {
            keep: Keep::Wires(wires.iter().map(ToString::to_string).collect()),
            tuning: Tuning::gpu(),
            pools: true,
            ..PlanOptions::default()
        };
        let report = Plan::passes(&Graph::build(&document, Library::builtin()).unwrap(), &options).unwrap();
        let summary = |name: &str| &report.iter().find(|pass| pass.name == name).unwrap().summary;
        let note = summary("block_pool");
        assert!(summary("block_marks").starts_with("joined 2 operations"), "{}", summary("block_marks"));
        assert_eq!(sims.iter().map(pooled).collect::<Vec<_>>(), [0, 3, 0], "{cells}: {memory:?}; {note}");
        for frame in 1..=6 {
            if frame == 5 {
                sims.iter_mut().for_each(Simulation::reset);
            }
            sims.iter_mut().for_each(|sim| step(sim, 1));
            for wire in wires {
                let wanted = words(&sims[0], wire);
                let some = wanted.iter().filter(|word| **word != 0).count();
                assert!(some > 0 || frame % 4 == 1, "{cells} {edge}, frame {frame}: {wire} is zero");
                agree(&sims, wire, &format!("{cells} {edge}, frame {frame}"));
            }
        }
    }
}

#[test]
fn a_pool_that_is_too_small_says_so() {
    let document = document(60.0, SPREADING, &[("$cells", "200, 160"), ("$edge", "wall")]);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let wires = ["wide.w", "sum.most"];
    let plan_with = |pools: bool, bytes: u64| {
        let keep = Keep::Wires(wires.iter().map(ToString::to_string).collect());
        let options = PlanOptions {
            keep,
            tuning: Tuning::gpu(),
            pools,
            memory_budget: MemoryBudget::of_user(bytes),
            ..PlanOptions::default()
        };
        Plan::compile(&graph, &options)
    };
    let plan = |bytes: u64| plan_with(true, bytes);
    let whole = plan(u64::MAX).unwrap();
    // Without being asked for, pools come where memory for all cells is too much.
    let of_all = plan_with(false, u64::MAX).unwrap();
    let none = |plan: &Plan| plan.states.iter().all(|state| !state.description.ends_with("in blocks"));
    assert!(none(&of_all) && none(&plan_with(false, of_all.memory).unwrap()));
    assert!(!none(&plan_with(false, of_all.memory - 1).unwrap()));
    // What is in no pool stays: tables, and the grid that confines.
    let tighter = (1..100).rev().map_while(|percent| Some((percent, plan(whole.memory * percent / 100).ok()?)));
    let tight: Vec<(u64, Plan)> = tighter.collect();
    assert!(tight.iter().all(|(percent, plan)| plan.memory <= whole.memory * percent / 100));
    let (percent, tight) = tight.into_iter().last().unwrap();
    assert!(percent < 50, "pools take most of the memory: {percent} % is what the others take");
    let mut sims = [whole, tight].map(|plan| Simulation::new(gpu(), plan).unwrap());
    let mut warned = None;
    for frame in 1..=12 {
        sims.iter_mut().for_each(|sim| step(sim, 1));
        let warning = sims[1].warnings(true).0.iter().map(ToString::to_string).find(|w| w.contains("blocks of cells"));
        warned = warned.or(warning.map(|warning| (frame, warning)));
        if warned.is_none() {
            for wire in wires {
                assert_eq!(words(&sims[0], wire), words(&sims[1], wire), "frame {frame}: {wire}");
            }
        }
    }
    assert!(sims[0].warnings(true).0.iter().all(|warning| !warning.to_string().contains("blocks of cells")));
    let (_, warning) = warned.expect("a warning");
    assert!(warning.contains("carry: `where` asks for") && warning.contains("there is memory for"), "{warning}");
    let error = plan(1000).unwrap_err().to_string();
    assert!(error.contains("budget"), "{error}");
}

/// Multigrid cycles in blocks around a ball that moves, with fluxes between cells as fluids have.
const CYCLES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: (top: "open", x: "$edge"))),
    "ball": (custom: r#"//! Ball
        //! @out mask: Grid<f32>
        fn stage(cell: Cell) -> f32 {
            let at = position(cell);
            return f32(length(at.xy - vec2f(0.3 + 0.05 * f32(frame.index), 0.35)) < 0.2);
        }"#),
    "noise": (stage: "grid/random"),
    "source": (stage: "grid/multiply", where: "ball", inputs: {"a": "noise", "b": "ball.mask"}),
    "before": (state: "Grid<f32>", on: "box", inputs: {"next": "pressure.pressure"}),
    "pressure": (stage: "fluid/pressure_multigrid", where: "ball", inputs: {"divergence": "source", "pressure": "before"}, iterations: 2),
"##;

#[test]
fn cycles_in_blocks_have_the_same_bits_in_every_plan() {
    let cases = [("150, 101", "wrap"), ("96, 88", "wall"), ("64, 40, 48", "wall"), ("41, 35, 26", "open")];
    // Each takes seconds: half of them on a day.
    for (cells, edge) in today(cases, 2) {
        let document = document(60.0, CYCLES, &[("$cells", cells), ("$edge", edge)]);
        let mut sims = plans(&document, &["pressure.pressure"]);
        let averaged = |sim: &Simulation| {
            let mut frame = sim.plan().frame.iter();
            frame.any(|dispatch| dispatch.node == "pressure/restrict_1" && dispatch.with == ["pressure/residual_0"])
        };
        assert_eq!(sims.iter().map(averaged).collect::<Vec<_>>(), [false, true, false], "{cells} {edge}");
        for frame in 1..=3 {
            sims.iter_mut().for_each(|sim| step(sim, 1));
            let some = words(&sims[0], "pressure.pressure").iter().filter(|word| **word != 0).count();
            assert!(some > 0, "{cells} {edge}, frame {frame}: nothing was solved");
            agree(&sims, "pressure.pressure", &format!("{cells} {edge}, frame {frame}"));
        }
    }
}
