//! Two layers under gravity: at rest their pressure is hydrostatic, and the heavy one does not stay on top.

use stagewright_solver_support::harness::*;

/// The frame of the oil clock in a closed box, without a vessel.
const BOX: &str = r##"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "wall")),
    "fractions": (state: "Grid<vec2f>", inputs: {"init": "fill", "next": "correct.fractions"}),
    "pressure": (state: "Grid<f32>", inputs: {"next": "solve.pressure"}),
    "velocity": (state: "FaceGrid", inputs: {"next": "advect_velocity.result"}),
    "start": (custom: r#"//! Start
        //! @out distance: Field<f32>
        fn stage(position: Vec) -> f32 { return $start; }"#),
    "fill": (stage: "two_phase/fill", inputs: {"shape": "start", "open": "open"}),
    "open": (custom: r#"//! Open
        //! @out open: Grid<f32>
        fn stage(cell: Cell) -> f32 { return 1.0; }"#, on: "domain"),
    "mass": (stage: "two_phase/masses", inputs: {"fractions": "fractions", "open": "open"}, params: {"density_f": $heavy, "density_g": 1000}),
    "gravity": (stage: "two_phase/gravity", inputs: {"shares": "mass.shares"}, params: {"gravity_f": (0, -9.81), "gravity_g": (0, -9.81)}),
    "viscosity": (stage: "staggered/diffuse", inputs: {"before": "velocity", "velocity": "velocity", "open": "open"}, params: {"viscosity": $viscosity}, iterations: 4),
    "forces": (stage: "staggered/accelerate", inputs: {"velocity": "viscosity", "acceleration": "gravity", "open": "open"}),
    "divergence": (stage: "staggered/divergence", inputs: {"velocity": "forces"}),
    "solve": (stage: "two_phase/pressure_multigrid", inputs: {"divergence": "divergence", "weight": "mass.weight", "pressure": "pressure"}, iterations: $cycles),
    "project": (stage: "two_phase/project", inputs: {"velocity": "forces", "pressure": "solve.pressure", "weight": "mass.weight"}),
    "attraction": (stage: "two_phase/attractions", inputs: {"shares": "mass.shares"}),
    "advect": (stage: "two_phase/advect_spread", inputs: {"fractions": "fractions", "velocity": "project", "attraction_f": "attraction.narrow_f", "attraction_g": "attraction.narrow_g", "open": "open"}, params: {"compression": 1.5}),
    "advect_velocity": (stage: "staggered/advect", inputs: {"velocity": "project", "open": "open"}),
    "mass_again": (stage: "two_phase/masses", inputs: {"fractions": "advect", "open": "open"}, params: {"density_f": $heavy, "density_g": 1000}),
    "correct": (stage: "two_phase/correct", inputs: {"fractions": "advect", "open": "open", "weight": "mass_again.weight"}, iterations: 3),
"##;

/// dp/dy = -rho g in each layer: 3 cm of the heavy fluid under 5 cm of the light one.
#[test]
fn the_pressure_of_a_column_of_two_layers_is_hydrostatic() {
    for heavy in [1200.0, 10_000.0] {
        let (nx, ny, h) = (16, 64, 0.08 / 64.0);
        let values = [
            ("$cells", format!("{nx}, {ny}")),
            ("$width", format!("{}", nx as f64 * h)),
            ("$start", "position.y - 0.03".into()),
            ("$heavy", heavy.to_string()),
            ("$viscosity", "0.00001".into()),
            ("$cycles", "4".into()),
        ];
        let mut sim = start(60.0, BOX, &pairs(&values));
        step(&mut sim, 60);
        let p = read(&sim, "pressure.value");
        let shares = read(&sim, "mass.shares");
        let weight: f64 = 0.05 * 1000.0 * 9.81 + 0.03 * heavy * 9.81;
        let mut worst = 0.0f64;
        for x in 0..nx {
            // From the top down, cell by cell: the analytic column of the layers as they started.
            let top = p[(ny - 1) * nx + x] * 60.0;
            for y in 0..ny {
                let depth = |y: usize| {
                    let at = (y as f64 + 0.5) * h;
                    9.81 * (1000.0 * (0.08 - at.max(0.03)) + heavy * (0.03 - at.min(0.03)))
                };
                worst = worst.max((p[y * nx + x] * 60.0 - top - (depth(y) - depth(ny - 1))).abs());
            }
        }
        let interface: Vec<f64> = (20..28).map(|y| shares[2 * (y * nx + nx / 2)]).collect();
        println!("{heavy} over 1000 kg/m^3, share of the heavy fluid across the interface: {interface:.3?}");
        within(
            &format!("pressure of {heavy} under 1000 kg/m^3, of {weight:.0} Pa"),
            worst / weight,
            0.01,
            "asked for; the interface is one cell of 64 wide, and half a cell of the densities' difference lies in between",
        );
    }
}

#[test]
fn a_heavy_layer_over_a_light_one_overturns_and_settles() {
    let (n, width) = (48, 0.048_f64);
    let values = [
        ("$cells", format!("{n}, {n}")),
        ("$width", width.to_string()),
        // Heavy above the middle, with a wave on it.
        ("$start", "0.024 + 0.001 * cos(position.x * 130.9) - position.y".into()),
        ("$heavy", "1200".into()),
        ("$viscosity", "0.00002".into()),
        ("$cycles", "2".into()),
    ];
    let mut sim = start(60.0, BOX, &pairs(&values));
    step(&mut sim, 1);
    let height = |sim: &_| {
        let v = read(sim, "fractions.value");
        let mean = |k: usize| {
            let weight: f64 = v.iter().skip(k).step_by(2).sum();
            let moment: f64 = (0..n * n).map(|i| v[2 * i + k] * ((i / n) as f64 + 0.5)).sum();
            moment / weight / n as f64
        };
        [mean(0), mean(1)]
    };
    let [f, g] = height(&sim);
    assert!(f > 0.7 && g < 0.3, "the heavy fluid starts above: {f}, {g}");
    step(&mut sim, 360);
    let [f, g] = height(&sim);
    println!("mean height after 360 frames: heavy {f:.3}, light {g:.3} of the box; 0.25 and 0.75 when all is in order");
    let v = read(&sim, "fractions.value");
    let low: f64 = (0..n * n / 2).map(|i| v[2 * i]).sum::<f64>() / v.iter().step_by(2).sum::<f64>();
    within(
        "heavy fluid that is not in the lower half",
        1.0 - low,
        0.05,
        "drops of a few cells and the blurred interface",
    );
    let u = max_abs(&read(&sim, "velocity.value"));
    let free_fall = (9.81_f64 * 0.2 / 1.1 * width).sqrt();
    within("largest speed left, over that of the fall", u / free_fall, 0.1, "it settles");
    assert!(f < 0.28 && g > 0.72, "they changed places");
}
