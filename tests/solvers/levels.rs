//! Coarser domains that stages ask for, what groups do without a wire, States of one number, and multigrid on all of that.

use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_language::stage::Stage;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

const RESTRICT: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "u": (state: "Grid<f32>"),
    "once": (stage: "multigrid/restrict", inputs: {"field": "u.value"}),
    "again": (stage: "multigrid/restrict", inputs: {"field": "u.value"}),
    "both": (stage: "fluid/add", inputs: {"field": "once.coarse", "source": "again.coarse"}),
    "twice": (stage: "multigrid/restrict", inputs: {"field": "once.coarse"}),
"#;

/// The mean of the 2^DIM cells below each coarse one; beyond the border is nothing.
fn means(field: &[f64], grid: &Grid) -> (Vec<f64>, Grid) {
    let n: Vec<usize> = grid.n[..grid.dim].iter().map(|n| (*n as usize).div_ceil(2)).collect();
    let coarse = Grid::new(&n, 2.0 * grid.h * n[0] as f64, grid.edge);
    let mean = |c: [i64; 3]| {
        let corners = 1usize << grid.dim;
        let fine = |k: usize| std::array::from_fn(|a| if a < grid.dim { 2 * c[a] + ((k >> a) & 1) as i64 } else { 0 });
        (0..corners).map(|k| grid.read(field, fine(k))).sum::<f64>() / corners as f64
    };
    (coarse.cells().map(mean).collect(), coarse)
}

#[test]
fn a_stage_that_asks_for_half_the_resolution_runs_over_it() {
    for cells in [vec![12, 8], vec![7, 5], vec![6, 4, 10]] {
        let grid = Grid::new(&cells, 1.0, EdgeRule::Zero);
        let u = random(grid.cell_count(), 3);
        let mut sim = start(60.0, RESTRICT, &[("$cells", &grid.resolution())]);
        let once = run(&mut sim, &[("u", &u)], 1, "once.coarse");
        let (expected, coarse) = means(&f64s(&u), &grid);
        within(&format!("{cells:?}, half"), max_abs(&difference(&once, &expected)), 16.0 * U, "sums of 2^DIM");
        let (expected, _) = means(&expected, &coarse);
        let twice = read(&sim, "twice.coarse");
        within(&format!("{cells:?}, a quarter"), max_abs(&difference(&twice, &expected)), 32.0 * U, "the same twice");
        // Two stages that ask for half of one domain share it, or these could not be added.
        assert_eq!(read(&sim, "both.field").len(), once.len());
    }
}

#[test]
fn half_of_what_is_not_there_is_refused() {
    let text = "//! Title\n//! @in fine: Grid<f32>\n//! @out coarse: Grid<f32>, half nothing\nfn stage(cell: Cell) -> f32 { return fine_at(position(cell)); }";
    let errors = Stage::parse("test", text).unwrap_err();
    let message = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
    assert!(message.contains("`half nothing`: no readable grid port of that name"), "{message}");
}

