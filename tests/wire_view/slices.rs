//! Grids whose cells are slices, and neighbour grids, which are shown by whole cells.

use stagewright_runtime::sim::wire_view::View;
use stagewright_solver_support::harness::{start, step};

use crate::view::observe_at;

const NODES: &str = r##"
    "domain": (domain: (resolution: (6, 4), width: 1.5, edge: "wall")),
    "set": (state: "Particles{position: Vec}", capacity: 8, on: "domain", inputs: {"next": "fill.particles"}),
    "fill": (stage: "neighbors/fill", inputs: {"particles": "set"}),
    "count": (stage: "neighbors/count", inputs: {"particles": "set"}),
"##;

#[test]
fn slices_are_drawn_in_the_shape_of_their_domain() {
    let mut sim = start(60.0, NODES, &[]);
    sim.reset();
    // Three in the last cell of the first row, two of them in its last quarter.
    sim.write("set.position", &[1.3, 0.1, 1.45, 0.2, 1.48, 0.05, 0.3, 0.9]).unwrap_or_else(|e| panic!("{e}"));
    sim.set_count("set", 4).unwrap_or_else(|e| panic!("{e}"));
    step(&mut sim, 1);
    let corner = Some([0.99, 0.01]);
    for (wire, cells, size, middle, held) in [
        ("count.count", [24, 16], [23, 0, 0], 23.5 * 0.0625, 2.0),
        ("fill.neighbors", [6, 4], [5, 0, 0], 5.5 * 0.25, 3.0),
    ] {
        let seen = observe_at(&sim, &View::new(wire), corner);
        assert_eq!([seen.image.width, seen.image.height], cells, "{wire}");
        let sample = seen.sample.unwrap_or_else(|| panic!("{wire}: nothing below the pointer"));
        assert_eq!((sample.cell, sample.components.as_slice()), (Some(size), [held].as_slice()), "{wire}");
        let place = sample.position.unwrap_or_default();
        assert!((place[0] - middle).abs() < 1e-6 && (place[1] - 0.125).abs() < 1e-6, "{wire}: {place:?}");
    }
}
