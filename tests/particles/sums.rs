//! Sums by index: what a stage over one set adds to the particles of another.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::graph::measurement::Measurement;
use stagewright_language::library::Library;
use stagewright_language::stage::Stage;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

/// Springs between points, and how many each point has.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "wall")),
    "points": (state: "Particles{position: Vec, velocity: Vec, push: Vec}", capacity: 300, on: "box", inputs: {"next": "move.points"}),
    "links": (state: "Particles{a: u32, b: u32, rest: f32}", capacity: 900, on: "box", inputs: {"next": "links"}),
    "pull": (custom: r#"//! Pull
        //! @over links
        //! @in links: Particles{a: u32, b: u32, rest: f32}
        //! @inout points: Particles{position: Vec} -> {push: Vec, links: u32}, sum $bits
        fn stage(particle: Particle) {
            let d = points(particle.b).position - points(particle.a).position;
            let f = (length(d) - particle.rest) * d * $scale;
            add_push(particle.a, f);
            add_push(particle.b, -f);
            add_links(particle.a, 1u);
            add_links(particle.b, 1u);
        }"#, inputs: {"links": "links", "points": "points"}, $more),
    "move": (custom: r#"//! Move
        //! @inout points: Particles{position: Vec, velocity: Vec, push: Vec} -> {position: Vec, velocity: Vec}
        fn stage(particle: Particle) -> Result {
            let v = particle.velocity + 0.1 * particle.push;
            return Result(particle.position + 0.1 * v, v);
        }"#, inputs: {"points": "pull.points"}),
"##;

const POINTS: usize = 250;
const LINKS: usize = 800;

struct Springs {
    positions: Vec<f32>,
    a: Vec<u32>,
    b: Vec<u32>,
    rest: Vec<f32>,
}

impl Springs {
    fn new(dim: usize) -> Springs {
        let end = |seed: u32| (0..LINKS as u32).map(|k| pcg(k ^ pcg(seed)) % POINTS as u32).collect();
        let positions = random(POINTS * dim, 3).iter().map(|x| 0.5 + 0.4 * x).collect();
        let rest = random(LINKS, 5).iter().map(|x| 0.3 + 0.2 * x).collect();
        Springs { positions, a: end(1), b: end(2), rest }
    }

    fn put(&self, sim: &mut Simulation, dim: usize) {
        sim.reset();
        sim.write("points.position", &self.positions).unwrap();
        sim.write("points.velocity", &vec![0.0; POINTS * dim]).unwrap();
        sim.set_count("points", POINTS as u32).unwrap();
        sim.write_words("links.a", &self.a).unwrap();
        sim.write_words("links.b", &self.b).unwrap();
        sim.write("links.rest", &self.rest).unwrap();
        sim.set_count("links", LINKS as u32).unwrap();
    }

    /// What the springs push each point with, at these positions.
    fn push(&self, x: &[f64], dim: usize) -> Vec<f64> {
        let mut push = vec![0.0; x.len()];
        for k in 0..LINKS {
            let (a, b) = (self.a[k] as usize, self.b[k] as usize);
            let d: Vec<f64> = (0..dim).map(|i| x[dim * b + i] - x[dim * a + i]).collect();
            let stretch = d.iter().map(|d| d * d).sum::<f64>().sqrt() - f64::from(self.rest[k]);
            for i in 0..dim {
                push[dim * a + i] += stretch * d[i];
                push[dim * b + i] -= stretch * d[i];
            }
        }
        push
    }
}

fn plan(values: &[(&str, &str)], keep: Keep, tuning: Tuning) -> Plan {
    let graph = Graph::build(&document(60.0, NODES, values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
}

const PLAIN: [(&str, &str); 3] = [("$bits", "20"), ("$scale", "1.0"), ("$more", "")];

#[test]
fn springs_push_the_points_that_they_hold() {
    for (cells, dim) in [("8, 8", 2), ("8, 8, 8", 3)] {
        let springs = Springs::new(dim);
        let values = [("$cells", cells), PLAIN[0], PLAIN[1], PLAIN[2]];
        let kept = || Keep::Wires(["points", "pull.points"].map(String::from).to_vec());
        let mut first: Option<Vec<u32>> = None;
        for (keep, tuning) in [(Keep::All, Tuning::default()), (kept(), Tuning::gpu()), (kept(), gpu().tuning())] {
            let mut sim = Simulation::new(gpu(), plan(&values, keep, tuning)).unwrap();
            springs.put(&mut sim, dim);
            step(&mut sim, 1);
            let part = |values: Vec<f64>| values.into_iter().take(POINTS * dim).collect::<Vec<f64>>();
            let push = part(read(&sim, "pull.points.push"));
            let wanted = springs.push(&f64s(&springs.positions), dim);
            // Half a step for each of some seven springs at a point, and rounding of forces of up to one.
            let bar = 20.0 * (0.5 / f64::from(1u32 << 20) + 2.0 * f64::from(f32::EPSILON));
            within(&format!("{dim}D, force"), max_abs(&difference(&push, &wanted)), bar, "half a step for each spring");
            for axis in 0..dim {
                let sum: f64 = push.iter().skip(axis).step_by(dim).sum();
                assert_eq!(sum, 0.0, "action and reaction are the same whole number of steps");
            }
            let degree: Vec<u32> = words(&sim, "pull.points.links").into_iter().take(POINTS).collect();
            let ends = |point: u32| springs.a.iter().chain(&springs.b).filter(|end| **end == point).count() as u32;
            assert!(degree.iter().zip(0..).all(|(found, point)| *found == ends(point)));
            // The push of each frame begins at zero.
            step(&mut sim, 3);
            let found = words(&sim, "points.position");
            if gpu().is_software() {
                assert_eq!(*first.get_or_insert_with(|| found.clone()), found, "the same in every plan");
            }
        }
    }
}

#[test]
fn a_model_of_springs_in_f64_moves_alike() {
    let springs = Springs::new(2);
    let values = [("$cells", "8, 8"), PLAIN[0], PLAIN[1], PLAIN[2]];
    let mut sim = Simulation::new(gpu(), plan(&values, Keep::All, Tuning::default())).unwrap();
    springs.put(&mut sim, 2);
    step(&mut sim, 20);
    let (mut x, mut v) = (f64s(&springs.positions), vec![0.0; 2 * POINTS]);
    for _ in 0..20 {
        let push = springs.push(&x, 2);
        for k in 0..x.len() {
            v[k] += 0.1 * push[k];
            x[k] += 0.1 * v[k];
        }
    }
    let found: Vec<f64> = read(&sim, "points.position").into_iter().take(2 * POINTS).collect();
    within(
        "positions after 20 steps",
        max_abs(&difference(&found, &x)),
        1e-4,
        "steps of 2^-20 in forces, twice integrated over 2 s",
    );
}

#[test]
fn sums_that_leave_their_range_are_reported_at_the_attribute() {
    for (changed, cause) in [
        ([("$bits", "28"), ("$scale", "1000.0"), ("$more", "")], "particles the sum left the range of `sum 28`"),
        ([("$bits", "20"), ("$scale", "(1.0 / (d.x - d.x))"), ("$more", "")], "NaN or infinity was added in"),
        ([("$bits", "0"), ("$scale", "0.01"), ("$more", "")], "less than half the step of `sum 0`"),
    ] {
        let springs = Springs::new(2);
        let values = [("$cells", "8, 8"), changed[0], changed[1], changed[2]];
        let mut sim = Simulation::new(gpu(), plan(&values, Keep::All, Tuning::default())).unwrap();
        springs.put(&mut sim, 2);
        step(&mut sim, 4);
        let report = sim.warnings(true).to_string();
        assert!(report.contains("pull.push") && report.contains(cause), "{report}");
    }
}

/// What is summed belongs to the points, not to the links that the stage runs over.
#[test]
fn sums_are_measured_and_expected_as_attributes_of_their_set() {
    let values = [("$cells", "8, 8"), PLAIN[0], PLAIN[1], PLAIN[2]];
    let document = document(60.0, NODES, &values);
    let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let measured = |text: &str| Measurement::parse(text, &document, &graph).map(drop);
    measured("pull.points.push:max").unwrap();
    measured("pull.points.links:sum").unwrap();
    let error = measured("pull.points.a:max").unwrap_err().to_string();
    assert!(error.contains("name one of: links, position, push, velocity, count"), "{error}");
    let carried = graph.carried("pull.points").unwrap();
    assert_eq!(carried.attributes, ["position", "links", "push", "velocity"]);
}

#[test]
fn what_sums_by_index_lack_is_said() {
    for (port, body, cause) in [
        (
            "@inout p: Particles{} -> {f: f32}, sum 8, put",
            "add_f(0u, 1.0);",
            "`p` takes one of scatter, emit, filter, gather, put and sum",
        ),
        ("@inout p: Particles{} -> {f: f32}, put", "put_f(0u, 1.0);", "remove `@over l`, or add to `p` with `sum`"),
        ("@inout p: Particles{a: u32}, sum 8", "add_a(0u, 1.0);", "`sum` needs attributes after `->`"),
        (
            "@inout p: Particles{} -> {f: f32}, sum 31",
            "add_f(0u, 1.0);",
            "use the fraction bits, a whole number in 0..30",
        ),
        (
            "@inout p: Particles{} -> {f: f32, g: f32}, sum",
            "add_f(0u, 1.0);",
            "the sum `g` is never written; call `add_g(index, value)`",
        ),
    ] {
        let text = format!(
            "//! S\n//! @over l\n//! @in l: Particles{{a: u32}}\n//! {port}\nfn stage(particle: Particle) {{ {body} }}\n"
        );
        let error = Stage::parse("own", &text).map(drop).unwrap_err();
        let error = error.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(error.contains(cause), "{error}");
    }
}
