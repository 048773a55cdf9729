//! Tables: grids that a stage reads by their own cells, whatever domain it runs over; and long lists.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

/// A stage over one domain that looks up two tables on two others, and particles that do.
const NODES: &str = r##"
    "room": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "list": (domain: (resolution: (100000, 1), width: 1, edge: "clamp")),
    "square": (domain: (resolution: (5, 3), width: 1, edge: "wrap")),
    "numbers": (custom: r#"//! Numbers
        //! @out n: Grid<u32>
        fn stage(cell: Cell) -> u32 { return u32(cell.x) * 7u % 100003u; }"#, on: "list"),
    "weights": (custom: r#"//! Weights
        //! @out w: Grid<vec2f>
        fn stage(cell: Cell) -> vec2f { return vec2f(cell) + 0.5; }"#, on: "square"),
    "field": (state: "Grid<f32>", on: "room", inputs: {"next": "look.r"}),
    "look": (custom: r#"//! Look Up
        //! @in n: Grid<u32>, table
        //! @in w: Grid<vec2f>, table
        //! @inout r: Grid<f32>
        fn stage(cell: Cell) -> f32 {
            let at = cell.x * 40009 + cell.y * 17;
            let weight = w(vec2i(cell.x % w_resolution.x + 5, -1));
            return r(cell) + f32(n(vec2i(at % n_resolution.x, 0))) + 1000000.0 * weight.x + 10000000.0 * weight.y;
        }"#, inputs: {"n": "numbers", "w": "weights", "r": "field"}),
"##;

#[test]
fn a_table_is_read_by_its_own_cells() {
    for (cells, count) in [("12, 9", 108), ("6, 5, 4", 120)] {
        let graph = Graph::build(&document(60.0, NODES, &[("$cells", cells)]), Library::builtin())
            .unwrap_or_else(|e| panic!("{e}"));
        for (keep, tuning) in [
            (Keep::All, Tuning::default()),
            (Keep::Wires(vec!["field".into()]), Tuning::gpu()),
            (Keep::Wires(vec!["field".into()]), gpu().tuning()),
        ] {
            let plan = Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() }).unwrap();
            let mut sim = Simulation::new(gpu(), plan).unwrap();
            step(&mut sim, 1);
            let wide: usize = cells.split(", ").next().unwrap().parse().unwrap();
            let high: usize = cells.split(", ").nth(1).unwrap().parse().unwrap();
            let found = read(&sim, "field");
            assert_eq!(found.len(), count);
            for (k, value) in found.into_iter().enumerate() {
                let (x, y) = (k % wide, k / wide % high);
                let number = (x * 40_009 + y * 17) % 100_000 * 7 % 100_003;
                // Around the period: column x % 5, the last row.
                let wanted = number as f32 + 1e6 * ((x % 5) as f32 + 0.5) + 1e7 * 2.5;
                assert!((value - f64::from(wanted)).abs() <= 4.0, "{cells}: cell {x}, {y} has {value}, not {wanted}");
            }
        }
    }
}

#[test]
fn a_domain_is_a_list_of_a_million_numbers() {
    let nodes = r##"
        "list": (domain: (resolution: (1048576, 1), width: 1, edge: "clamp")),
        "tall": (domain: (resolution: (2, 131072), width: 1, edge: "clamp")),
        "a": (custom: r#"//! A
            //! @out n: Grid<u32>
            fn stage(cell: Cell) -> u32 { return u32(cell.x + cell.y) ^ 5u; }"#, on: "list"),
        "b": (custom: r#"//! B
            //! @in n: Grid<u32>, table
            //! @out m: Grid<u32>
            fn stage(cell: Cell) -> u32 { return n(vec2i(1048575 - cell.x - 2 * cell.y, 0)); }"#, inputs: {"n": "a"}, on: "tall"),
    "##;
    let sim = {
        let mut sim = start(60.0, nodes, &[]);
        step(&mut sim, 1);
        sim
    };
    let (a, b) = (words(&sim, "a.n"), words(&sim, "b.m"));
    assert_eq!((a.len(), b.len()), (1_048_576, 262_144));
    assert!(a.iter().zip(0..).all(|(found, k)| *found == k ^ 5));
    assert!(b.iter().zip(0u32..).all(|(found, k)| *found == (1_048_575 - k % 2 - 2 * (k / 2)) ^ 5));
}

#[test]
fn a_table_is_the_domain_where_the_header_says_so() {
    for (line, text, more) in
        [("@over n", "Grid<u32>", ""), ("@in more: Grid<f32> = 0", "Grid<u32>, like n", " + u32(more(cell))")]
    {
        let nodes = r##"
            "box": (domain: (resolution: (6, 5), width: 1)),
            "list": (domain: (resolution: (70000, 1), width: 1)),
            "a": (custom: r#"//! A
                //! @out n: Grid<u32>
                fn stage(cell: Cell) -> u32 { return u32(cell.x); }"#, on: "list"),
            "b": (custom: r#"//! B
                //! $line
                //! @in n: Grid<u32>, table
                //! @out m: $text
                fn stage(cell: Cell) -> u32 { return n(vec2i(n_resolution.x - 1 - cell.x, 0))$more; }"#, inputs: {"n": "a"}),
            "##;
        let mut sim = start(60.0, nodes, &[("$line", line), ("$text", text), ("$more", more)]);
        step(&mut sim, 1);
        let found = words(&sim, "b.m");
        assert_eq!((found.len(), found[0], found[69_999]), (70_000, 69_999, 0), "{line}");
    }
}

#[test]
fn what_tables_are_not_for_is_refused() {
    let of = |line: &str, body: &str| {
        let text =
            format!("//! S\n//! {line}\n//! @out r: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return {body}; }}\n");
        let error = stagewright_language::stage::Stage::parse("own", &text).map(drop).unwrap_err();
        error.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    };
    assert!(of("@in t: Grid<f32>, table, radius 2", "t(cell)").contains("a `table` has cells of its own"));
    assert!(of("@inout t: Grid<f32>, table", "t(cell)").contains("does not fit here"));
    assert!(of("@in t: FaceGrid, table", "t(cell).x").contains("does not fit here"));
    assert!(of("@in t: Grid<f32>, table", "1.0").contains("is declared but never read"));
}
