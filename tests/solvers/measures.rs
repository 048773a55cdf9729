//! Reductions as nodes, against f64.

use std::f64::consts::TAU;

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

const MEASURE: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "line": (domain: (resolution: ($line), width: 1, edge: "clamp")),
    "q": (state: "Grid<f32>", on: "domain"),
    "u": (state: "Grid<Vec>", on: "domain"),
    "f": (state: "FaceGrid", on: "domain"),
    "sum": (stage: "measure/sum", inputs: {"field": "q"}),
    "sums": (stage: "measure/sum_vectors", inputs: {"field": "u"}),
    "norms": (stage: "measure/norms", inputs: {"field": "q"}),
    "norms_of_vectors": (stage: "measure/norms", inputs: {"field": "u"}),
    "extrema": (stage: "measure/extrema_places", inputs: {"field": "q"}),
    "centroid": (stage: "measure/centroid", inputs: {"amount": "q"}),
    "flow": (stage: "measure/flow", inputs: {"density": "q", "velocity": "u"}),
    "circulation": (stage: "measure/circulation", inputs: {"velocity": "u"}, params: {"axis": $axis, "center": ($center), "radius": 0.3}),
    "quad": (stage: "measure/circulation_quad", inputs: {"velocity": "u"}, params: {"a": ($a), "b": ($b), "c": ($c), "d": ($d)}),
    "face_flow": (stage: "measure/face_flow", inputs: {"density": "q", "velocity": "f"}),
    "profile": (stage: "measure/profile", on: "line", inputs: {"field": "u"}, params: {"start": ($start), "end": ($end)}),
    "flux": (stage: "measure/flux", inputs: {"amount": "q", "velocity": "u"}, params: {"axis": 1, "place": 0.33}),
    "face_flux": (stage: "measure/face_flux", inputs: {"velocity": "f"}, params: {"axis": 1, "place": $place}),
"#;

fn measured(grid: &Grid, place: f64, states: &[(&str, &[f32])]) -> stagewright_runtime::sim::Simulation {
    let of = |v: [&str; 3]| v[..grid.dim].join(", ");
    let values = [
        ("$cells", grid.resolution()),
        ("$edge", grid.edge.name().into()),
        ("$line", of(["10", "1", "1"])),
        ("$axis", "1".into()),
        ("$center", of(["0.5", "0.4", "0.45"])),
        ("$a", of(["0.2", "0.3", "0.5"])),
        ("$b", of(["0.7", "0.2", "0.5"])),
        ("$c", of(["0.8", "0.6", "0.5"])),
        ("$d", of(["0.3", "0.5", "0.5"])),
        ("$start", of(["0.2", "0.3", "0.6"])),
        ("$end", of(["0.8", "0.5", "0.1"])),
        ("$place", place.to_string()),
    ];
    let mut sim = start(60.0, MEASURE, &pairs(&values));
    run(&mut sim, states, 1, "q");
    sim
}

/// Roundings of one value on its way through the tree, and some of its own.
const ROUNDINGS: f64 = 24.0;

