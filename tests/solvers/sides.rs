//! Boundary conditions by side: ghost values of random mixtures of rules against a reference, and flows through inflows, open borders
//! and channels.

use std::f64::consts::TAU;

use stagewright_compiler::tuning::Shape;
use stagewright_language::stage::edges::SIDES;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, EdgeRule, blend};
use stagewright_test_support::seed::today;

use super::edges::PROBES;
use super::shapes::{outcome, shaped};

const H: f64 = 0.5;

/// A box whose sides have rules of their own.
struct Sides {
    n: [i64; 3],
    dim: usize,
    rules: [[EdgeRule; 2]; 3],
}

/// What a place outside shows.
struct Shown {
    place: Cell,
    zero: bool,
    turned: [bool; 3],
}

impl Sides {
    /// Two rules of each axis by chance, or a period.
    fn random(shape: &[usize], seed: u32) -> Sides {
        let mut n = [1; 3];
        n.iter_mut().zip(shape).for_each(|(n, cells)| *n = *cells as i64);
        let others: Vec<EdgeRule> = EdgeRule::ALL.into_iter().filter(|rule| *rule != EdgeRule::Wrap).collect();
        let draw = |salt: u32, of: usize| pcg(salt ^ pcg(seed)) as usize % of;
        let axis = |a: u32| match draw(a, 3) {
            0 => [EdgeRule::Wrap; 2],
            _ => [others[draw(a + 3, others.len())], others[draw(a + 6, others.len())]],
        };
        Sides { n, dim: shape.len(), rules: [axis(0), axis(1), axis(2)] }
    }

    fn text(&self) -> String {
        let sides = SIDES.iter().zip(self.rules).take(self.dim).flat_map(|(names, rules)| {
            names.iter().zip(rules).map(|(name, rule)| format!("{name} {}", rule.name())).collect::<Vec<_>>()
        });
        sides.collect::<Vec<_>>().join(", ")
    }

    /// Of a cell, or of a face along its own axis.
    fn shown(&self, at: Cell, faces: Option<usize>) -> Shown {
        let mut shown = Shown { place: at, zero: false, turned: [false; 3] };
        for (axis, mut i) in at.into_iter().enumerate().take(self.dim) {
            let last = if faces == Some(axis) { self.n[axis] } else { self.n[axis] - 1 };
            let side = if i < 0 { 0 } else { 1 };
            if self.rules[axis][side] == EdgeRule::Wrap {
                shown.place[axis] = i.rem_euclid(self.n[axis]);
                continue;
            }
            if (0..=last).contains(&i) {
                continue;
            }
            shown.zero |= self.rules[axis][side] == EdgeRule::Zero;
            shown.turned[axis] = self.rules[axis][side] == EdgeRule::Wall;
            // Face -1 shows face 1, cell -1 shows cell 0.
            let half = i64::from(faces != Some(axis));
            let both = self.rules[axis] == [EdgeRule::Mirror; 2];
            while !(0..=last).contains(&i) && self.rules[axis][if i < 0 { 0 } else { 1 }] == EdgeRule::Mirror {
                i = if i < 0 { -half - i } else { 2 * last + half - i };
                if !both {
                    break;
                }
            }
            shown.place[axis] = i.clamp(0, last);
        }
        shown
    }

    fn index(&self, c: Cell, layer: i64) -> usize {
        let [x, y] = [self.n[0] + layer, self.n[1] + layer];
        ((c[2] * y + c[1]) * x + c[0]) as usize
    }

    fn number(&self, f: &[f32], c: Cell) -> f64 {
        let shown = self.shown(c, None);
        if shown.zero { 0.0 } else { f64::from(f[self.index(shown.place, 0)]) }
    }

    fn component(&self, v: &[f32], c: Cell, axis: usize) -> f64 {
        let shown = self.shown(c, None);
        let value = f64::from(v[self.index(shown.place, 0) * self.dim + axis]);
        match (shown.zero, shown.turned[axis]) {
            (true, _) => 0.0,
            (_, turned) => {
                if turned {
                    -value
                } else {
                    value
                }
            }
        }
    }

    fn face(&self, w: &[f32], c: Cell, axis: usize) -> f64 {
        let shown = self.shown(c, Some(axis));
        if shown.zero { 0.0 } else { f64::from(w[self.index(shown.place, 1) * self.dim + axis]) }
    }

