//! Pressure of two fluids whose densities differ by a thousand, between walls of any shape: what a cycle of multigrid and
//! conjugate gradients leaves of the residual.

use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_test_support::seed::today;

const POISSON: &str = r##"
    "domain": (domain: (resolution: ($n, $n), width: 1, edge: "$edge")),
    "rhs": (state: "Grid<f32>", on: "domain"),
    "p": (state: "Grid<f32>", on: "domain", params: {"value": 0}),
    "case": (number: 0), "tolerance": (number: 0),
    "distance": (custom: r#"//! Distance
        //! @out distance: Grid<f32>
        //! @param choice: i32 = 0
        fn stage(cell: Cell) -> f32 {
            let p = position(cell);
            if params.choice == 1 { return length(p - 0.5) - 0.48; }
            if params.choice == 2 { return max(abs(p.x - 0.5) - min(0.03 + 0.9 * abs(p.y - 0.5), 0.47), abs(p.y - 0.5) - 0.47); }
            if params.choice == 4 {
                // The hourglass, a little smaller, at 45 degrees.
                let q = mat2x2f(0.70710678, 0.70710678, -0.70710678, 0.70710678) * (p.xy - 0.5);
                return max(abs(q.x) - min(0.03 + 0.9 * abs(q.y), 0.47), abs(q.y) - 0.47);
            }
            if params.choice == 5 {
                // At 30 degrees, with a neck of a tenth of the width.
                let q = mat2x2f(0.8660254, -0.5, 0.5, 0.8660254) * (p.xy - 0.5);
                return max(abs(q.x) - min(0.05 + 0.9 * abs(q.y), 0.47), abs(q.y) - 0.47);
            }
            if params.choice == 3 { return 0.045 - length(fract(p * 6.0) / 6.0 - vec2f(0.5 / 6.0)); }
            if params.choice == 6 {
                // Two halves, between them a wall at 45 degrees with a hole.
                let q = mat2x2f(0.70710678, 0.70710678, -0.70710678, 0.70710678) * (p.xy - 0.5);
                return -max(abs(q.y) - 0.04, 0.03 - abs(q.x));
            }
            if params.choice == 7 {
                // The same, thinner.
                let q = mat2x2f(0.70710678, 0.70710678, -0.70710678, 0.70710678) * (p.xy - 0.5);
                return -max(abs(q.y) - 0.012, 0.015 - abs(q.x));
            }
            if params.choice == 8 {
                // Teeth from both sides in turn.
                let tooth = floor(p.y / 0.0625);
                let gap = select(p.x, 1.0 - p.x, tooth % 2.0 == 0.0) - 0.06;
                return -max(abs(p.y - 0.0625 * tooth) - 0.012, -gap);
            }
            if params.choice == 9 {
                let d = p.xy - 0.5;
                let turn = length(d) / 0.1 - atan2(d.y, d.x) / 6.2831853;
                return max(length(d) - 0.48, 0.013 - 0.1 * abs(fract(turn) - 0.5));
            }
            return -1.0;
        }"#, on: "domain", params: {"choice": "floor(case / 3)"}),
    "open": (stage: "two_phase/open_cells", inputs: {"vessel": "distance"}),
    "shape": (custom: r#"//! Shape
        //! @out distance: Field<f32>
        //! @param choice: i32 = 0
        fn stage(p: Vec) -> f32 {
            if params.choice == 1 { return 0.2 - length(p - vec2f(0.42, 0.53)); }
            if params.choice == 2 { return 0.45 + 0.1 * sin(7.0 * p.x) - p.y; }
            // A plug in the neck at 30 degrees.
            if params.choice == 3 { return length(p - 0.5) - 0.1; }
            return length(p - vec2f(0.42, 0.53)) - 0.2;
        }"#, params: {"choice": "case % 3 + 3 * step(15, case) * step(case, 17.5)"}),
    "fractions": (stage: "two_phase/fill", inputs: {"shape": "shape", "open": "open"}),
    "shares": (stage: "two_phase/normalize", inputs: {"fractions": "fractions"}),
    "mass": (stage: "two_phase/mass", inputs: {"shares": "shares"}, params: {"density_f": $ratio, "density_g": 1}),
    "weight": (stage: "two_phase/face_weight", inputs: {"mass": "mass"$open}),
    "solve": (stage: "two_phase/pressure_multigrid_cg", inputs: {"divergence": "rhs", "weight": "weight", "pressure": "p"}, params: {"cycles": $cycles, "tolerance": "tolerance", "solved": $solved}),
    "residual": (stage: "multigrid/residual", inputs: {"divergence": "rhs", "weight": "weight", "pressure": "solve.pressure"}),
"##;

const VESSELS: [&str; 10] = [
    "a box",
    "a disc",
    "an hourglass",
    "posts",
    "an oblique hourglass",
    "an hourglass at 30 degrees",
    "halves with a hole between them",
    "halves with a thin wall between them",
    "a comb",
    "a spiral",
];
const SHAPES: [&str; 3] = ["a heavy drop", "a bubble", "air over waves"];

/// A grid of n^2 cells whose solve takes so many cycles at most.
struct Tank {
    n: usize,
    edge: &'static str,
    ratio: f64,
    cycles: usize,
    sim: Simulation,
}

impl Tank {
    fn new(n: usize, edge: &'static str, ratio: f64, cycles: usize) -> Tank {
        Tank::solving(256, n, edge, ratio, cycles)
    }

    /// With so many cells on the level that is solved, at most.
    fn solving(solved: usize, n: usize, edge: &'static str, ratio: f64, cycles: usize) -> Tank {
        // A wall beyond an open border would close it.
        let open = if edge == "zero" { "" } else { r#", "open": "open""# };
        let values = [
            ("$n", n.to_string()),
            ("$edge", edge.into()),
            ("$ratio", ratio.to_string()),
            ("$cycles", cycles.to_string()),
            ("$solved", solved.to_string()),
            ("$open", open.into()),
        ];
        Tank { n, edge, ratio, cycles, sim: start(60.0, POISSON, &pairs(&values)) }
    }

    /// Factor of the first cycle, and of each of those from the second to the last.
    fn factors(&mut self, vessel: usize, shape: usize) -> [f64; 2] {
        let Tank { n, edge, ratio, cycles, sim } = self;
        sim.set_param("case.value", ParamValue::Number((3 * vessel + shape) as f64)).unwrap();
        sim.reset();
        step(sim, 1);
        let rhs = balanced(*n, &read(sim, "weight.weight"), *edge == "zero");
        let before = rms(&f64s(&rhs));
        let mut left = |tolerance: f64| {
            sim.set_param("tolerance.value", ParamValue::Number(tolerance)).unwrap();
            run(sim, &[("rhs", &rhs)], 1, "solve.pressure");
            let [left, p, recomputed] =
                ["solve/cycles.residual", "solve.pressure", "residual.residual"].map(|w| read(sim, w));
            // The residual of the steps goes on to fall where that of a pressure in f32 stands still.
            let w = max_abs(&read(sim, "weight.weight"));
            let floor = w * stalled_residual(4, max_abs(&p), 1.0 / *n as f64);
            let apart = max_abs(&difference(&left, &recomputed));
            assert!(apart <= floor, "{apart} between the steps' residual and the pressure's, {floor} of rounding");
            rms(&left)
        };
        let (first, last) = (left(1e30), left(0.0));
        let each = (first / last).powf(1.0 / (*cycles as f64 - 1.0));
        let all = (before / last).powf(1.0 / *cycles as f64);
        let first = before / first;
        println!(
            "{n}^2, {edge}, density ratio {ratio}, {} in {}: {first:.1} times in the first cycle, {each:.1} in each to {cycles}, {all:.1} in each of all",
            SHAPES[shape], VESSELS[vessel]
        );
        [first, each]
    }
}

/// Waves and noise; what flows into a closed part of the vessel flows out of it.
fn balanced(n: usize, weight: &[f64], open_border: bool) -> Vec<f32> {
    let face = |x: usize, y: usize, axis: usize| weight[2 * (y * (n + 1) + x) + axis] > 0.0;
    let open = |i: usize| {
        let (x, y) = (i % n, i / n);
        face(x, y, 0) || face(x + 1, y, 0) || face(x, y, 1) || face(x, y + 1, 1)
    };
    let noise = random(n * n, 5);
    let wave = |i: usize| {
        let [x, y] = [i % n, i / n].map(|c| (c as f64 + 0.5) / n as f64);
        0.3 * f64::from(noise[i]) + (5.0 * x + 1.0).sin() * (4.0 * y).cos()
    };
    let mut rhs: Vec<f64> = (0..n * n).map(|i| if open(i) { wave(i) } else { 0.0 }).collect();
    let mut seen: Vec<bool> = (0..n * n).map(|i| open_border || !open(i)).collect();
    for seed in 0..n * n {
        let (mut part, mut next) = (Vec::new(), vec![seed]);
        while let Some(i) = next.pop() {
            if std::mem::replace(&mut seen[i], true) {
                continue;
            }
            part.push(i);
            let (x, y) = (i % n, i / n);
            let beside = [
                (face(x, y, 0), (x + n - 1) % n, y),
                (face(x + 1, y, 0), (x + 1) % n, y),
                (face(x, y, 1), x, (y + n - 1) % n),
                (face(x, y + 1, 1), x, (y + 1) % n),
            ];
            next.extend(beside.iter().filter(|(open, ..)| *open).map(|(_, x, y)| y * n + x));
        }
        let mean = part.iter().map(|i| rhs[*i]).sum::<f64>() / part.len().max(1) as f64;
        part.iter().for_each(|i| rhs[*i] -= mean);
    }
    f32s(&rhs)
}

/// The first may go to large scales, which the root mean square hardly counts.
#[test]
fn a_cycle_takes_seven_eighths_at_a_density_ratio_of_a_thousand() {
    // Levels of 50 periodic cells have 25, 13, 7.
    let cases: [(usize, &str, &[[usize; 2]]); 3] =
        [(64, "wall", &[[1, 0], [2, 0], [2, 1], [3, 2], [4, 0]]), (50, "wrap", &[[0, 1]]), (64, "zero", &[[0, 0]])];
    for (n, edge, cases) in today(cases, 2) {
        let mut tank = Tank::new(n, edge, 1000.0, 4);
        for [vessel, shape] in cases {
            let [_, each] = tank.factors(*vessel, *shape);
            assert!(each >= 8.0, "a cycle takes {each} times");
        }
    }
}

/// The pressure between the bulbs appears in the first two cycles, so a fifth shows what they take.
#[test]
fn a_plug_in_a_neck_at_any_angle_is_seen_by_the_wide_cells() {
    let [_, each] = Tank::new(128, "wall", 1000.0, 5).factors(5, 0);
    assert!(each >= 8.0, "a cycle takes {each} times");
}

/// Interpolation leads through no wall and follows oblique ones, and what links the parts is solved on 24^2 wide cells, where a comb's
/// corridors are one and a half cells wide.
#[test]
fn walls_thinner_than_wide_cells_are_seen() {
    let mut tank = Tank::solving(1024, 96, "wall", 1000.0, 5);
    for vessel in [8, 9] {
        let [_, each] = tank.factors(vessel, 0);
        assert!(each >= 8.0, "a cycle takes {each} times");
    }
}

#[test]
fn passages_of_a_cell_are_seen_by_the_wide_cells() {
    // Between the posts of 16 cells there is one cell.
    let [_, each] = Tank::new(16, "wall", 1000.0, 4).factors(3, 0);
    assert!(each >= 8.0, "a cycle takes {each} times");
}

const SOLVE: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    $states
    "rhs": (state: "Grid<f32>", on: "domain"),
    "alone": (state: "Grid<u32>", on: "domain", params: {"value": 0}),
    "matrix": (domain: (resolution: ("$most / 4", $most$layer), width: "$most / 4")),
    "size": (stage: "multigrid/dense_size$space", inputs: {$links, "reach": "alone"}, params: {"most": $most}),
    "dense": (stage: "multigrid/dense_links$space", on: "matrix", inputs: {$links, "size": "size.size", "ground": "size.ground"}, params: {"level": 0}),
    "nothing": (number: 0),
    "inverse": (group: (
        inputs: {"done": "f32", "matrix": "Grid<vec4f>", "size": "vec4f"},
        outputs: {"done": "more.eliminated", "left": "more.left", "matrix": "more.matrix"},
        nodes: {
            "more": (group: (
                inputs: {"done": "f32", "matrix": "Grid<vec4f>", "size": "vec4f"},
                outputs: {"eliminated": "square.eliminated", "left": "square.left", "matrix": "eliminate.matrix"},
                nodes: {
                    "eliminate": (stage: "multigrid/dense_eliminate", inputs: {"done": "in.done", "matrix": "in.matrix", "parts": "parts.parts", "size": "in.size"}),
                    "parts": (stage: "multigrid/dense_parts", on: "rows", inputs: {"done": "in.done", "matrix": "in.matrix", "pivots": "pivots.square", "size": "in.size"}),
                    "pivots": (stage: "multigrid/dense_pivots", inputs: {"square": "square.square"}, iterations: 8),
                    "rows": (domain: (resolution: (8, $most$layer), width: 8, edge: "wall")),
                    "sixteen": (domain: (resolution: (16, 32$layer), width: 16, edge: "wall")),
                    "nine": (domain: (resolution: (9, 32$layer), width: 9)),
                    "square": (stage: "multigrid/dense_square", on: "nine", inputs: {"done": "in.done", "matrix": "in.matrix", "size": "in.size", "sums": "sums.sums"}),
                    "sums": (stage: "multigrid/dense_sums", on: "sixteen", inputs: {"done": "in.done", "matrix": "in.matrix", "size": "in.size"}),
                },
            ), inputs: {"done": "in.done", "matrix": "in.matrix", "size": "in.size"}, iterations: 8),
        },
    ), inputs: {"done": "nothing", "matrix": "dense", "size": "size.size"}, iterations: "$most / 256", until: (number: "left", below: 1)),
    "rows": (domain: (resolution: (16, $most$layer), width: 16)),
    "product": (stage: "multigrid/dense_product", on: "rows", inputs: {"residual": "rhs", "inverse": "inverse.matrix", "size": "size.size"}, params: {"level": 0}),
    "solve": (stage: "multigrid/dense_solve", inputs: {"residual": "rhs", "product": "product", "size": "size.size"}),
"#;

/// Solves a x = b by Gauss's elimination.
fn eliminated(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for i in 0..n {
        for j in i + 1..n {
            let part = a[j][i] / a[i][i];
            let row = a[i].clone();
            a[j].iter_mut().zip(&row).for_each(|(x, y)| *x -= part * y);
            b[j] -= part * b[i];
        }
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - (i + 1..n).map(|j| a[i][j] * b[j]).sum::<f64>()) / a[i][i];
    }
    b
}

/// Links through the heavy fluid, to those in the light one.
const PLUG: f32 = 1e-3;

/// Offsets of the cells to which a cell holds its links.
const LINKED: [[i32; 3]; 4] = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [-1, 1, 0]];
const LINKED_IN_SPACE: [[i32; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [-1, 1, 0],
    [1, 0, 1],
    [-1, 0, 1],
    [0, 1, 1],
    [0, -1, 1],
    [1, 1, 1],
    [-1, 1, 1],
    [1, -1, 1],
    [-1, -1, 1],
];
/// The States that hold a cell's links in space.
const IN_SPACE: [&str; 4] = ["links_a", "links_b", "links_c", "links_d"];

/// One of the four numbers that a State holds of a cell: three links and the sink, then four links each.
fn in_space(links: &[f32], sink: f32, state: usize, number: usize) -> f32 {
    match (state, number) {
        (0, 3) => sink,
        (0, k) => links[k],
        (state, number) => links.get(4 * state + number - 1).copied().unwrap_or(0.0),
    }
}

#[test]
fn a_level_of_few_cells_is_solved_though_hardly_anything_links_its_halves() {
    // The heavy fluid lies between the halves, or around the last cell.
    for (cells, edge, corner) in [
        ([4, 4, 1], "wrap", false),
        ([8, 8, 1], "wall", true),
        ([5, 3, 1], "zero", false),
        ([13, 19, 1], "wrap", false),
        ([24, 25, 1], "zero", false),
        ([2, 4, 3], "wrap", false),
        ([4, 3, 4], "wall", true),
        ([3, 5, 2], "zero", false),
        ([8, 8, 8], "wall", false),
    ] {
        let [nx, ny, nz] = cells;
        let (n, space) = (nx * ny * nz, nz > 1);
        let linked: &[[i32; 3]] = if space { &LINKED_IN_SPACE } else { &LINKED };
        let states: &[&str] = if space { &IN_SPACE } else { &["links", "sink"] };
        let state = |name: &&str| {
            let value = if *name == "sink" { "f32" } else { "vec4f" };
            format!(r#""{name}": (state: "Grid<{value}>", on: "domain"),"#)
        };
        let values = [
            ("$cells", if space { format!("{nx}, {ny}, {nz}") } else { format!("{nx}, {ny}") }),
            ("$edge", edge.to_string()),
            ("$states", states.iter().map(state).collect()),
            ("$links", states.iter().map(|name| format!(r#""{name}": "{name}""#)).collect::<Vec<_>>().join(", ")),
            ("$space", if space { "_3d" } else { "" }.into()),
            ("$layer", if space { ", 1" } else { "" }.into()),
            ("$most", if space { 512 } else { 1024 }.to_string()),
        ];
        let mut sim = start(60.0, SOLVE, &pairs(&values));
        let (strength, noise) = (random(linked.len() * n, 1), random(n, 2));
        let mut links = vec![vec![0.0f32; linked.len()]; n];
        let mut matrix = vec![vec![0.0; n]; n];
        for (i, k) in (0..n).flat_map(|i| (0..linked.len()).map(move |k| (i, k))) {
            let place = [i % nx, i / nx % ny, i / nx / ny];
            let other = [0, 1, 2].map(|axis| place[axis] as i32 + linked[k][axis]);
            if edge != "wrap" && (0..3).any(|axis| other[axis] < 0 || other[axis] >= cells[axis] as i32) {
                continue;
            }
            let around = [0, 1, 2].map(|axis| other[axis].rem_euclid(cells[axis] as i32) as usize);
            let j = around[0] + nx * (around[1] + ny * around[2]);
            let heavy = if corner { i.max(j) == n - 1 } else { (2 * place[1] < ny) != (2 * around[1] < ny) };
            links[i][k] = if heavy { PLUG } else { 1.0 } * (1.1 + strength[linked.len() * i + k]);
            let l = f64::from(links[i][k]);
            [(i, j), (j, i)].iter().for_each(|(a, b)| {
                matrix[*a][*b] += l;
                matrix[*a][*a] -= l;
            });
        }
        let open = edge == "zero";
        let sink: Vec<f32> = (0..n).map(|i| if open && i < nx { 0.5 } else { 0.0 }).collect();
        // Nothing flows into the last cell where hardly anything could.
        let flow = n - usize::from(corner);
        let mean = if open { 0.0 } else { noise[..flow].iter().sum::<f32>() / flow as f32 };
        let rhs: Vec<f32> = (0..n).map(|i| if i < flow { noise[i] - mean } else { 0.0 }).collect();
        let total: Vec<f64> = (0..n).map(|i| f64::from(sink[i]) - matrix[i][i]).collect();
        (0..n).for_each(|i| matrix[i][i] -= f64::from(sink[i]));
        if !open {
            // In a closed box an equation follows from the others; the weighted mean takes its place.
            matrix[0].clone_from(&total);
        }
        let mut b = f64s(&rhs);
        if !open {
            b[0] = 0.0;
        }
        let exact = eliminated(matrix, b);
        let held: Vec<Vec<f32>> = match space {
            false => vec![links.concat(), sink],
            true => (0..4)
                .map(|state| (0..4 * n).map(|at| in_space(&links[at / 4], sink[at / 4], state, at % 4)).collect())
                .collect(),
        };
        let held = states.iter().copied().zip(held.iter().map(Vec::as_slice)).chain([("rhs", rhs.as_slice())]);
        let mut p = run(&mut sim, &held.collect::<Vec<_>>(), 1, "solve.pressure");
        if !open {
            // One cell's is zero instead of the mean.
            let mean = p.iter().zip(&total).map(|(p, t)| p * t).sum::<f64>() / total.iter().sum::<f64>();
            p.iter_mut().for_each(|p| *p -= mean);
        }
        // What flows through each layer of the plug is a sum of sources, a few roundings each. In a plane the centres of cells are rounded too, so
        // that the plug's links take a little of those beside them, which may be 2.1 / 0.1 times as strong and more by the plug.
        let exactly = space || [nx, ny].iter().all(|n| n.is_power_of_two());
        let apart = if exactly { 0.0 } else { 2.0 * U * nx.max(ny) as f64 * 21.0 };
        let mut bar = (4.0 * (nx * ny) as f64 * U * max_abs(&f64s(&rhs)) + apart * max_abs(&exact)) / f64::from(PLUG);
        if corner {
            // The pressure is held elsewhere, so it does not round as the heavy fluid's.
            bar = 4.0 * n as f64 * U * max_abs(&exact);
        }
        within(&format!("{nx}x{ny}x{nz}, {edge}"), max_abs(&difference(&p, &exact)), bar, "roundings of the sources");
        assert!(bar < 0.1 * max_abs(&exact), "{bar} of {}", max_abs(&exact));
    }
}

/// V-cycles alone do not reach eight times in space; conjugate gradients with multigrid do (`space`).
#[test]
fn in_space_v_cycles_take_less() {
    let nodes = POISSON
        .replace("($n, $n)", "($n, $n, $n)")
        .replace("length(p - vec2f(0.42, 0.53))", "length(p - vec3f(0.42, 0.53, 0.47))")
        .replace("- vec2f(0.5 / 6.0)", "- vec3f(0.5 / 6.0)")
        .replace("two_phase/pressure_multigrid_cg", "two_phase/pressure_multigrid")
        .replace(r#"params: {"cycles": $cycles, "tolerance": "tolerance", "solved": $solved}"#, "iterations: $cycles");
    let (n, cycles) = (32, 7);
    let values = [
        ("$n", n.to_string()),
        ("$edge", "wall".into()),
        ("$ratio", "1000".into()),
        ("$cycles", cycles.to_string()),
        ("$open", String::new()),
    ];
    let mut sim = start(60.0, &nodes, &pairs(&values));
    let wave = |i: usize| {
        let [x, y, z] = [i % n, i / n % n, i / n / n].map(|c| (c as f64 + 0.5) / n as f64);
        (5.0 * x + 1.0).sin() * (4.0 * y).cos() * (3.0 * z).cos()
    };
    let mut rhs: Vec<f64> =
        random(n * n * n, 5).iter().enumerate().map(|(i, r)| 0.3 * f64::from(*r) + wave(i)).collect();
    let excess = mean(&rhs);
    rhs.iter_mut().for_each(|r| *r -= excess);
    for (shape, bar) in [(0, 4.0), (1, 1.5)] {
        sim.set_param("case.value", ParamValue::Number(f64::from(shape))).unwrap();
        let left = run(&mut sim, &[("rhs", &f32s(&rhs))], 1, "residual.residual");
        let each = (rms(&rhs) / rms(&left)).powf(1.0 / f64::from(cycles));
        println!("{n}^3, density ratio 1000, {}: {each:.1} times in each of {cycles} cycles", SHAPES[shape as usize]);
        assert!(each >= bar, "a cycle takes {each} times");
    }
}

/// By hand: `cargo test --test two_phase pressure::large -- --ignored --nocapture`.
#[test]
#[ignore = "minutes on a software adapter"]
fn large_grids_take_as_many_cycles() {
    for n in [128, 512] {
        let mut tank = Tank::solving(1024, n, "wall", 1000.0, 5);
        for case in 0..3 * VESSELS.len() {
            tank.factors(case / 3, case % 3);
        }
    }
    for (n, edge) in [(33, "wall"), (50, "wall"), (33, "wrap"), (50, "wrap"), (100, "wrap"), (96, "wrap")] {
        Tank::new(n, edge, 1000.0, 4).factors(0, 1);
    }
    for ratio in [1.06, 1.2, 10.0, 100.0, 10000.0] {
        Tank::new(128, "wall", ratio, 4).factors(1, 0);
    }
}