#[test]
fn sums_norms_extrema_and_centroids_are_those_of_f64() {
    for shape in [&[45usize, 23] as &[usize], &[13, 9, 7], &[300, 200]] {
        let grid = Grid::new(shape, 1.0, EdgeRule::Wall);
        let dim = grid.dim;
        let q: Vec<f32> = random(grid.cell_count(), 5).iter().map(|v| v + 0.2).collect();
        let u = random(grid.cell_count() * dim, 6);
        let sim = measured(&grid, 0.5, &[("q", &q), ("u", &u)]);
        let (q, u) = (f64s(&q), f64s(&u));
        let volume = grid.h.powi(dim as i32);
        let bar = |amount: f64| ROUNDINGS * U * amount;
        let check = |wire: &str, expected: &[f64], bar: f64| {
            let error = max_abs(&difference(&read(&sim, wire), expected));
            within(&format!("{wire}, {shape:?}"), error, bar, "roundings of a sum as a tree");
        };
        let sum = |values: &mut dyn Iterator<Item = f64>| values.sum::<f64>();
        let total = sum(&mut q.iter().copied());
        let amount = sum(&mut q.iter().map(|v| v.abs()));
        check("sum.sum", &[total], bar(amount));
        check("sum.integral", &[total * volume], bar(amount * volume));
        check("sum.mean", &[total / grid.cell_count() as f64], bar(amount / grid.cell_count() as f64));
        let parts: Vec<f64> = (0..dim).map(|a| u.iter().skip(a).step_by(dim).sum()).collect();
        check("sums.sum", &parts, bar(grid.cell_count() as f64));
        let scaled = |by: f64| parts.iter().map(|p| p * by).collect::<Vec<_>>();
        check("sums.integral", &scaled(volume), bar(grid.cell_count() as f64 * volume));
        check("sums.mean", &scaled(1.0 / grid.cell_count() as f64), bar(1.0));
        let lengths: Vec<f64> = u.chunks(dim).map(|v| v.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
        for (node, values) in [("norms", &q), ("norms_of_vectors", &lengths)] {
            let l1 = volume * sum(&mut values.iter().map(|v| v.abs()));
            let l2 = (volume * sum(&mut values.iter().map(|v| v * v))).sqrt();
            check(&format!("{node}.l1"), &[l1], bar(l1));
            check(&format!("{node}.l2"), &[l2], bar(l2));
            check(&format!("{node}.largest"), &[max_abs(values)], 4.0 * U);
        }
        let places: Vec<[f64; 3]> = grid.cells().map(|c| grid.position(c)).collect();
        let greatest = (0..q.len()).fold(0, |best, i| if q[i] > q[best] { i } else { best });
        let least = (0..q.len()).fold(0, |best, i| if q[i] < q[best] { i } else { best });
        for (name, i) in [("greatest", greatest), ("least", least)] {
            assert_eq!(read(&sim, &format!("extrema.{name}")), [q[i]]);
            check(&format!("extrema.{name}_place"), &places[i][..dim], 4.0 * U);
        }
        let moment: Vec<f64> = (0..dim).map(|a| (0..q.len()).map(|i| q[i] * places[i][a]).sum()).collect();
        let expected: Vec<f64> = moment.iter().map(|m| m / total).collect();
        check("centroid.centroid", &expected, 2.0 * bar(amount) / total.abs());
        check("centroid.total", &[total * volume], bar(amount * volume));
    }
}

/// u of a flow that is neither free of divergence nor of curl, and periodic.
fn flow(at: [f64; 3]) -> [f64; 3] {
    let [x, y, z] = at.map(|v| TAU * v);
    [x.sin() * y.cos() + 0.5, 0.7 * (x + z).cos() + 0.2 * y.sin(), 0.4 * (y - x).sin()]
}

#[test]
fn energy_momentum_and_enstrophy_are_those_of_f64_and_converge() {
    for shape in [&[40usize, 40] as &[usize], &[14, 14, 14]] {
        let grid = Grid::new(shape, 1.0, EdgeRule::Wrap);
        let dim = grid.dim;
        let u: Vec<f32> = grid.cells().flat_map(|c| flow(grid.position(c))[..dim].to_vec()).map(|v| v as f32).collect();
        let q = f32s(&grid.fill(|at| 1.5 + 0.5 * (TAU * at[0]).cos()));
        let sim = measured(&grid, 0.5, &[("q", &q), ("u", &u)]);
        let (q, u) = (f64s(&q), f64s(&u));
        let volume = grid.h.powi(dim as i32);
        let energy: f64 =
            u.chunks(dim).zip(&q).map(|(u, q)| 0.5 * q * volume * u.iter().map(|v| v * v).sum::<f64>()).sum();
        let bar = ROUNDINGS * U * energy.max(2.0);
        within("energy", (read(&sim, "flow.energy")[0] - energy).abs(), bar, "roundings");
        let momentum: Vec<f64> =
            (0..dim).map(|a| u.iter().skip(a).step_by(dim).zip(&q).map(|(u, q)| u * q * volume).sum()).collect();
        within("momentum", max_abs(&difference(&read(&sim, "flow.momentum"), &momentum)), bar, "roundings");
        // The same differences in f64.
        let part = |c, a: usize, k: usize| {
            if a >= dim || k >= dim {
                return 0.0;
            }
            let at = |face| u[grid.index(grid.inner(grid.neighbor(c, face)).unwrap()) * dim + k];
            (at(2 * a + 1) - at(2 * a)) / (2.0 * grid.h)
        };
        let curl = |c| [0, 1, 2].map(|i| part(c, (i + 1) % 3, (i + 2) % 3) - part(c, (i + 2) % 3, (i + 1) % 3));
        let enstrophy: f64 = grid.cells().map(|c| 0.5 * volume * curl(c).iter().map(|w| w * w).sum::<f64>()).sum();
        let error = (read(&sim, "flow.enstrophy")[0] / enstrophy - 1.0).abs();
        // A difference of two cells loses 2 U of the speed, over 2 h and a vorticity of about 3.
        within("enstrophy", error, (ROUNDINGS + 4.0 / grid.h) * U, "roundings of differences and of a sum");
    }
}

/// The flow of a solid body and a shear: circulation, profile and flux are exact for what is linear.
#[test]
fn circulation_profile_and_flux_of_linear_flows_are_exact() {
    for shape in [&[32usize, 24] as &[usize], &[16, 15, 14]] {
        let grid = Grid::new(shape, 1.0, EdgeRule::Clamp);
        let dim = grid.dim;
        let linear =
            |at: [f64; 3]| [0.3 - 1.5 * at[1] + 0.6 * at[2], 0.2 + 2.0 * at[0] + 0.1 * at[1], -0.9 * at[0] + at[2]];
        let u: Vec<f32> =
            grid.cells().flat_map(|c| linear(grid.position(c))[..dim].to_vec()).map(|v| v as f32).collect();
        let faces: Vec<f32> = grid
            .layered()
            .cells()
            .flat_map(|c| (0..dim).map(move |a| (c, a)))
            .map(|(c, a)| {
                let on = std::array::from_fn(|b| grid.position(c)[b] - if a == b { 0.5 * grid.h } else { 0.0 });
                linear(on)[a] as f32
            })
            .collect();
        let q = vec![2.0; grid.cell_count()];
        // In 3D around y: w_y = du_x/dz - du_z/dx.
        let vorticity = if dim == 2 { 3.5 } else { 1.5 };
        let wrong = 40.0 * 4.0 * U * grid.n[0] as f64 * grid.h;
        let extent: Vec<f64> = (0..3).map(|a| if a < dim { grid.n[a] as f64 * grid.h } else { 1.0 }).collect();
        for place in [0.0, 0.33, extent[1]] {
            let sim = measured(&grid, place, &[("q", &q), ("u", &u), ("f", &faces)]);
            let expected = vorticity * TAU / 2.0 * 0.09;
            let error = (read(&sim, "circulation.circulation")[0] - expected).abs();
            within("circulation", error, 0.5 * wrong, "rounding of positions, times the slope");
            // In the plane of x and y: the vorticity along z is 3.5, and the area follows from the diagonals.
            let area = 0.5 * ((0.8 - 0.2) * (0.5 - 0.2) - (0.3 - 0.7) * (0.6 - 0.3));
            let error = (read(&sim, "quad.circulation")[0] - 3.5 * area).abs();
            within("circulation around a quadrilateral", error, 0.5 * wrong, "the same");
            let volume = grid.h.powi(dim as i32);
            let face = |c: [i64; 3], a: usize| f64::from(faces[grid.layered().index(c) * dim + a]);
            let both = |c: [i64; 3], a: usize| [face(c, a), face(grid.neighbor(c, 2 * a + 1), a)];
            let energy: f64 = grid
                .cells()
                .flat_map(|c| (0..dim).flat_map(move |a| both(c, a)))
                .map(|u| 2.0 * 0.25 * volume * u * u)
                .sum();
            let error = (read(&sim, "face_flow.energy")[0] / energy - 1.0).abs();
            within("energy of faces", error, ROUNDINGS * U, "roundings of a sum as a tree");
            let momentum: Vec<f64> =
                (0..dim).map(|a| grid.cells().flat_map(|c| both(c, a)).map(|u| volume * u).sum()).collect();
            let error = max_abs(&difference(&read(&sim, "face_flow.momentum"), &momentum));
            within("momentum of faces", error, ROUNDINGS * U * 4.0, "roundings of a sum as a tree");
            let along =
                |t: f64| std::array::from_fn(|a| [0.2, 0.3, 0.6][a] + t * ([0.8, 0.5, 0.1][a] - [0.2, 0.3, 0.6][a]));
            let line: Vec<f64> = (0..10)
                .flat_map(|i| {
                    let mut at: [f64; 3] = along((i as f64 + 0.5) / 10.0);
                    (dim..3).for_each(|a| at[a] = 0.0);
                    linear(at)[..dim].to_vec()
                })
                .collect();
            within("profile", max_abs(&difference(&read(&sim, "profile.profile"), &line)), 0.5 * wrong, "the same");
            // Through y = const: the mean over x is that of the middle.
            let speed = |y: f64| 0.2 + 2.0 * 0.5 + 0.1 * y;
            let across = extent[0] * if dim == 3 { extent[2] } else { 1.0 };
            let error = (read(&sim, "flux.flux")[0] - 2.0 * speed(0.33) * across).abs();
            within("flux", error, 0.5 * wrong, "the same");
            let nearest = (place / grid.h).round() * grid.h;
            let error = (read(&sim, "face_flux.flux")[0] - speed(nearest) * across).abs();
            within("flux through faces", error, 0.5 * wrong, "the same");
        }
    }
}
