//! Domains whose cells are cut into slices along x, as particles are sorted by.

use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_language::stage::Stage;
use stagewright_solver_support::harness::*;

const SLICED: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1.5, edge: "wall")),
    "places": (custom: r#"//! Places
        //! @in u: Grid<f32>
        //! @out place: Grid<Vec>, slices 4
        fn stage(cell: Cell) -> Vec { return position(cell) + 0.0 * u_at(position(cell)); }"#, inputs: {"u": "u.value"}),
    "round": (custom: r#"//! There and back
        //! @in place: Grid<Vec>
        //! @out wrong: Grid<u32>
        fn stage(cell: Cell) -> u32 { return u32(any(bin(place(cell)) != cell)) + u32(any(cell_at(place(cell)) != cell)); }"#,
        on: "domain", inputs: {"place": "places.place"}),
    "u": (state: "Grid<f32>"),
    "whole": (custom: r#"//! Whole cells
        //! @in place: Grid<Vec>
        //! @out apart: Grid<Vec>
        fn stage(cell: Cell) -> Vec { return place_at(position(cell)) - position(cell); }"#,
        on: "domain", inputs: {"place": "places.place"}),
"##;

#[test]
fn slices_lie_side_by_side_along_x() {
    for cells in [vec![6usize, 4], vec![3, 5, 2]] {
        let text = cells.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
        let mut sim = start(60.0, SLICED, &[("$cells", &text)]);
        step(&mut sim, 1);
        let (h, dim) = (1.5 / cells[0] as f64, cells.len());
        let places = read(&sim, "places.place");
        assert_eq!(places.len(), 4 * cells.iter().product::<usize>() * dim);
        let n = [4 * cells[0], cells[1], cells.get(2).copied().unwrap_or(1)];
        let edges = [h / 4.0, h, h];
        let expected = (0..n[0] * n[1] * n[2]).flat_map(|i| {
            let at = [i % n[0], i / n[0] % n[1], i / (n[0] * n[1])];
            (0..dim).map(move |a| (at[a] as f64 + 0.5) * edges[a])
        });
        let expected: Vec<f64> = expected.collect();
        within(&format!("{text}, places"), max_abs(&difference(&places, &expected)), 4.0 * U * 2.5, "two products");
        // What reads slices by cell runs over slices though its node says otherwise; what reads them by position does not.
        let wrong = words(&sim, "round.wrong");
        assert_eq!((wrong.len(), wrong.iter().sum::<u32>()), (expected.len() / dim, 0));
        let apart = read(&sim, "whole.apart");
        assert_eq!(apart.len(), cells.iter().product::<usize>() * dim);
        within(&format!("{text}, by position"), max_abs(&apart), 32.0 * U * 2.5, "a blend of four or eight");
    }
}

#[test]
fn wider_slices_are_not_taken_for_slices() {
    let nodes = r##"
        "domain": (domain: (resolution: (8, 4), width: 2, edge: "wall")),
        "u": (state: "Grid<f32>"),
        "cut": (custom: "//! Cut\n//! @in u: Grid<f32>\n//! @out v: Grid<f32>, slices 4\nfn stage(cell: Cell) -> f32 { return u_at(position(cell)); }", inputs: {"u": "u.value"}),
        "wide": (stage: "multigrid/restrict", inputs: {"field": "cut.v"}),
        "read": (custom: "//! Read\n//! @in v: Grid<f32>\n//! @out w: Grid<f32>\nfn stage(cell: Cell) -> f32 { return v(cell); }", on: "domain", inputs: {"v": "wide.coarse"}),
    "##;
    let graph = Graph::build(&document(60.0, nodes, &[]), Library::builtin());
    let message = graph.map(|_| ()).unwrap_err().to_string();
    assert!(message.contains("the wire is on domain `domain in slices / 2`"), "{message}");
}

#[test]
fn slices_that_can_not_be_cut_are_refused() {
    for (option, port, cause) in [
        ("slices 1", "Grid<f32>", "`slices 1`: use a whole number in 2..16"),
        ("slices many", "Grid<f32>", "`slices many`: use a whole number in 2..16"),
        ("slices 4", "FaceGrid", "slices"),
    ] {
        let text =
            format!("//! Title\n//! @out made: {port}, {option}\nfn stage(cell: Cell) -> Vec {{ return Vec(); }}");
        let errors = Stage::parse("test", &text).unwrap_err();
        let message = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        assert!(message.contains(cause), "{message}");
    }
}
