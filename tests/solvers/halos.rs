//! Inputs that come through workgroup memory are what they are where they lie, to the bit; and stages that look farther than they
//! say are held to what they say either way.

use stagewright_compiler::tuning::Shape;
use stagewright_compiler::{Keep, Plan, PlanOptions, Tuning};
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;
use stagewright_solver_support::harness::*;

use super::shapes::{EDGES, outcome, shaped};

/// A stage that reads a State around each cell. `$at`: where the window begins, and what it reads there.
const NODES: &str = r#"
    "domain": (domain: (resolution: ($cells), width: 1, edge: "$edge")),
    "field": (state: "Grid<$type>", inputs: {"next": "mean.result"}, precision: "$precision"),
    "mean": (custom: r"//! Mean
        //! @in    field: Grid<T>$options
        //! @in    gain: Grid<f32> = 0.75
        //! @out   result: Grid<T>
        $param
        $helper
        fn stage(cell: Cell) -> T {
            var sum = T();
            for (var j = -$size; j <= $size; j++) {
                for (var i = -$size; i <= $size; i++) {
                    // What no driver can write in another order.
                    sum = fract(sum + (f32(2 * i + 3 * j) + 0.5) * $read);
                }
            }
            return gain(cell) * sum;
        }", inputs: {"field": "field.value"}, params: {$value}, precision: "$precision"),
"#;

const OFFSET: &str = "cell + unit(0) * i + unit(DIM - 1) * j";

struct Case {
    cells: &'static str,
    edge: &'static str,
    ty: &'static str,
    precision: &'static str,
    options: &'static str,
    /// The half width of the window in the text.
    size: &'static str,
    value: i32,
    /// Whether the text hides where it reads, so that only the header says.
    hides: bool,
}

const CASE: Case = Case {
    cells: "50, 41",
    edge: "clamp",
    ty: "f32",
    precision: "f32",
    options: "",
    size: "2",
    value: 2,
    hides: false,
};

impl Case {
    fn values(&self) -> [(&'static str, String); 10] {
        let by_param = self.size.starts_with("params");
        let (helper, read) = match self.hides {
            true => ("fn look(at: Cell) -> T { return field(at); }", format!("look({OFFSET})")),
            false => ("", format!("field({OFFSET})")),
        };
        [
            ("$cells", self.cells.into()),
            ("$edge", self.edge.into()),
            ("$type", self.ty.into()),
            ("$precision", self.precision.into()),
            ("$options", self.options.into()),
            ("$helper", helper.into()),
            ("$read", read),
            ("$size", self.size.into()),
            ("$param", if by_param { "//! @param size: i32 = 2, 0..12" } else { "" }.into()),
            ("$value", if by_param { format!("\"size\": {}", self.value) } else { String::new() }),
        ]
    }

    fn plan(&self, shape: Option<&dyn Fn(u32) -> Shape>) -> Plan {
        shaped(NODES, &self.values(), shape)
    }

    /// The State after two frames, read where it lies.
    fn expected(&self) -> Vec<Vec<u32>> {
        outcome(self.plan(None), &["field.value"])
    }

    /// The first shape with a halo that the stage takes.
    fn haloed(&self, halo: u32, lockstep: bool) -> Plan {
        let tries = (0..6).map(|k| self.plan(Some(&|dim| Shape::with_halo(dim, halo, lockstep)[k])));
        tries.into_iter().find(is_haloed).unwrap_or_else(|| panic!("no tile: {}", self.plan(None).to_text_with_wgsl()))
    }

    #[track_caller]
    fn is_the_same(&self, halo: u32) {
        let expected = self.expected();
        assert!(expected[0].iter().any(|w| *w != expected[0][0]));
        let Case { cells, edge, ty, precision, options, size, value, hides } = self;
        for lockstep in [false, true] {
            let plan = self.haloed(halo, lockstep);
            let what = format!("{cells} {edge} {ty} {precision}{options} {size} {value} {hides} {lockstep}");
            let has = |text: &str| plan.kernels.iter().any(|kernel| kernel.wgsl.contains(text));
            if plan.to_text().contains(" cells each") {
                // Not where reads are held to a radius, nor where two cells share a word.
                let steps = !has("_asked") && (*precision, *ty) != ("f16", "f32");
                assert_eq!(has("_stages("), steps, "{what}: {}", plan.to_text_with_wgsl());
            }
            same(&outcome(plan, &["field.value"]), &expected, &what);
        }
    }
}

#[track_caller]
fn same(found: &[Vec<u32>], expected: &[Vec<u32>], what: &str) {
    let (found, expected) = (&found[0], &expected[0]);
    let apart: Vec<usize> = (0..expected.len()).filter(|i| found[*i] != expected[*i]).collect();
    let first = apart.first().map(|i| (*i, f32::from_bits(found[*i]), f32::from_bits(expected[*i])));
    assert!(apart.is_empty(), "{what}: {} of {} words differ, {first:?}", apart.len(), expected.len());
}

fn is_haloed(plan: &Plan) -> bool {
    plan.kernels.iter().any(|kernel| kernel.wgsl.contains("_tile_field") && kernel.wgsl.contains("workgroupBarrier"))
        && plan.to_text().contains("inputs in tiles with")
}

#[test]
fn a_window_that_the_text_proves_comes_through_workgroup_memory() {
    for edge in EDGES {
        for (cells, ty) in [("50, 41", "f32"), ("33, 7", "Vec"), ("21, 18", "vec4f"), ("64, 32", "vec2f")] {
            Case { cells, edge, ty, ..CASE }.is_the_same(8);
        }
        Case { cells: "19, 10, 9", edge, ..CASE }.is_the_same(8);
    }
    Case { cells: "10, 11, 12", edge: "wall", ty: "Vec", ..CASE }.is_the_same(8);
}

#[test]
fn so_does_a_radius_by_number() {
    for edge in ["wall", "clamp", "zero", "mirror"] {
        for hides in [false, true] {
            Case { edge, hides, options: ", radius 3", size: "3", ..CASE }.is_the_same(8);
            // It looks farther than it says.
            Case { edge, hides, options: ", radius 2", size: "3", ..CASE }.is_the_same(8);
        }
    }
    let mirrored = Case { edge: "wrap", options: ", edge mirror, radius 2", hides: true, ..CASE };
    mirrored.is_the_same(8);
    // Around a periodic axis only the text tells which of a cell's names is meant.
    let wrapped = Case { edge: "wrap", options: ", radius 2", ..CASE };
    wrapped.is_the_same(8);
    let plan = Case { hides: true, ..wrapped }.plan(Some(&|dim| Shape::with_halo(dim, 8, true)[0]));
    assert!(!is_haloed(&plan));
}

#[test]
fn a_radius_is_held_where_inputs_lie_too() {
    let far = Case { options: ", radius 2", size: "3", hides: true, ..CASE };
    assert!(far.expected() != Case { options: "", ..far }.expected(), "it looks farther");
    same(&far.expected(), &Case { hides: false, ..far }.expected(), "by its text and by what it says");
}

#[test]
fn a_parameter_may_say_the_radius_and_be_wider_than_the_halo() {
    for edge in EDGES {
        for value in [0, 3, 4, 5, 12] {
            let case = Case { edge, value, options: ", radius size", size: "params.size", ..CASE };
            case.is_the_same(4);
            if edge != "wrap" {
                Case { hides: true, ..case }.is_the_same(4);
            }
        }
    }
    let case = Case { cells: "12, 9, 10", value: 2, options: ", radius size", size: "params.size", ..CASE };
    case.is_the_same(2);
    Case { value: 3, ..case }.is_the_same(2);
}

#[test]
fn halves_come_through_workgroup_memory_too() {
    for (cells, ty, edge) in [
        ("50, 41", "f32", "mirror"),
        ("34, 18", "vec2f", "zero"),
        ("20, 15", "vec4f", "wrap"),
        ("18, 9, 8", "f32", "wall"),
    ] {
        Case { cells, ty, edge, precision: "f16", ..CASE }.is_the_same(8);
    }
    Case { precision: "f16", value: 9, options: ", radius size", size: "params.size", ..CASE }.is_the_same(4);
}

/// What a GPU gets of which nothing is known, and a processor that plays one.
#[test]
fn gpus_take_tiles_for_wide_windows() {
    let compiled = |case: &Case, tuning: Tuning| {
        let document = document(60.0, NODES, &pairs(&case.values()));
        let graph = Graph::build(&document, Library::builtin()).unwrap_or_else(|e| panic!("{e}"));
        let keep = Keep::Wires(vec!["field.value".into()]);
        Plan::compile(&graph, &PlanOptions { keep, tuning, ..PlanOptions::default() }).unwrap_or_else(|e| panic!("{e}"))
    };
    // An image large enough to have four cells per invocation.
    let large = Case { cells: "1024, 512", options: ", radius size", size: "params.size", ..CASE };
    let plan = compiled(&large, Tuning::gpu());
    assert!(plan.to_text().contains("2 cells each, inputs in tiles with 8 cells around"), "{}", plan.to_text());
    let wide = Case { options: ", radius size", size: "params.size", ..CASE };
    let plan = compiled(&wide, Tuning::gpu());
    assert!(is_haloed(&plan), "{}", plan.to_text());
    same(&outcome(plan, &["field.value"]), &wide.expected(), "as a GPU has it");
    let narrow = Case { size: "1", ..CASE };
    assert!(!is_haloed(&compiled(&narrow, Tuning::gpu())), "nine cells");
    for defaults in
        [stagewright_compiler::tuning::DefaultTuning::Plain, stagewright_compiler::tuning::DefaultTuning::Cpu]
    {
        assert!(!is_haloed(&compiled(&wide, Tuning { defaults, ..Tuning::gpu() })));
    }
}

/// The filter that this is for: its window, its disc and its empty pixels.
#[test]
fn the_bilateral_filter_is_the_same_from_tiles() {
    let nodes = r#"
        "picture": (domain: (resolution: (75, 46), width: 1, edge: "wrap")),
        "field": (state: "Grid<f32>", inputs: {"next": "filter.result"}),
        "filter": (stage: "filter/bilateral", inputs: {"image": "field.value"}, params: {"radius": $radius, "disc": $disc, "empty": 0.9}),
    "#;
    for (radius, disc) in [(5, "true"), (8, "false"), (3, "false")] {
        let values = [("$radius", radius.to_string()), ("$disc", disc.into())];
        let tiled = shaped(nodes, &values, Some(&|dim| Shape::with_halo(dim, 8, true)[0]));
        let kernel = tiled.kernels.iter().find(|k| k.wgsl.contains("_tile_image")).expect("it comes from a tile");
        assert!(kernel.finite && kernel.in_bounds, "nothing is counted or checked at run time");
        // Its loops prove how far it looks, so no read is held to that.
        assert!(!kernel.wgsl.contains("_asked"), "{}", kernel.wgsl);
        // 75 columns, four a row and invocation.
        assert!(kernel.wgsl.contains("_stages(_own)"), "{}", kernel.wgsl);
        let expected = outcome(shaped(nodes, &values, None), &["field.value"]);
        same(&outcome(tiled, &["field.value"]), &expected, &format!("radius {radius}, disc {disc}"));
    }
}