    /// Compares what stages read beside their own cell, exactly, and at positions, but for rounding.
    fn compares(&self) {
        let (dim, [x, y, z]) = (self.dim, self.n);
        let (cells, layered) = ((x * y * z) as usize, ((x + 1) * (y + 1) * if dim == 3 { z + 1 } else { 1 }) as usize);
        let (f, v, w) = (random(cells, 1), random(cells * dim, 2), random(layered * dim, 3));
        let samples = if dim == 3 { [11, 10, 9] } else { [41, 37, 1] };
        let list = |n: [i64; 3]| n[..dim].iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
        let middle: Vec<f64> = self.n[..dim].iter().map(|n| 0.5 * *n as f64 * H).collect();
        let spread = 3.3 * *self.n[..dim].iter().min().unwrap() as f64 * H;
        let values = [
            ("$cells", list(self.n)),
            ("$width", (x as f64 * H).to_string()),
            ("$edge", self.text()),
            ("$samples", list(samples)),
            ("$spread", spread.to_string()),
            ("$middle", middle.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")),
        ];
        let mut sim = start(60.0, PROBES, &pairs(&values));
        run(&mut sim, &[("f", &f), ("v", &v), ("w", &w)], 1, "f");
        let all =
            |n: [i64; 3]| (0..n.iter().product::<i64>()).map(move |i| [i % n[0], i / n[0] % n[1], i / (n[0] * n[1])]);
        for mut offset in [[-1, 0, 0], [1, -1, 1], [0, 3, -2], [-7, 6, 4], [9, -11, -8], [100, 101, -99]] {
            offset[dim..].fill(0);
            let value = offset[..dim].iter().map(|o| *o as f64).collect();
            sim.set_param("near.offset", stagewright_language::document::ParamValue::Vector(value)).unwrap();
            step(&mut sim, 1);
            let moved = || all(self.n).map(|c| std::array::from_fn(|a| c[a] + offset[a]));
            let vector = |f: &dyn Fn(Cell, usize) -> f64| -> Vec<f64> {
                moved().flat_map(|c| (0..dim).map(move |a| (c, a))).map(|(c, a)| f(c, a)).collect()
            };
            let what = format!("{offset:?} outside {:?}, {}", &self.n[..dim], self.text());
            assert_eq!(
                read(&sim, "near.number"),
                moved().map(|c| self.number(&f, c)).collect::<Vec<_>>(),
                "f32, {what}"
            );
            assert_eq!(read(&sim, "near.vector"), vector(&|c, a| self.component(&v, c, a)), "Vec, {what}");
            assert_eq!(read(&sim, "near.lower"), vector(&|c, a| self.face(&w, c, a)), "lower faces, {what}");
            let upper = |mut c: Cell, a: usize| {
                c[a] += 1;
                self.face(&w, c, a)
            };
            assert_eq!(read(&sim, "near.upper"), vector(&upper), "upper faces, {what}");
        }
        let width = 1.0 / samples[0] as f64;
        let at = |c: Cell| -> [f64; 3] {
            let off = |a: usize| (c[a] as f64 + 0.5 - 0.5 * samples[a] as f64) * width * spread;
            std::array::from_fn(|a| if a < dim { (middle[a] + off(a)) / H } else { 0.0 })
        };
        let bar = dim as f64 * (9.0 * U * 2.0 * spread / H * 2.0 + 3.0 * U);
        let far = |wire: &str, components: usize, value: &dyn Fn([f64; 3], usize) -> f64| {
            let places = all(samples).flat_map(|c| (0..components).map(move |k| (c, k)));
            let expected: Vec<f64> = places.map(|(c, k)| value(at(c), k)).collect();
            let error = max_abs(&difference(&read(&sim, wire), &expected));
            within(&format!("{wire}, {}", self.text()), error, bar, "rounding of a position and of `mix`");
        };
        let centre = |q: [f64; 3]| std::array::from_fn(|a| if a < dim { q[a] - 0.5 } else { 0.0 });
        far("far.number", 1, &|q, _| blend(dim, centre(q), |c| self.number(&f, c)));
        far("far.vector", dim, &|q, k| blend(dim, centre(q), |c| self.component(&v, c, k)));
        far("far.face", dim, &|q, k| {
            let q = std::array::from_fn(|a| if a == k || a >= dim { q[a] } else { q[a] - 0.5 });
            blend(dim, q, |c| self.face(&w, c, k))
        });
    }
}

#[test]
fn ghost_values_of_mixed_sides_in_the_plane() {
    (0..14).for_each(|seed| Sides::random(&[6, 5], seed).compares());
    (14..18).for_each(|seed| Sides::random(&[8, 4], seed).compares());
}

#[test]
fn ghost_values_of_mixed_sides_in_space() {
    (0..8).for_each(|seed| Sides::random(&[5, 4, 3], 100 + seed).compares());
}

/// Sweeps and windows on random sides, on tiles and without.
const SWEEPS: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "p": (state: "Grid<$type>", inputs: {"next": "sweep.field"}),
    "sweep": (stage: "fluid/diffuse", inputs: {"before": "p.value", "field": "p.value"}, params: {"diffusivity": 0.01}, iterations: 4),
    "rhs": (state: "Grid<f32>"),
    "q": (state: "Grid<f32>", inputs: {"next": "jacobi.pressure"}),
    "jacobi": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "rhs.value", "pressure": "q.value"}, params: {"relaxation": 0.9}, iterations: 6),
    "f": (state: "Grid<$type>", inputs: {"next": "mean.result"}),
    "mean": (custom: r"//! Mean
        //! @in  field: Grid<T>
        //! @out result: Grid<T>
        fn stage(cell: Cell) -> T {
            var sum = T();
            for (var j = -2; j <= 2; j++) { for (var i = -2; i <= 2; i++) {
                sum = fract(sum + (f32(2 * i + 3 * j) + 0.5) * field(cell + unit(0) * i + unit(DIM - 1) * j));
            } }
            return 0.75 * sum;
        }", inputs: {"field": "f.value"}),
"#;

#[test]
fn mixed_sides_on_tiles_give_the_same_bits() {
    let (mut fewer, mut rows) = (0, 0);
    for (seed, (shape, ty)) in [
        ([70, 50].as_slice(), "f32"),
        (&[50, 34], "Vec"),
        (&[64, 32], "f32"),
        (&[40, 70], "vec4f"),
        (&[20, 12, 22], "Vec"),
        (&[20, 14, 10], "f32"),
    ]
    .into_iter()
    .cycle()
    .take(12)
    .enumerate()
    {
        let sides = Sides::random(shape, 200 + seed as u32);
        let cells = shape.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let values = [("$cells", cells), ("$edge", sides.text()), ("$type", ty.to_string())];
        let tile =
            |dim: u32| Shape { group: if dim == 3 { [8, 8, 4] } else { [32, 8, 1] }, cells: 2, sweeps: 4, halo: 0 };
        let row = |dim: u32| Shape::with_halo(dim, 4, seed % 2 == 0)[0];
        let four = |_: u32| Shape { group: [32, 8, 1], cells: 4, sweeps: 1, halo: 0 };
        let states = ["p.value", "f.value", "q.value", "rhs.value"];
        let plain = shaped(SWEEPS, &values, None);
        let dispatches = plain.frame.len();
        let expected = outcome(plain, &states);
        for shape in [&tile as &dyn Fn(u32) -> Shape, &row, &four] {
            let plan = shaped(SWEEPS, &values, Some(shape));
            rows += usize::from(plan.kernels.iter().any(|kernel| kernel.wgsl.contains("_q_pressure_east")));
            fewer += usize::from(plan.frame.len() < dispatches);
            assert_eq!(outcome(plan, &states), expected, "{:?} {ty}, {}", sides.n, sides.text());
        }
    }
    assert!(fewer >= 10 && rows >= 2, "only {fewer} plans had tiles, {rows} computed rows");
}

/// A flow in a channel along x, a cell 1/cells across.
const CHANNEL: &str = r#"
    "domain": (domain: (resolution: ($along, $across), width: $length, edge: "$edge")),
    "u": (state: "FaceGrid", inputs: {"next": "step.velocity"}),
    "p": (state: "Grid<f32>", inputs: {"next": "step.pressure"}),
    "enter": (stage: "staggered/inflow", inputs: {"velocity": "u"}, params: {"flow": "$flow"}),
    "step": (stage: "staggered/fluid_step", inputs: {"velocity": "enter", "pressure": "p"}, params: {"viscosity": $nu, "sweeps": 12}),
"#;

fn channel(cells: [usize; 2], edge: &str, flow: &str, nu: f64, frames: usize, begin: impl Fn(f64) -> f64) -> Vec<f64> {
    let [along, across] = cells;
    let values = [
        ("$along", along.to_string()),
        ("$across", across.to_string()),
        ("$length", (along as f64 / across as f64).to_string()),
        ("$edge", edge.to_string()),
        ("$flow", flow.to_string()),
        ("$nu", nu.to_string()),
    ];
    let faces = (0..(along + 1) * (across + 1)).flat_map(|i| {
        let y = (i / (along + 1)) as f64 + 0.5;
        [if i / (along + 1) < across { begin(y / across as f64) as f32 } else { 0.0 }, 0.0]
    });
    let mut sim = start(60.0, CHANNEL, &pairs(&values));
    run(&mut sim, &[("u", &faces.collect::<Vec<_>>())], frames, "step.velocity")
}

#[test]
fn a_uniform_flow_through_an_empty_channel_is_kept() {
    for edge in
        ["left inflow, right open, y mirror", "left inflow, right open, y wrap", "right inflow, left open, y mirror"]
    {
        let sign = if edge.starts_with("left") { 1.0 } else { -1.0 };
        let u = channel([24, 12], edge, &format!("[{sign}, 0]"), 0.01, 8, |_| sign);
        let inside = (0..12).flat_map(|y| (0..25).map(move |x| y * 25 + x));
        let off: Vec<f64> = inside.flat_map(|i| [u[2 * i] - sign, u[2 * i + 1]]).collect();
        within(edge, max_abs(&off), 8.0 * 16.0 * U, "some roundings of 1 in each of 8 frames");
    }
}

#[test]
fn a_parabola_that_flows_in_flows_out() {
    let errors = [8usize, 16].map(|n| {
        let u = channel(
            [3 * n, n],
            "left inflow, right open, y wall",
            "[6 * position.y * (1 - position.y), 0]",
            0.1,
            240,
            |_| 1.0,
        );
        let outlet = (0..n).map(|y| {
            let at = (y as f64 + 0.5) / n as f64;
            u[2 * (y * (3 * n + 1) + 3 * n)] - 6.0 * at * (1.0 - at)
        });
        let off = outlet.collect::<Vec<_>>();
        println!("{n} cells: rms {:.2e}, largest {:.2e} of a mean of 1", rms(&off), max_abs(&off));
        max_abs(&off)
    });
    // As between plates without an inflow, the ghost value lifts the parabola by h^2 / 8 of its curvature 12, here of the same mean.
    within("largest at 16 cells", errors[1], 12.0 / 8.0 / 256.0 + 1e-3, "curvature 12 times h^2 / 8");
    has_order("outlet", order(errors[0], errors[1]), 2.0);
}

/// A channel that a force drives, periodic along x, between walls that are the sides of the domain.
const PLATES: &str = r##"
    "domain": (domain: (resolution: (4, $rows), width: 4, edge: "x wrap, y wall")),
    "u": (state: "FaceGrid", inputs: {"next": "viscosity.velocity"}),
    "push": (custom: r#"//! Push
        //! @out acceleration: Grid<Vec>
        fn stage(cell: Cell) -> Vec { return vec2f(1.0, 0.0); }"#, on: "domain"),
    "force": (stage: "staggered/accelerate", inputs: {"velocity": "u", "acceleration": "push"}),
    "viscosity": (stage: "staggered/diffuse", inputs: {"before": "force", "velocity": "u"}, params: {"viscosity": 8}, iterations: 20),
"##;

#[test]
fn plates_that_are_sides_give_the_flow_of_poiseuille() {
    for cells in [8usize, 16] {
        let n = cells as f64;
        let u = run(&mut start(1.0, PLATES, &[("$rows", &cells.to_string())]), &[], 4 * cells, "u");
        let flow: f64 = (0..cells).map(|y| u[2 * 5 * y]).sum();
        let error = flow / (n.powi(3) / (12.0 * 8.0)) - 1.0;
        within(&format!("{cells} cells"), (error - 2.0 / (n * n)).abs(), 1e-4, "2 / cells^2, as with closed cells");
    }
}

#[test]
fn what_is_uniform_along_an_axis_does_not_see_its_sides() {
    let nodes = r#"
        "domain": (domain: (resolution: (32, 16), width: 2, edge: "$edge")),
        "u": (state: "FaceGrid", inputs: {"next": "project.velocity"}),
        "advect": (stage: "staggered/advect_maccormack", inputs: {"velocity": "u"}),
        "divergence": (stage: "staggered/divergence", inputs: {"velocity": "advect.result"}),
        "solve": (stage: "fluid/pressure_jacobi", inputs: {"divergence": "divergence"}, iterations: 20),
        "project": (stage: "staggered/project", inputs: {"velocity": "advect.result", "pressure": "solve"}),
    "#;
    let faces: Vec<f32> = (0..33 * 17).flat_map(|i| [(TAU * (i % 33) as f64 / 32.0).sin() as f32 + 0.5, 0.0]).collect();
    let ends = ["wrap", "x wrap, y mirror", "x wrap, bottom wall, top clamp"].map(|edge| {
        let mut sim = start(60.0, nodes, &[("$edge", edge)]);
        let u = run(&mut sim, &[("u", &faces)], 4, "project.velocity");
        let inside = (0..16).flat_map(|y| (0..32).map(move |x| y * 33 + x));
        inside.map(|i| u[2 * i]).collect::<Vec<f64>>()
    });
    assert!(rms(&ends[0]) > 0.1);
    assert!(ends[0] == ends[1], "mirrors along y");
    assert!(ends[0] == ends[2], "walls along y, without viscosity");
}

#[test]
fn a_blob_leaves_through_an_open_side() {
    let nodes = r#"
        "domain": (domain: (resolution: (48, 16), width: 3, edge: "left inflow, right open, y wrap")),
        "u": (state: "FaceGrid", params: {"value": (1, 0)}),
        "q": (state: "Grid<f32>", inputs: {"next": "carry.result"}),
        "carry": (stage: "staggered/advect_conservative", inputs: {"field": "q", "velocity": "u"}),
    "#;
    let blob: Vec<f32> = (0..48 * 16)
        .map(|i| {
            let [x, y] = [(i % 48) as f64 - 23.5, (i / 48) as f64 - 7.5];
            (-(x * x + y * y) / 8.0).exp() as f32
        })
        .collect();
    let mut sim = start(20.0, nodes, &[]);
    let before: f64 = f64s(&blob).iter().sum();
    let early = run(&mut sim, &[("q", &blob)], 8, "carry.result");
    within("amount before it arrives", (early.iter().sum::<f64>() / before - 1.0).abs(), 1e-6, "roundings");
    // By 1.5 s its middle has reached the border: half of it has left, but for what the limiter flattens.
    step(&mut sim, 22);
    let half = read(&sim, "carry.result").iter().sum::<f64>() / before;
    within("amount at the border", (half - 0.5).abs(), 0.01, "symmetry of the blob");
    step(&mut sim, 40);
    let rest = read(&sim, "carry.result");
    within("what is left behind", max_abs(&rest), 1e-6, "nothing is reflected");
}

const PRESSURE: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "rhs": (state: "Grid<f32>"),
    "mass": (custom: "//! Mass\n//! @out mass: Grid<f32>\nfn stage(cell: Cell) -> f32 { return 1.0; }\n", on: "domain"),
    "weight": (stage: "two_phase/face_weight", inputs: {"mass": "mass"}),
    "p": (state: "Grid<f32>", inputs: {"next": "solve.pressure"}),
    "solve": (stage: "$stage", inputs: {"divergence": "rhs", "pressure": "p"$weight}),
    "left": (stage: "$residual", inputs: {"divergence": "rhs", "pressure": "solve.pressure"$weight}),
"#;

/// What six cycles leave of the residual.
#[test]
fn pressures_converge_with_mixed_sides() {
    let edges = [
        ("x wrap, y wall", false),
        ("left inflow, right open, y wall", true),
        ("left inflow, right open, y wrap", true),
        ("bottom wall, top zero, x wrap", true),
    ];
    for (edge, bound) in today(edges, 2) {
        for (stage, cells, bar) in [
            ("fluid/pressure_multigrid", [32, 24, 1], 1e-3),
            ("fluid/pressure_multigrid", [24, 20, 16], 1e-3),
            ("two_phase/pressure_multigrid_cg", [32, 24, 1], 1e-3),
            ("fluid/pressure_cg", [16, 12, 1], 1e-2),
        ] {
            // In space once with inflow, and once with all pressures bound; the plain cycle is a part of that with conjugate gradients.
            let spatial = cells[2] > 1;
            if spatial && (edge.starts_with("x wrap") || edge.ends_with("y wrap")) {
                continue;
            }
            // Compiled once with no border that holds the pressure, and once with one.
            if stage.ends_with("multigrid_cg") && !(edge.starts_with("x wrap") || edge.ends_with("y wrap")) {
                continue;
            }
            let dim = if cells[2] > 1 { 3 } else { 2 };
            let (residual, weight) = match stage.starts_with("two_phase") {
                true => ("multigrid/residual", r#", "weight": "weight""#),
                false => ("fluid/residual", ""),
            };
            let list = cells[..dim].iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
            let values = [
                ("$cells", list.as_str()),
                ("$edge", edge),
                ("$stage", stage),
                ("$weight", weight),
                ("$residual", residual),
            ];
            let mut sim = start(60.0, PRESSURE, &values);
            let mut rhs = f64s(&random(cells.iter().product(), 5));
            if !bound {
                let mean = mean(&rhs);
                rhs.iter_mut().for_each(|v| *v -= mean);
            }
            let left = run(&mut sim, &[("rhs", &f32s(&rhs))], 6, "left.residual");
            within(&format!("{stage}, {list}, {edge}"), rms(&left) / rms(&rhs), bar, "six cycles");
        }
    }
}
