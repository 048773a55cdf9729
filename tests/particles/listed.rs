//! What particles add to the cells around them is summed in workgroup memory, bin by bin: with the same bits as without, whatever they add
//! and wherever they are. On a GPU, whose driver may contract products and sums, with nearly the same numbers.

use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_runtime::bench::cases;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;

use super::sets::*;

/// Particles add to cells around them and are carried by what was added, a few times a frame.
const NODES: &str = r##"
    "box": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "set": (state: "Particles{position: Vec, velocity: Vec, id: u32}", capacity: $capacity, on: "box", inputs: {"next": "step.particles"}),
    "step": (group: (
        inputs: {"particles": "Particles"},
        outputs: {"particles": "move.particles", "sum": "add.sum", "left": "left.left"},
        nodes: {
            "left": (custom: r#"//! Repeats Left
                //! @in sum: Grid<$type>
                //! @out left: f32, reduce max
                fn stage(cell: Cell) -> f32 { return $enough - f32(substep) + 0.0 * sum(cell).x; }"#, inputs: {"sum": "add.sum"}),
            "add": (custom: r#"//! Add
                //! @inout particles: Particles{position: Vec, velocity: Vec} -> {velocity: Vec}
                //! @out sum: Grid<$type>, scatter $bits
                $other
                $before
                fn stage(particle: Particle) -> $result {
                    let base = Cell(floor(particle.position / CELL_SIZE - 0.5));
                    for (var k = 0; k < $count; k++) {
                        let at = base + $reach * Cell(k % 3 - 1, k / 3 % 3 - 1$deep);
                        let weight = 0.1 + 0.05 * f32(k % 7);
                        add_sum(at, $amount);
                        $more
                    }
                    return $return;
                }"#, inputs: {"particles": "in.particles"}),
            "move": (custom: r#"//! Move
                //! @in sum: Grid<$type>
                //! @inout particles: Particles{position: Vec, velocity: Vec} -> {position: Vec, velocity: Vec}
                fn stage(particle: Particle) -> Result {
                    let here = sum(Cell(floor(particle.position / CELL_SIZE)));
                    let velocity = particle.velocity + 0.01 * Vec(here.x - 0.3 * here.y);
                    return Result(particle.position + $dt * velocity, velocity);
                }"#, inputs: {"particles": "add.particles", "sum": "add.sum"}),
        },
    ), inputs: {"particles": "set"}, iterations: $repeats$until),
"##;

const VALUES: [(&str, &str); 18] = [
    ("$cells", "20, 13, 9"),
    ("$edge", "wall"),
    ("$capacity", "3000"),
    ("$type", "vec4f"),
    ("$bits", "16"),
    ("$count", "27"),
    ("$reach", "1"),
    ("$deep", ", k / 9 - 1"),
    ("$amount", "weight * vec4f(particle.velocity, 1.0)"),
    ("$other", "//!"),
    ("$more", ""),
    ("$dt", "0.01"),
    ("$repeats", "11"),
    ("$enough", "0.0"),
    ("$until", ""),
    ("$before", ""),
    ("$result", "Vec"),
    ("$return", "0.99 * particle.velocity"),
];

type Changed = [(&'static str, &'static str)];

const UNTIL: &str = ", until: (number: \"left\", below: 0.5)";

fn graph(changed: &[(&str, &str)]) -> Graph {
    graph_of(NODES, changed)
}

fn graph_of(nodes: &str, changed: &[(&str, &str)]) -> Graph {
    let values = VALUES.map(|(name, value)| {
        let other = changed.iter().find(|(changed, _)| *changed == name);
        (name, other.map_or(value, |(_, value)| *value))
    });
    Graph::build(&document(60.0, nodes, &values), Library::builtin()).unwrap_or_else(|e| panic!("{e}"))
}

/// Sets of any size are listed.
fn listing() -> Tuning {
    Tuning { binned_capacity: 1, ..Tuning::gpu() }
}

fn planned(graph: &Graph, tuning: Tuning) -> Plan {
    planned_by(graph, tuning, &["set.value", "step.sum"])
}

fn planned_by(graph: &Graph, tuning: Tuning, keep: &[&str]) -> Plan {
    let keep = Keep::Wires(keep.iter().map(ToString::to_string).collect());
    let plan = Plan::compile(graph, &PlanOptions { keep, tuning, ..PlanOptions::default() });
    plan.unwrap_or_else(|e| panic!("{e}"))
}

/// What a set of so many particles and its sums become in some frames, and what is reported about them.
fn outcome(plan: Plan, frames: usize, dim: usize, count: usize) -> (Vec<Vec<u32>>, String) {
    let mut sim = Simulation::new(gpu(), plan).unwrap_or_else(|e| panic!("{e}"));
    // Some lie outside of the box, and some nowhere.
    let mut positions: Vec<f32> = random(count * dim, 3).iter().map(|x| 0.5 + 0.6 * x).collect();
    positions.iter_mut().skip(5).step_by(997).for_each(|x| *x = f32::NAN);
    place(&mut sim, "set", &positions, &random(count * dim, 4), dim);
    step(&mut sim, frames);
    let values = ["set.position", "set.velocity", "step.sum"].map(|name| words(&sim, name)).to_vec();
    (values, sim.warnings(true).to_string())
}

/// A GPU's driver may contract products and sums, in one kernel and not in another: a particle that is on the other side of a cell's border
/// then adds to other cells, but few are in a few repeats.
fn close(name: &str, plain: &[u32], listed: &[u32]) {
    let sum = |numbers: &mut dyn Iterator<Item = f64>| numbers.filter(|x| x.is_finite()).sum::<f64>();
    let number = |word: &u32| f64::from(f32::from_bits(*word));
    let size = sum(&mut plain.iter().map(|word| number(word).abs()));
    let gap = sum(&mut plain.iter().zip(listed).map(|(a, b)| (number(a) - number(b)).abs()));
    println!("{name}: {:.2e}", gap / size.max(f64::MIN_POSITIVE));
    assert!(gap <= 0.01 * size, "{name}: {gap} of {size}");
}

#[test]
fn sums_in_tiles_have_the_bits_of_sums_in_memory() {
    let flat: &[(&str, &str)] = &[("$cells", "37, 22"), ("$count", "9"), ("$deep", ""), ("$type", "vec3f")];
    let flat_amount = ("$amount", "weight * vec3f(particle.velocity, 1.0)");
    let cases: &[(&str, usize, &Changed)] = &[
        ("3D", 3, &[]),
        ("a periodic box", 3, &[("$edge", "wrap")]),
        ("a mirror", 3, &[("$edge", "mirror")]),
        ("nothing beyond", 3, &[("$edge", "zero")]),
        ("beyond the tiles", 3, &[("$reach", "3")]),
        ("more additions than a tile takes", 3, &[("$count", "81"), ("$deep", ", k / 9 % 3 - 1")]),
        ("steps that a tile does not take", 3, &[("$amount", "weight * vec4f(particle.velocity, 60.0)")]),
        ("fast particles", 3, &[("$dt", "0.3")]),
        ("bins of several chunks", 3, &[("$cells", "8, 4, 4")]),
        ("a single frame of one repeat", 3, &[("$repeats", "1")]),
        ("stopped before the second list", 3, &[("$enough", "5.0"), ("$until", UNTIL)]),
        ("stopped behind the second list", 3, &[("$enough", "9.0"), ("$until", UNTIL)]),
        ("a loop that is not proven to end", 3, &[("$more", "var n = u32(k); while n > 0u { n = n / 2u; }")]),
        ("two sums", 3, &[("$other", "//! @out rest: Grid<f32>, scatter 20"), ("$more", "add_rest(at, weight);")]),
        ("2D", 2, flat),
        ("2D, periodic", 2, flat),
    ];
    for (name, dim, changed) in cases {
        let mut changed = changed.to_vec();
        if *dim == 2 {
            changed.push(flat_amount);
            changed.extend(name.contains("periodic").then_some(("$edge", "wrap")));
        }
        let few = !gpu().is_software() && !changed.iter().any(|(key, _)| ["$repeats", "$until"].contains(key));
        changed.extend(few.then_some(("$repeats", "3")));
        let graph = graph(&changed);
        let (plain, listed) = (planned(&graph, Tuning::default()), planned(&graph, listing()));
        let text = listed.to_text();
        let repeats = if few || name.contains("single") { 1 } else { 2 };
        assert_eq!(text.matches("[bin list]").count(), repeats, "{name}: a list serves eight repeats\n{text}");
        for count in [2900, 1, 0] {
            let frames = if gpu().is_software() { 2 } else { 1 };
            let of = |plan: &Plan| outcome(plan.clone(), frames, *dim, count);
            let (plain, listed) = (of(&plain), of(&listed));
            if gpu().is_software() {
                assert_eq!(plain, listed, "{name}, {count} particles");
            } else {
                assert_eq!(plain.1.is_empty(), listed.1.is_empty(), "{name}, {count} particles: {}", listed.1);
                close(name, &plain.0[2], &listed.0[2]);
            }
            assert!(count == 0 || plain.0[2].iter().any(|word| *word != 0), "{name}: something is added");
        }
    }
}

#[test]
fn what_a_tile_cannot_hold_is_reported_as_without() {
    for (name, changed) in [
        ("a sum leaves its range", &[("$amount", "vec4f(9000.0)")][..]),
        ("no number", &[("$amount", "vec4f(1.0 / (particle.position.x - particle.position.x), 1.0, 1.0, 1.0)")]),
        ("most is lost", &[("$amount", "vec4f(1e-6)")]),
    ] {
        let graph = graph(changed);
        let [plain, listed] = [Tuning::default(), listing()].map(|tuning| outcome(planned(&graph, tuning), 2, 3, 2900));
        println!("{name}: {}", listed.1);
        assert!(!plain.1.is_empty(), "{name}");
        // A particle notes the last of its cells that it has found wrong, so fewer cells may be counted; and overflow of cells beside is none of theirs.
        let report = |text: &str| {
            text.split("; ")
                .map(|part| part.split_once(" cells").map_or(part, |(_, rest)| rest).to_string())
                .collect::<Vec<_>>()
        };
        let missing: Vec<String> =
            report(&listed.1).into_iter().filter(|part| !report(&plain.1).contains(part)).collect();
        assert!(!listed.1.is_empty() && missing.is_empty(), "{name}: {missing:?} of {}", plain.1);
    }
}

/// What it computes is held by the tests above, for many texts.
#[test]
fn a_substep_of_mpm_takes_two_dispatches_and_lists_its_particles_once_in_eight() {
    let case = cases::case("mpm").expect("a case").expect("it reads");
    let graph = Graph::build(&case, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
    let plan = planned_by(&graph, Tuning::gpu(), &["set.value"]);
    let text = plan.to_text();
    println!("{text}");
    let lists = plan.frame.iter().filter(|dispatch| plan.kernels[dispatch.kernel].name == "bin list").count();
    assert_eq!(lists, 3, "20 substeps: {text}");
    // Lists, the first zeros, the grid and the particles of each substep, and the end of the last one.
    assert_eq!(plan.frame.len(), 3 * 5 + 1 + 2 * 20 + 1, "{text}");
    assert_eq!(text.matches("particles.c>b").count(), 2, "only a reset and the last substep stores it: {text}");
}

#[test]
fn a_stage_that_goes_by_no_list_says_why() {
    let summary = |reports: &[stagewright_compiler::PassReport]| {
        reports.iter().find(|report| report.name == "scatter_tiles").map(|report| report.summary.clone()).unwrap()
    };
    let of = |changed: &[(&str, &str)], keep: Keep| {
        let options = PlanOptions { keep, tuning: listing(), ..PlanOptions::default() };
        summary(&Plan::passes(&graph(changed), &options).unwrap())
    };
    let number = [
        ("$other", "//! @out most: f32, reduce max"),
        ("$result", "Result"),
        ("$return", "Result(particle.velocity, 1.0)"),
    ];
    let variable = [("$before", "var<private> seed: u32 = 3u;"), ("$return", "particle.velocity * f32(seed)")];
    for (changed, keep, cause) in [
        (&[][..], Keep::Versions, "every version of its sums is kept"),
        (&number, Keep::All, "it reduces its particles to a number"),
        (&variable, Keep::All, "a stage of its dispatch has a `var<private>`, which each particle begins with"),
    ] {
        assert_eq!(of(changed, keep), format!("unchanged; step/add: {cause}"));
    }
    let wide = [
        ("$type", "vec4f"),
        (
            "$other",
            "//! @out more: Grid<vec4f>, scatter 16\n//! @out third: Grid<vec4f>, scatter 16\n//! @out fourth: Grid<vec4f>, scatter 16\n//! @out fifth: Grid<vec4f>, scatter 16",
        ),
        (
            "$more",
            "add_more(at, vec4f(weight)); add_third(at, vec4f(weight)); add_fourth(at, vec4f(weight)); add_fifth(at, vec4f(weight));",
        ),
    ];
    let found = of(&wide, Keep::All);
    assert_eq!(found, "unchanged; step/add: its tile takes 4320 words of workgroup memory, more than 4096");
}

/// A list that one group makes behind its gate is not there for the next group, whose repeats run although the first has stopped.
#[test]
fn each_group_that_stops_has_its_own_lists() {
    let step = &NODES[NODES.find("\"step\": (group").unwrap()..];
    let again = step.replacen("\"step\"", "\"again\"", 1);
    let again = again.replace("inputs: {\"particles\": \"set\"}", "inputs: {\"particles\": \"step.particles\"}");
    let nodes = NODES.replace("\"next\": \"step.particles\"", "\"next\": \"again.particles\"") + &again;
    for enough in ["3.0", "9.0"] {
        let graph = graph_of(&nodes, &[("$enough", enough), ("$until", UNTIL)]);
        let listed = planned(&graph, listing());
        assert_eq!(listed.apart, None);
        let of = |plan: Plan| outcome(plan, 2, 3, 900);
        let (plain, listed) = (of(planned(&graph, Tuning::default())), of(listed));
        if gpu().is_software() {
            assert_eq!(plain, listed, "{enough}");
        } else {
            close(enough, &plain.0[2], &listed.0[2]);
        }
    }
}
