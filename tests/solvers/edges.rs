//! What lies outside a grid: every edge rule, cell by cell and between cells, for numbers, vectors and faces.

use stagewright_language::document::ParamValue;
use stagewright_runtime::sim::Simulation;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, EdgeRule, Grid, blend};

/// `near` reads cells beside its own; `far` reads positions, from a grid of its own, around the middle of the box.
pub const PROBES: &str = r##"
    "domain": (domain: (resolution: ($cells), width: $width, edge: "$edge")),
    "samples": (domain: (resolution: ($samples), width: 1, edge: "wall")),
    "f": (state: "Grid<f32>", on: "domain"),
    "v": (state: "Grid<Vec>", on: "domain"),
    "w": (state: "FaceGrid", on: "domain"),
    "near": (custom: r#"//! Near
        //! @in numbers: Grid<f32>
        //! @in vectors: Grid<Vec>
        //! @in faces: FaceGrid
        //! @out number: Grid<f32>
        //! @out vector: Grid<Vec>
        //! @out lower: Grid<Vec>
        //! @out upper: Grid<Vec>
        //! @param offset: Vec = 0
        fn stage(cell: Cell) -> Result {
            let c = cell + Cell(params.offset);
            var upper = Vec();
            for (var axis = 0; axis < DIM; axis++) { upper += Vec(unit(axis)) * faces_face(c, 2 * axis + 1); }
            return Result(numbers(c), vectors(c), faces(c), upper);
        }"#, inputs: {"numbers": "f.value", "vectors": "v.value", "faces": "w.value"}, on: "domain"),
    "far": (custom: r#"//! Far
        //! @in numbers: Grid<f32>
        //! @in vectors: Grid<Vec>
        //! @in faces: FaceGrid
        //! @out number: Grid<f32>
        //! @out vector: Grid<Vec>
        //! @out face: Grid<Vec>
        //! @param middle: Vec = 0
        //! @param spread: f32 = 1
        fn stage(cell: Cell) -> Result {
            let at = params.middle + (position(cell) - 0.5 * SIZE) * params.spread;
            return Result(numbers_at(at), vectors_at(at), faces_at(at));
        }"#, inputs: {"numbers": "f.value", "vectors": "v.value", "faces": "w.value"}, on: "samples",
        params: {"spread": $spread, "middle": ($middle)}),
"##;
const H: f64 = 0.5;

/// A box with random numbers, vectors and faces in it.
struct Scene {
    grid: Grid,
    samples: Grid,
    /// Width that the samples cover [m].
    spread: f64,
    f: Vec<f32>,
    v: Vec<f32>,
    w: Vec<f32>,
    /// The components of `v`.
    parts: Vec<Vec<f64>>,
}

impl Scene {
    /// `reach` is how many times the box's shortest side the samples cover.
    fn new(shape: &[usize], edge: EdgeRule, reach: f64) -> Scene {
        let grid = Grid::new(shape, shape[0] as f64 * H, edge);
        let samples = Grid::new(if grid.dim == 3 { &[17, 16, 15] } else { &[53, 49] }, 1.0, EdgeRule::Wall);
        let (f, v) = (random(grid.cell_count(), 1), random(grid.cell_count() * grid.dim, 2));
        let w = random(grid.layered().cell_count() * grid.dim, 3);
        let shortest = grid.n[..grid.dim].iter().min().unwrap();
        let part = |axis| f64s(&v).into_iter().skip(axis).step_by(grid.dim).collect();
        let parts = (0..grid.dim).map(part).collect();
        Scene { grid, samples, spread: reach * *shortest as f64 * H, f, v, w, parts }
    }

    fn start(&self) -> Simulation {
        let middle: Vec<String> = self.middle()[..self.grid.dim].iter().map(f64::to_string).collect();
        let values = [
            ("$cells", self.grid.resolution()),
            ("$width", (self.grid.n[0] as f64 * H).to_string()),
            ("$edge", self.grid.edge.name().into()),
            ("$samples", self.samples.resolution()),
            ("$spread", self.spread.to_string()),
            ("$middle", middle.join(", ")),
        ];
        let mut sim = start(60.0, PROBES, &pairs(&values));
        run(&mut sim, &[("f", &self.f), ("v", &self.v), ("w", &self.w)], 1, "f");
        sim
    }

    fn middle(&self) -> [f64; 3] {
        std::array::from_fn(|a| if a < self.grid.dim { 0.5 * self.grid.n[a] as f64 * H } else { 0.0 })
    }

    fn number(&self, c: Cell) -> f64 {
        self.grid.inner(c).map_or(0.0, |c| f64::from(self.f[self.grid.index(c)]))
    }

    /// Walls turn the component through them round.
    fn component(&self, c: Cell, axis: usize) -> f64 {
        self.grid.read_component(&self.parts[axis], c, axis)
    }

    fn face(&self, c: Cell, axis: usize) -> f64 {
        self.grid.read_face(&self.w, c, axis)
    }

    /// Reads outside by so many cells, exactly.
    fn compare_near(&self, sim: &mut Simulation, mut offset: [i64; 3], faces: bool) {
        let dim = self.grid.dim;
        offset[dim..].fill(0);
        let value = offset[..dim].iter().map(|o| *o as f64).collect();
        sim.set_param("near.offset", ParamValue::Vector(value)).unwrap();
        step(sim, 1);
        let cells = || self.grid.cells().map(|c| std::array::from_fn(|a| c[a] + offset[a]));
        let vector = |f: &dyn Fn(Cell, usize) -> f64| -> Vec<f64> {
            cells().flat_map(|c| (0..dim).map(move |a| (c, a))).map(|(c, a)| f(c, a)).collect()
        };
        let what = format!("{} {offset:?} outside {}", self.grid.edge.name(), self.grid.resolution());
        assert_eq!(read(sim, "near.number"), cells().map(|c| self.number(c)).collect::<Vec<_>>(), "f32, {what}");
        assert_eq!(read(sim, "near.vector"), vector(&|c, a| self.component(c, a)), "Vec, {what}");
        if faces {
            let up = |c, a| self.face(self.grid.neighbor(c, 2 * a + 1), a);
            assert_eq!(read(sim, "near.lower"), vector(&|c, a| self.face(c, a)), "lower faces, {what}");
            assert_eq!(read(sim, "near.upper"), vector(&up), "upper faces, {what}");
        }
    }

    /// Interpolates around the box. Neighbours differ by no more than 2, and positions are off by 9 U of the box's
    /// cells as in `advection`, here of all the cells that the samples span.
    fn compare_far(&self, wire: &str, components: usize, value: &dyn Fn([f64; 3], usize) -> f64) {
        let sim = self.start();
        let at = |c| {
            let p = self.samples.position(c);
            let half = |a: usize| 0.5 * self.samples.n[a] as f64 * self.samples.h;
            std::array::from_fn(
                |a| if a < self.grid.dim { self.middle()[a] + (p[a] - half(a)) * self.spread } else { 0.0 },
            )
        };
        let expected: Vec<f64> = self
            .samples
            .cells()
            .flat_map(|c| (0..components).map(move |k| (c, k)))
            .map(|(c, k)| value(at(c), k))
            .collect();
        let cells = 2.0 * self.spread / H;
        let bar = self.grid.dim as f64 * (9.0 * U * cells * 2.0 + 3.0 * U);
        let what = format!("{wire} {} around {}", self.grid.edge.name(), self.grid.resolution());
        within(&what, max_abs(&difference(&read(&sim, wire), &expected)), bar, "rounding of a position and of `mix`");
    }

    fn compare_cells_far(&self) {
        let grid = &self.grid;
        self.compare_far("far.number", 1, &|at, _| grid.sample(at, |c| self.number(c)));
        self.compare_far("far.vector", grid.dim, &|at, a| grid.sample(at, |c| self.component(c, a)));
    }

    fn compare_faces_far(&self) {
        let dim = self.grid.dim;
        self.compare_far("far.face", dim, &|at, axis| {
            let half = |a| if a == axis || a >= dim { 0.0 } else { 0.5 };
            blend(dim, std::array::from_fn(|a| at[a] / H - half(a)), |c| self.face(c, axis))
        });
    }
}

/// No power of two, and one where a period is a mask.
const SHAPES: [&[usize]; 3] = [&[6, 5], &[8, 4], &[5, 4, 3]];
const OFFSETS: [[i64; 3]; 9] = [
    [0, 0, 0],
    [-1, 0, 0],
    [1, -1, 1],
    [0, 3, -2],
    [5, 0, 0],
    [-7, 6, 4],
    [9, -11, -8],
    [-13, -17, 19],
    [100, 101, -99],
];

fn near(edges: &[EdgeRule], faces: bool) {
    for (shape, edge) in SHAPES.into_iter().flat_map(|s| edges.iter().map(move |e| (s, *e))) {
        let scene = Scene::new(shape, edge, 1.0);
        let mut sim = scene.start();
        OFFSETS.into_iter().for_each(|offset| scene.compare_near(&mut sim, offset, faces));
        println!("{} {shape:?}: {} offsets of up to 101 cells, every cell exact", edge.name(), OFFSETS.len());
    }
}

/// How much is looked at in shortest sides of the box: from one before it to one behind it, and far beyond.
const AROUND: f64 = 2.9;
const FAR: f64 = 13.0;

fn scenes(edges: &[EdgeRule], reach: f64) -> impl Iterator<Item = Scene> {
    SHAPES.into_iter().flat_map(move |s| edges.iter().map(move |e| Scene::new(s, *e, reach)))
}

#[test]
fn cells_outside_follow_the_edge_rule() {
    near(&EdgeRule::ALL, false);
}

#[test]
fn faces_outside_follow_the_edge_rule() {
    near(&[EdgeRule::Wall, EdgeRule::Clamp, EdgeRule::Zero, EdgeRule::Wrap], true);
}

#[test]
fn faces_outside_mirror_at_the_border() {
    near(&[EdgeRule::Mirror], true);
}

#[test]
fn positions_outside_follow_the_edge_rule() {
    scenes(&EdgeRule::ALL, AROUND).for_each(|s| s.compare_cells_far());
    scenes(&[EdgeRule::Wall, EdgeRule::Clamp, EdgeRule::Zero, EdgeRule::Wrap], FAR).for_each(|s| s.compare_cells_far());
}

#[test]
fn grids_of_one_or_two_cells_follow_the_edge_rule() {
    for shape in [&[6, 1][..], &[1, 5], &[2, 2], &[1, 1, 1], &[2, 1, 3]] {
        for edge in [EdgeRule::Wall, EdgeRule::Clamp, EdgeRule::Zero, EdgeRule::Wrap] {
            let scene = Scene::new(shape, edge, AROUND);
            scene.compare_cells_far();
            scene.compare_faces_far();
        }
    }
}

const BEYOND: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 3, edge: "$edge")),
    "f": (state: "Grid<f32>"),
    "v": (state: "Grid<Vec>"),
    "w": (state: "FaceGrid"),
    "far": (custom: r#"//! Far
        //! @in numbers: Grid<f32>
        //! @in vectors: Grid<Vec>
        //! @in faces: FaceGrid
        //! @out number: Grid<f32>
        //! @out vector: Grid<Vec>
        //! @out face: Grid<Vec>
        //! @param times: f32 = 1
        fn stage(cell: Cell) -> Result {
            let at = position(cell);
            let infinite = (at - 0.5 * SIZE) * params.times * params.times;
            let far = select(at, infinite, vec3<bool>(cell.x % 3 != 0, cell.y % 2 == 0, true).$axes);
            return Result(numbers_at(far), vectors_at(far), faces_at(far));
        }"#, inputs: {"numbers": "f.value", "vectors": "v.value", "faces": "w.value"}),
"##;

#[test]
fn infinitely_far_is_as_far_away() {
    for (cells, axes) in [("6, 5", "xy"), ("5, 4, 4", "xyz")] {
        for edge in ["wall", "clamp", "zero", "open", "left wall, right zero, y clamp", "x zero, bottom open, top zero"]
        {
            let mut sim = start(
                60.0,
                BEYOND,
                &pairs(&[("$cells", cells.into()), ("$edge", edge.into()), ("$axes", axes.into())]),
            );
            let mut found = |times: f64| {
                sim.set_param("far.times", ParamValue::Number(times)).unwrap();
                let count = |wire: &str| sim.read(wire).unwrap().words.len();
                let (f, v, w) = (random(count("f"), 1), random(count("v"), 2), random(count("w"), 3));
                let number = run(&mut sim, &[("f", &f), ("v", &v), ("w", &w)], 1, "far.number");
                [number, read(&sim, "far.vector"), read(&sim, "far.face")]
            };
            let (far, infinite) = (found(1e3), found(1e30));
            assert!(infinite.iter().flatten().all(|value| value.is_finite()), "{edge}");
            assert_eq!(far, infinite, "{edge}, {cells}");
        }
    }
}

#[test]
fn positions_more_than_a_box_outside_still_mirror() {
    scenes(&[EdgeRule::Mirror], FAR).for_each(|s| s.compare_cells_far());
}

#[test]
fn positions_between_faces_follow_the_edge_rule() {
    scenes(&[EdgeRule::Wall, EdgeRule::Open, EdgeRule::Wrap], AROUND).for_each(|s| s.compare_faces_far());
    scenes(&[EdgeRule::Wall, EdgeRule::Clamp, EdgeRule::Wrap], FAR).for_each(|s| s.compare_faces_far());
}

#[test]
fn positions_between_faces_are_zero_outside() {
    scenes(&[EdgeRule::Zero], AROUND).for_each(|s| s.compare_faces_far());
}

#[test]
fn positions_between_faces_mirror_at_the_border() {
    scenes(&[EdgeRule::Mirror], AROUND).for_each(|s| s.compare_faces_far());
}

const OWN_RULE: &str = r##"
    "domain": (domain: (resolution: (6, 5), width: 6, edge: "wall")),
    "f": (state: "Grid<f32>"),
    "shift": (custom: r#"//! Shift
        //! @in numbers: Grid<f32>, edge wrap
        //! @in same: Grid<f32>
        //! @out result: Grid<vec2f>
        fn stage(cell: Cell) -> vec2f { return vec2f(numbers(cell - unit(0)), same(cell - unit(0))); }"#,
        inputs: {"numbers": "f.value", "same": "f.value"}),
"##;

#[test]
fn a_port_may_have_an_edge_rule_of_its_own() {
    let f: Vec<f32> = (0..30).map(|i| i as f32).collect();
    let shifted = run(&mut start(60.0, OWN_RULE, &[]), &[("f", &f)], 1, "shift.result");
    let expected = (0..30).flat_map(|i| if i % 6 == 0 { [i + 5, i] } else { [i - 1, i - 1] });
    assert_eq!(shifted, expected.map(f64::from).collect::<Vec<_>>(), "wrapped, and at the domain's wall");
}