const COUNT: &str = r##"
    "domain": (domain: (resolution: (4, 4))),
    "count": (state: "vec4f", inputs: {"next": "step.next"}, params: {"value": (5, 0, 0, 0)}),
    "step": (custom: r#"//! Step
        //! @over once
        //! @in last: vec4f
        //! @out next: vec4f
        fn stage() -> vec4f { return last() + vec4f(1.0, frame.dt, 0.0, 0.0); }"#, inputs: {"last": "count"}),
"##;

#[test]
fn a_state_may_be_one_number() {
    let mut sim = start(50.0, COUNT, &[]);
    step(&mut sim, 10);
    let count = read(&sim, "count.value");
    println!("after 10 frames: {count:?}");
    assert_eq!(count[0], 15.0);
    within("ten time steps", (count[1] - 0.2).abs(), 10.0 * U, "roundings of ten sums");
    sim.reset();
    step(&mut sim, 1);
    assert_eq!(read(&sim, "count.value")[0], 6.0);
}

const GROUP: &str = r#"
    "domain": (domain: (resolution: (8, 8), width: 1)),
    "u": (state: "Grid<f32>"),
    "twice": (group: (
        inputs: {"field": "Grid<f32>", "more": "Grid<f32>"},
        outputs: {"$output": "add.result"},
        nodes: {"add": (custom: r"//! Add
            //! @in field: Grid<f32>
            //! @in more: Grid<f32> = 3
            //! @out result: Grid<f32>
            fn stage(cell: Cell) -> f32 { return field(cell) + more(cell); }", inputs: {"field": "in.field", "more": "in.more"})},
    ), inputs: {"field": "u"}$iterations),
"#;

#[test]
fn a_group_may_do_without_a_wire_where_what_reads_it_may() {
    let mut sim = start(60.0, GROUP, &[("$output", "result"), ("$iterations", "")]);
    let sum = run(&mut sim, &[("u", &[1.0; 64])], 1, "twice.result");
    assert!(sum.iter().all(|v| *v == 4.0), "1 and the default of 3");
    // A repeat that continues from its own output needs something to start from.
    let fed_back = document(60.0, GROUP, &[("$output", "more"), ("$iterations", ", iterations: 2")]);
    let problems = Graph::build(&fed_back, Library::builtin()).unwrap_err().to_string();
    println!("{problems}");
    assert!(problems.contains("twice.more") && problems.contains("first iteration"), "{problems}");
}

/// A disc of heavy liquid, in a round vessel or a periodic box.
const POISSON: &str = r##"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "$edge")),
    "rhs": (state: "Grid<f32>"),
    "open": (custom: r#"//! Open
        //! @out open: Grid<f32>
        fn stage(cell: Cell) -> f32 { return select(0.0, 1.0, length(position(cell) - 0.5) < $radius); }"#, on: "domain"),
    "mass": (custom: r#"//! Mass
        //! @out mass: Grid<f32>
        fn stage(cell: Cell) -> f32 { return select(1.0, $ratio, length(position(cell) - vec2f(0.4, 0.5)) < 0.2); }"#, on: "domain"),
    "weight": (stage: "two_phase/face_weight", inputs: {"mass": "mass", "open": "open"}),
    "pressure": (state: "Grid<f32>", inputs: {"next": "solve.pressure"}),
    "solve": (stage: "$solve", inputs: {"divergence": "rhs", "weight": "weight", "pressure": "pressure"}),
    "residual": (stage: "multigrid/residual", inputs: {"divergence": "rhs", "weight": "weight", "pressure": "solve.pressure"}),
"##;

/// A right-hand side that a closed vessel can satisfy: it sums to zero over the open cells.
fn balanced(n: usize, radius: f64) -> Vec<f32> {
    let open = |i: usize| {
        let [x, y] = [i % n, i / n].map(|c| (c as f64 + 0.5) / n as f64 - 0.5);
        x.hypot(y) < radius
    };
    let mut rhs = f64s(&random(n * n, 5));
    (0..rhs.len()).filter(|i| !open(*i)).for_each(|i| rhs[i] = 0.0);
    let count = (0..rhs.len()).filter(|i| open(*i)).count() as f64;
    let mean = rhs.iter().sum::<f64>() / count;
    (0..rhs.len()).filter(|i| open(*i)).for_each(|i| rhs[i] -= mean);
    f32s(&rhs)
}

/// The rms of the residual before the first frame, and what a solver leaves of it after each.
fn leaves(solve: &str, ratio: &str, n: usize, edge: &str, radius: f64, frames: usize) -> Vec<f64> {
    let (rhs, radius_text) = (balanced(n, radius), radius.to_string());
    let n = n.to_string();
    let values = [("$ratio", ratio), ("$solve", solve), ("$n", &n), ("$edge", edge), ("$radius", &radius_text)];
    let mut sim = start(60.0, POISSON, &values);
    sim.reset();
    sim.write("rhs", &rhs).unwrap();
    let mut left = vec![rms(&f64s(&rhs))];
    for _ in 0..frames {
        step(&mut sim, 1);
        left.push(rms(&read(&sim, "residual.residual")));
    }
    left
}

/// What the slowest of some cycles leaves of the residual.
fn slowest(left: &[f64]) -> f64 {
    left.windows(2).map(|two| two[1] / two[0]).fold(0.0, f64::max)
}

#[test]
fn a_multigrid_cycle_takes_most_of_the_residual_where_sweeps_stall() {
    for ratio in ["1.2", "10.0"] {
        let left = leaves("two_phase/pressure_multigrid", ratio, 64, "wall", 0.48, 4);
        println!("density ratio {ratio}: V-cycles leave {left:?}");
        within("the slowest of four cycles", slowest(&left), 0.25, "V(2,2) in theory 0.1 to 0.2");
        // As many sweeps on the finest cells as four cycles have.
        let stalled = leaves("two_phase/pressure_sor", ratio, 64, "wall", 0.48, 16);
        println!("  sixteen sweeps leave {:.2e}, four cycles {:.2e}", stalled[16] / stalled[0], left[4] / left[0]);
        assert!(stalled[16] > 10.0 * left[4], "sweeps alone do not do it");
    }
}

/// Wide cells see the faces on both sides of a periodic border, also where the last of them reaches beyond it.
#[test]
fn a_multigrid_cycle_takes_as_much_around_a_periodic_box() {
    for n in [64, 50, 63] {
        let left = leaves("two_phase/pressure_multigrid", "1.2", n, "wrap", 1.0, 4);
        println!("{n}^2: V-cycles leave {left:?}");
        within("the slowest of four cycles", slowest(&left), 0.25, "V(2,2) in theory 0.1 to 0.2");
    }
}
