//! Scatter: nothing that is added is lost, whatever the order.

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{Cell, EdgeRule, Grid};

/// Spreads each value bilinearly around a shifted place, in whole units of 2^-16; the last corner gets the remainder.
const SPLAT: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "value": (state: "Grid<$type>"),
    "shift": (state: "Grid<Vec>"),
    "total": (state: "Grid<$type>", inputs: {"next": "splat.sum"}),
    "splat": (custom: r#"//! Splat
        //! @in value: Grid<$type>
        //! @in shift: Grid<Vec>
        //! @$direction sum: Grid<$type>$like, scatter
        fn stage(cell: Cell) {
            let place = Vec(cell) + shift(cell);
            let lowest = floor(place);
            let whole = round(value(cell) * 65536.0);
            var left = whole;
            for (var corner = 0; corner < 4 * (DIM - 1); corner++) {
                var weight = 1.0;
                var target_cell = Cell(lowest);
                for (var axis = 0; axis < DIM; axis++) {
                    let upper = (corner >> u32(axis)) & 1;
                    let f = place[axis] - lowest[axis];
                    weight *= select(1.0 - f, f, upper == 1);
                    target_cell += unit(axis) * upper;
                }
                var share = floor(whole * weight);
                if corner == 4 * (DIM - 1) - 1 { share = left; }
                left -= share;
                add_sum(target_cell, share / 65536.0);
            }
        }"#, inputs: {"value": "value.value", "shift": "shift.value"$input}, iterations: $count),
"##;

struct Splat {
    grid: Grid,
    ty: &'static str,
    components: usize,
    /// Goes on from the State `total` instead of from zero.
    accumulates: bool,
    iterations: usize,
}

impl Splat {
    fn new(grid: Grid) -> Splat {
        Splat { grid, ty: "f32", components: 1, accumulates: false, iterations: 1 }
    }

    /// The words of the sum after so many frames, as whole units of 2^-16.
    fn run(&self, value: &[f32], shift: &[f32], total: &[f32], frames: usize) -> Vec<i64> {
        let (direction, like, input) =
            if self.accumulates { ("inout", "", r#", "sum": "total.value""#) } else { ("out", ", like value", "") };
        let values = [
            ("$cells", self.grid.resolution()),
            ("$edge", self.grid.edge.name().into()),
            ("$type", self.ty.into()),
            ("$direction", direction.into()),
            ("$like", like.into()),
            ("$input", input.into()),
            ("$count", self.iterations.to_string()),
        ];
        let mut sim = start(60.0, SPLAT, &pairs(&values));
        let sum = run(&mut sim, &[("value", value), ("shift", shift), ("total", total)], frames, "splat.sum");
        sum.iter().map(|v| units(*v)).collect()
    }

    /// What each cell must hold, in whole numbers. Every product is exact: values are multiples of 2^-12 and shifts
    /// of 1/8.
    fn expected(&self, value: &[f32], shift: &[f32]) -> Vec<i64> {
        let (grid, n) = (&self.grid, self.components);
        let mut sum = vec![0; grid.cell_count() * n];
        for (i, c) in grid.cells().enumerate() {
            let place: [f64; 3] =
                std::array::from_fn(
                    |a| if a < grid.dim { c[a] as f64 + f64::from(shift[i * grid.dim + a]) } else { 0.0 },
                );
            let whole: Vec<i64> = (0..n).map(|k| units(f64::from(value[i * n + k]))).collect();
            let mut left = whole.clone();
            for corner in 0..1usize << grid.dim {
                let (target, weight) = share(grid.dim, place, corner);
                for k in 0..n {
                    let last = corner + 1 == 1 << grid.dim;
                    let share = if last { left[k] } else { (whole[k] as f64 * weight).floor() as i64 };
                    left[k] -= share;
                    if let Some(target) = grid.inner(target) {
                        sum[grid.index(target) * n + k] += share;
                    }
                }
            }
        }
        sum
    }
}

fn share(dim: usize, place: [f64; 3], corner: usize) -> (Cell, f64) {
    let bit = |a: usize| a < dim && corner >> a & 1 == 1;
    let f = |a: usize| place[a] - place[a].floor();
    let weight = (0..dim).map(|a| if bit(a) { f(a) } else { 1.0 - f(a) }).product();
    (std::array::from_fn(|a| place[a].floor() as i64 + i64::from(bit(a))), weight)
}

/// Whole units of 2^-16. Sums below 2^8 have 24 bits, so f32 holds them exactly.
fn units(value: f64) -> i64 {
    let units = value * 65536.0;
    assert_eq!(units.fract(), 0.0, "{value} is no whole number of 2^-16");
    units as i64
}

fn quantised(count: usize, seed: u32, steps: f32) -> Vec<f32> {
    random(count, seed).iter().map(|v| (v * steps).round() / steps).collect()
}

/// Shifts of up to three cells.
fn shifts(grid: &Grid, steps: f32) -> Vec<f32> {
    quantised(grid.cell_count() * grid.dim, 6, steps).iter().map(|v| 3.0 * v).collect()
}

const SHAPES: [&[usize]; 2] = [&[45, 23], &[13, 9, 7]];

#[test]
fn scatter_conserves_its_sum_bit_by_bit() {
    for shape in SHAPES {
        let grid = Grid::new(shape, 1.0, EdgeRule::Clamp);
        // Weights with all their bits, so that shares are rounded and only the remainder saves the sum.
        let (value, shift) = (quantised(grid.cell_count(), 5, 65536.0), shifts(&grid, 8_388_608.0));
        let added: i64 = value.iter().map(|v| units(f64::from(*v))).sum();
        let first = Splat::new(grid).run(&value, &shift, &value, 1);
        println!("{shape:?}: added {added}, there {} (exact, in units of 2^-16)", first.iter().sum::<i64>());
        assert_eq!(first.iter().sum::<i64>(), added);
        for _ in 0..10 {
            assert_eq!(Splat::new(grid).run(&value, &shift, &value, 1), first, "every run gives the same bits");
        }
    }
}

#[test]
fn scatter_follows_the_edge_rule_and_zero_and_open_drop() {
    for (shape, edge) in SHAPES.into_iter().flat_map(|s| EdgeRule::ALL.map(|e| (s, e))) {
        let grid = Grid::new(shape, 1.0, edge);
        let (value, shift) = (quantised(grid.cell_count(), 5, 4096.0), shifts(&grid, 8.0));
        let leaves = matches!(edge, EdgeRule::Zero | EdgeRule::Open);
        let sum = Splat::new(grid).run(&value, &shift, &value, 1);
        // Beyond an open border, a scatter is dropped as beyond `zero`.
        let expected = Splat::new(Grid::new(shape, 1.0, if leaves { EdgeRule::Zero } else { edge }));
        let added: i64 = value.iter().map(|v| units(f64::from(*v))).sum();
        println!("{shape:?} {}: {added} added, {} lost", edge.name(), added - sum.iter().sum::<i64>());
        assert_eq!(sum, expected.expected(&value, &shift));
        assert_eq!(sum.iter().sum::<i64>() == added, !leaves, "only zero and open lose what leaves");
    }
}

#[test]
fn scatter_continues_from_what_was_there() {
    for shape in SHAPES {
        let grid = Grid::new(shape, 1.0, EdgeRule::Wall);
        let (value, shift) = (quantised(grid.cell_count(), 5, 4096.0), shifts(&grid, 8.0));
        let before = quantised(grid.cell_count(), 8, 4096.0);
        let splat = Splat { accumulates: true, iterations: 3, ..Splat::new(grid) };
        let once = splat.expected(&value, &shift);
        let expected: Vec<i64> = once.iter().zip(&before).map(|(s, b)| units(f64::from(*b)) + 2 * 3 * s).collect();
        assert_eq!(splat.run(&value, &shift, &before, 2), expected, "two frames of three iterations");
    }
}

#[test]
fn scatter_adds_vectors_component_by_component() {
    for (shape, ty, components) in
        [(SHAPES[0], "Vec", 2), (SHAPES[1], "Vec", 3), (SHAPES[0], "vec3f", 3), (SHAPES[0], "vec4f", 4)]
    {
        let grid = Grid::new(shape, 1.0, EdgeRule::Zero);
        let (value, shift) = (quantised(grid.cell_count() * components, 5, 4096.0), shifts(&grid, 8.0));
        let splat = Splat { ty, components, ..Splat::new(grid) };
        assert_eq!(splat.run(&value, &shift, &value, 1), splat.expected(&value, &shift), "{ty} on {shape:?}");
    }
}

const COUNT: &str = r##"
    "domain": (domain: (resolution: (45, 23), width: 1, edge: "wall")),
    "count": (custom: r#"//! Count
        //! @out sum: Grid<$type>, scatter
        fn stage(cell: Cell) { add_sum(cell / 4, $type(cell.x + 1)); }"#),
"##;

#[test]
fn whole_numbers_scatter_as_they_are() {
    for ty in ["i32", "u32"] {
        let mut sim = start(60.0, COUNT, &[("$type", ty)]);
        step(&mut sim, 1);
        let mut expected = vec![0u32; 45 * 23];
        (0..45 * 23).for_each(|i| expected[(i / 45 / 4) * 45 + i % 45 / 4] += i as u32 % 45 + 1);
        assert_eq!(words(&sim, "count.sum"), expected, "{ty}");
    }
}

/// Every cell adds this to a cell.
const ADD: &str = r##"
    "domain": (domain: (resolution: (64, 32), width: 1, edge: "wall")),
    "sum": (custom: r#"//! Sum
        //! @out sum: Grid<$type>, scatter $bits
        fn stage(cell: Cell) { let i = cell.x; $body }"#),
"##;

/// The warnings of two frames of such a stage.
fn warned(ty: &str, bits: &str, body: &str) -> Vec<String> {
    let mut sim = start(60.0, ADD, &[("$type", ty), ("$bits", bits), ("$body", body)]);
    step(&mut sim, 2);
    let warnings = sim.warnings(true).0;
    assert!(warnings.iter().all(|w| w.node == "sum" && w.port == "sum"), "{warnings:?}");
    warnings.into_iter().map(|w| format!("{}; {}", w.cause, w.remedy)).collect()
}

/// The one warning of such a stage.
fn warning(ty: &str, bits: &str, body: &str) -> String {
    let mut warnings = warned(ty, bits, body);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    warnings.remove(0)
}

#[test]
fn a_sum_that_leaves_its_range_is_reported_with_the_cells() {
    // No value is too large, but 2048 of them are: the sum comes round to a small number again.
    let round = warning("f32", "16", "add_sum(Cell(3), 32.0);");
    assert!(round.starts_with("in 1 cell the sum left the range of `scatter 16`, -32768 to 32768"), "{round}");
    assert!(round.contains("write `scatter 14` for -131072 to 131072"), "{round}");
    assert_eq!(warned("f32", "14", "add_sum(Cell(3), 32.0);"), Vec::<String>::new(), "half of 131072 fits");
    let values = warning("f32", "16", "add_sum(cell, select(1.0, -40000.0, i < 5));");
    assert!(values.starts_with("in 160 cells"), "{values}");
    let large = warning("vec3f", "0", "add_sum(cell, vec3f(0.0, 1e30, 1.0));");
    assert!(large.starts_with("in 2048 cells") && large.ends_with("; scale what is added down"), "{large}");
}

#[test]
fn whole_numbers_that_leave_their_range_are_reported() {
    let signed = warning("i32", "", "add_sum(Cell(i, 0), 100000000);");
    assert!(signed.starts_with("in 64 cells the sum left the range -2147483648 to 2147483647"), "{signed}");
    let unsigned = warning("u32", "", "add_sum(Cell(i, 0), 200000000u);");
    assert!(unsigned.starts_with("in 64 cells the sum left the range 0 to 4294967295"), "{unsigned}");
    assert_eq!(warned("u32", "", "add_sum(Cell(i, 0), 100000000u);"), Vec::<String>::new(), "3.2e9 fits");
}

#[test]
fn what_is_no_number_is_reported_where_it_is_added() {
    for body in ["add_sum(cell, log(f32(i) - 8.5));", "add_sum(cell, exp(select(0.0, 1000.0, i < 9)));"] {
        let warning = warning("f32", "16", body);
        assert!(warning.starts_with("NaN or infinity was added in 288 cells"), "{body}: {warning}");
    }
}

#[test]
fn values_below_half_a_step_are_reported_when_they_matter() {
    let all = warning("f32", "16", "add_sum(Cell(3), 0.000007);");
    assert!(all.starts_with("100 % of what was added became zero"), "{all}");
    assert!(all.contains("write `scatter 30` for -2 to 2"), "{all}");
    // A vector counts as a whole, however small one of its components is; four numbers have nothing in common.
    assert_eq!(warned("vec2f", "16", "add_sum(cell, vec2f(1.0, 0.000005));"), Vec::<String>::new());
    let vector = warning("vec2f", "16", "add_sum(cell, vec2f(0.000007, 0.000005));");
    assert!(vector.starts_with("100 % of what was added became zero"), "{vector}");
    let component = warning("vec4f", "16", "add_sum(cell, vec4f(1.0, 0.000005, 1.0, 1.0));");
    assert!(component.starts_with("100 % of what was added (component y) became zero"), "{component}");
    assert!(component.contains("write `scatter 27`"), "{component}");
    assert_eq!(warned("f32", "16", "add_sum(cell, 0.000007); add_sum(cell, 0.001);"), Vec::<String>::new(), "0.7 %");
    assert_eq!(warned("f32", "20", "add_sum(cell, 0.000007);"), Vec::<String>::new(), "7 steps");
}

#[test]
fn warnings_are_gone_after_a_reset() {
    let mut sim = start(
        60.0,
        ADD,
        &[("$type", "f32"), ("$bits", "16"), ("$body", "if frame.index == 0u { add_sum(cell, 1e9); }")],
    );
    step(&mut sim, 3);
    assert_eq!(sim.warnings(true).0.len(), 1, "the sum of the first frame is gone, not its warning");
    sim.reset();
    assert!(sim.warnings(true).is_empty());
}

/// A stage that adds to what a State holds.
const ONTO: &str = r##"
    "domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "total": (state: "Grid<f32>", inputs: {"next": "sum.sum"}),
    "sum": (custom: r#"//! Sum
        //! @inout sum: Grid<f32>, scatter 16
        fn stage(cell: Cell) { add_sum(cell, 1.0); }"#, inputs: {"sum": "total"}),
"##;

#[test]
fn what_a_sum_continues_from_has_to_fit_too() {
    let mut sim = start(60.0, ONTO, &[]);
    for (value, says) in
        [(32766.0, ""), (40000.0, "in 1 cell the sum left"), (f32::NAN, "NaN or infinity was added in 1 cell")]
    {
        let mut held = vec![0.5f32; 64];
        held[9] = value;
        sim.reset();
        sim.write("total", &held).unwrap();
        step(&mut sim, 1);
        let said = sim.warnings(true).0;
        assert_eq!(said.len(), usize::from(!says.is_empty()), "{said:?}");
        assert!(said.iter().all(|w| w.node == "sum" && w.cause.starts_with(says)), "{said:?}");
    }
}

const TRANSPOSE: &str = r##"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "value": (state: "Grid<f32>"),
    "field": (state: "Grid<f32>"),
    "shift": (state: "Grid<Vec>"),
    "spread": (custom: r#"//! Spread
        //! @in value: Grid<f32>
        //! @in shift: Grid<Vec>
        //! @out sum: Grid<f32>, like value, scatter 20
        fn stage(cell: Cell) { add_sum_at(position(cell) + shift(cell), value(cell)); }"#,
        inputs: {"value": "value.value", "shift": "shift.value"}),
    "looked": (custom: r#"//! Looked
        //! @in value: Grid<f32>
        //! @in field: Grid<f32>
        //! @in shift: Grid<Vec>
        //! @out product: Grid<f32>
        fn stage(cell: Cell) -> f32 { return value(cell) * field_at(position(cell) + shift(cell)); }"#,
        inputs: {"field": "field.value", "value": "value.value", "shift": "shift.value"}),
"##;

/// For any field, what is read at places and summed with weights is what the weights, added at the places, give with the field.
#[test]
fn adding_at_a_position_is_the_transpose_of_reading_there() {
    // Through an open side what is added leaves, while what is read is that of the nearest cell.
    for edge in ["wall", "clamp", "wrap", "mirror", "zero"] {
        for (cells, dim, count) in [("17, 11", 2, 187), ("9, 7, 6", 3, 378)] {
            let mut sim = start(60.0, TRANSPOSE, &[("$cells", cells), ("$edge", edge)]);
            let (value, field) = (random(count, 3), random(count, 4));
            // Some land outside.
            let shift: Vec<f32> = random(count * dim, 5).iter().map(|x| 0.3 * x).collect();
            let states = [("value", &value[..]), ("field", &field[..]), ("shift", &shift[..])];
            let looked: f64 = run(&mut sim, &states, 1, "looked.product").iter().sum();
            let sums = run(&mut sim, &states, 1, "spread.sum");
            let spread: f64 = sums.iter().zip(&field).map(|(sum, field)| sum * f64::from(*field)).sum();
            // Each of the corners' additions is rounded to half of 2^-20.
            let bar = (count << dim) as f64 * 2f64.powi(-21) + 1e-5;
            within(&format!("{edge} in {dim}D: {looked:.4}"), (looked - spread).abs(), bar, "steps of 2^-20");
            assert!(looked.abs() > 10.0 * bar, "there is something to compare");
        }
    }
}
