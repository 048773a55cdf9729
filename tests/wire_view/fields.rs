//! Fields have no memory. A view gives them some: their values at the cell centres of a domain.

use stagewright_compiler::Keep;
use stagewright_runtime::sim::Simulation;
use stagewright_runtime::sim::wire_view::View;
use stagewright_solver_support::harness::{compile, document, gpu, read, step, within};

use crate::view::observe_at;

/// A disc that a node on `flat` reads through another field, in a group and outside of it.
const NODES: &str = r#"
    "flat": (domain: (resolution: (16, 8), width: 2, edge: "wall")),
    "coarse": (domain: (resolution: (4, 2), width: 2, edge: "clamp")),
    "disc": (stage: "shape/sphere", params: {"center": (0.7, 0.4), "radius": "0.2 + 0.1 * time"}),
    "slope": (stage: "field/gradient", inputs: {"a": "disc.distance"}),
    "twice": (group: (
        outputs: {"double": "scale.scaled"},
        nodes: {
            "inner": (stage: "shape/sphere", params: {"center": (1.5, 0.5), "radius": 0.1}),
            "scale": (stage: "field/scale", inputs: {"field": "inner.distance"}, params: {"factor": 2}),
        },
    )),
    "sum": (stage: "field/add", inputs: {"a": "disc.distance", "b": "twice.double"}),
    "grid": (stage: "grid/from_field", on: "flat", inputs: {"field": "sum.sum"}),
    "map": (stage: "view/color_map", inputs: {"field": "grid.result"}),
    "look": (output: (), inputs: {"image": "map"}),
"#;

fn keeping(wires: &[&str]) -> Simulation {
    let kept = Keep::Wires(wires.iter().map(|wire| View::new(wire).keep()).collect());
    let mut sim = Simulation::new(gpu(), compile(&document(60.0, NODES, &[]), kept)).unwrap();
    step(&mut sim, 31);
    sim
}

/// Cell centres of a grid of two by one metres.
fn centers(cells: [usize; 2]) -> impl Iterator<Item = [f64; 2]> {
    let edge = 2.0 / cells[0] as f64;
    (0..cells[1]).flat_map(move |y| (0..cells[0]).map(move |x| [(x as f64 + 0.5) * edge, (y as f64 + 0.5) * edge]))
}

/// The signed distance of a disc.
fn disc([x, y]: [f64; 2], [cx, cy]: [f64; 2], radius: f64) -> f64 {
    (x - cx).hypot(y - cy) - radius
}

/// Frame 31 begins half a second after the first.
const RADIUS: f64 = 0.25;

#[test]
fn a_field_is_shown_by_its_values_at_cell_centres() {
    let names = ["disc.distance", "disc.distance@coarse", "twice.double", "twice/inner.distance", "slope.gradient"];
    let sim = keeping(&names);
    let errors = |name: &str, wants: &dyn Fn([f64; 2]) -> f64, cells: [usize; 2]| {
        let found = read(&sim, name);
        assert_eq!(found.len(), cells[0] * cells[1], "{name}");
        let error = found.iter().zip(centers(cells)).map(|(found, place)| (found - wants(place)).abs());
        within(name, error.fold(0.0, f64::max), 1e-6, "f32");
    };
    let (large, small) = (|at| disc(at, [0.7, 0.4], RADIUS), |at| disc(at, [1.5, 0.5], 0.1));
    errors(names[0], &large, [16, 8]);
    errors(names[1], &large, [4, 2]);
    errors(names[2], &|at| 2.0 * small(at), [16, 8]);
    errors(names[3], &small, [16, 8]);
    let slope = read(&sim, names[4]);
    let error = slope.chunks_exact(2).zip(centers([16, 8])).map(|(found, [x, y])| {
        let [x, y] = [x - 0.7, y - 0.4];
        (found[0] - x / x.hypot(y)).hypot(found[1] - y / x.hypot(y))
    });
    // A distance of 0.01 m from the centre, and differences over 0.001 m: their third derivative leaves 1e-6 / 0.028^2 / 6.
    within("slope", error.fold(0.0, f64::max), 1e-3, "central differences in f32");
    let seen = observe_at(&sim, &View::new("disc.distance"), Some([0.34, 0.45]));
    let [x, y, _] = seen.sample.as_ref().unwrap().cell.unwrap();
    assert_eq!([x, y], [5, 3]);
    let under = seen.sample.unwrap().components[0] - large([0.6875, 0.4375]);
    within("under the pointer", under.abs(), 1e-6, "f32");
    assert_eq!([seen.image.width, seen.image.height], [16, 8]);
}

#[test]
fn a_view_of_a_field_changes_nothing_else() {
    let plain = keeping(&["map.image"]);
    let seen = keeping(&["map.image", "disc.distance", "sum.sum@coarse", "twice/inner.distance"]);
    assert_eq!(read(&plain, "map.image"), read(&seen, "map.image"));
    assert!(plain.plan().wires.keys().all(|wire| !wire.contains("distance")), "no view, no memory");
}

#[test]
fn the_single_output_of_a_node_needs_no_name() {
    let sim = keeping(&["disc"]);
    assert_eq!(observe_at(&sim, &View::new("disc"), None).statistics.count, 128);
}

#[test]
fn a_field_in_a_large_domain_is_looked_at_with_fewer_cells() {
    let nodes = r#"
        "large": (domain: (resolution: (512, 512, 512), width: 1, edge: "wall")),
        "ball": (stage: "shape/sphere", on: "large"),
        "slope": (stage: "field/gradient", inputs: {"a": "ball.distance"}, on: "large"),
        "flat": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
        "plain": (stage: "image/checker", on: "flat"),
        "look": (output: (), inputs: {"image": "plain"}),
    "#;
    let kept = ["ball.distance", "slope.gradient", "ball.distance@flat", "ball.distance@nowhere"].map(String::from);
    let plan = compile(&document(60.0, nodes, &[]), Keep::Wires(kept.to_vec()));
    for wire in &kept[..2] {
        let domain = &plan.domains[plan.wires[wire].domain.unwrap()];
        assert_eq!((domain.resolution, domain.size()), ([256; 3], [1.0; 3]), "{wire}");
    }
    assert!(!plan.wires.contains_key(&kept[2]), "a field in three dimensions has no values on a plane");
    assert!(!plan.wires.contains_key(&kept[3]));
}
