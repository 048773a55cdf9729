//! Particles, neighbour grids and fields: the header's grammar, what the checker says, and the plan.

use stagewright_compiler::Plan;
use stagewright_language::stage::Stage;

use super::{compile, problems};

fn errors(header: &str, function: &str) -> String {
    let source = format!("//! T\n{header}\n{function}");
    match Stage::parse("test", &source) {
        Ok(_) => "no errors".into(),
        Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"),
    }
}

#[test]
fn headers_of_particle_and_field_stages_are_checked() {
    let particle = "fn stage(particle: Particle) -> f32 { return 1.0; }";
    let cases = [
        ("//! @inout p: Particles{position: Vec}", particle),
        ("//! @in p: Particles{position: Vec} -> {age: f32}\n//! @out x: f32, reduce max", particle),
        ("//! @out p: Particles{} -> {age: f32}", particle),
        ("//! @inout p: Particles{position Vec} -> {age: f32}", particle),
        ("//! @inout p: Particles{position: Vex} -> {age: f32}", particle),
        ("//! @inout p: Particles{a: f32, a: f32} -> {age: f32}", particle),
        ("//! @inout p: Particles{} -> {index: u32}", particle),
        ("//! @inout p: Particles{} -> {Age: f32}", particle),
        ("//! @inout p: Particles{} -> {age: f32}, emit amount", particle),
        ("//! @in amount: f32 = 1\n//! @inout p: Particles{} -> {age: f32}, emit amount", particle),
        (
            "//! @inout p: Particles{age: f32} -> {age: f32}, filter",
            "fn stage(particle: Particle) -> bool { return true; }",
        ),
        ("//! @inout p: Particles{age: f32}, filter", particle),
        ("//! @inout p: Particles{age: f32}, gather", "fn stage(particle: Particle) -> f32 { return particle.age; }"),
        ("//! @inout p: Particles{age: f32}, scatter", "fn stage(particle: Particle) -> f32 { return particle.age; }"),
        ("//! @inout p: Particles{} -> {age: f32}, scatter", particle),
        ("//! @inout p: Particles{age: f32}, put", particle),
        ("//! @inout p: Particles{} -> {age: f32}", "fn stage(cell: Cell) -> f32 { return 1.0; }"),
        ("//! @inout p: Particles{} -> {a: f32}\n//! @inout q: Particles{} -> {b: f32}", particle),
        ("//! @in p: Particles{}\n//! @out x: Grid<f32>", particle),
        ("//! @in p: Particles{}\n//! @out n: NeighborGrid", "fn stage(particle: Particle) -> u32 { return 0u; }"),
        ("//! @out x: Grid<vec4f>, scatter min", "fn stage(cell: Cell) { min_x(cell, vec4f()); }"),
        ("//! @out x: Grid<f32>, scatter min", "fn stage(cell: Cell) { add_x(cell, 1.0); }"),
        ("//! @out x: Grid<f32>, scan", "fn stage(cell: Cell) -> f32 { return 1.0; }"),
        ("//! @out x: Grid<f32>, expect 0..1", "fn stage(cell: Cell) -> f32 { return 1.0; }"),
        ("//! @out x: Field<f32>", "fn stage(cell: Cell) -> f32 { return 1.0; }"),
        ("//! @out x: Field<f32>\n//! @out y: Field<f32>", "fn stage(position: Vec) -> f32 { return 1.0; }"),
        ("//! @out x: Grid<f32>", "fn stage(position: Vec) -> f32 { return 1.0; }"),
        ("//! @out x: Grid<f32>", "fn stage(particle: Particle) -> f32 { return 1.0; }"),
        ("//! @out x: Field<T>", "fn stage(position: Vec) -> T { return T(); }"),
    ];
    let all: Vec<String> = cases
        .iter()
        .map(|(header, function)| format!("{header}\n    {}", errors(header, function).replace('\n', "\n    ")))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

/// A set in a box, emitted at the start, sorted by cell and seen in an image.
const SET: &str = r##"
    "tank": (domain: (resolution: (10, 8, 6), width: 1, edge: "wall")),
    "flat": (domain: (resolution: (16, 16), width: 1, edge: "zero")),
    "set": (state: "Particles{position: Vec, velocity: Vec, age: f32}", capacity: 3000, on: "tank", inputs: {"init": "emit", "next": "dense.particles"}),
    "emit": (stage: "particles/emit_box", params: {"amount": 2000}),
    "move": (stage: "particles/integrate", inputs: {"particles": "set"}),
    "fill": (stage: "neighbors/fill", on: "tank", inputs: {"particles": "move.particles"}),
    "dense": (custom: r#"//! Density
        //! @in neighbors: NeighborGrid
        //! @inout particles: Particles{position: Vec} -> {density: f32}
        fn stage(particle: Particle) -> f32 {
            var sum = 0.0;
            var near = neighbors(particle.position);
            while (neighbors_next(&near)) {
                sum += max(0.1 - distance(particle.position, particles(near.index).position), 0.0);
            }
            return sum;
        }"#, inputs: {"neighbors": "fill.neighbors", "particles": "fill.particles"}),
    "splat": (custom: r#"//! Splat
        //! @in particles: Particles{position: Vec, density: f32}
        //! @out image: Image, scatter
        fn stage(particle: Particle) { add_image(vec2i(particle.position.xy * 16.0), vec4f(particle.density)); }"#, on: "flat", inputs: {"particles": "dense.particles"}),
    "screen": (output: (), inputs: {"image": "splat.image"}),
"##;

fn plan() -> Plan {
    compile(SET).unwrap_or_else(|p| panic!("{p}"))
}

#[test]
fn a_set_compiles_to_this_plan() {
    insta::assert_snapshot!(plan().to_text());
}

#[test]
fn only_what_is_read_again_is_moved() {
    let plan = plan();
    let moves: Vec<usize> = plan.frame.iter().filter(|d| d.part == "scatter").map(|d| d.buffers.len()).collect();
    assert_eq!(moves, [8], "age, position and velocity in one dispatch; rank and item stay:\n{}", plan.to_text());
}

#[test]
fn loops_over_neighbours_are_taken_apart_into_rows() {
    let plan = plan();
    let kernel = plan.kernels.iter().find(|k| k.name == "dense").expect("is compiled");
    assert!(kernel.finite && kernel.warns, "proven, and a crowd is reported");
    assert!(
        kernel.wgsl.contains("while (_row_neighbors(&near)) { near._entry = near._end; for (var _k = 0u;"),
        "{}",
        kernel.wgsl
    );
}

#[test]
fn mistakes_in_a_neighbour_loop_are_at_the_users_own_place() {
    let wrong =
        SET.replace("while (neighbors_next(&near)) {\n", "while (neighbors_next(&near)) { let wrong: f32 = 1u;\n");
    insta::assert_snapshot!(problems(&wrong));
}

#[test]
fn sets_are_checked() {
    let cases = [
        ("capacity: 3000, ", ""),
        ("inputs: {\"init\": \"emit\", ", "inputs: {"),
        ("age: f32}\", capacity", "age: f32, mood: f32}\", capacity"),
        ("\"particles\": \"fill.particles\"}", "\"particles\": \"move.particles\"}"),
        ("\"particles\": \"dense.particles\"}", "\"particles\": \"fill.particles\"}"),
        ("\"neighbors\": \"fill.neighbors\"", "\"neighbors\": \"fill.particles\""),
        ("\"particles\": \"move.particles\"}", "\"particles\": \"splat.image\"}"),
        ("Particles{position: Vec, density: f32}", "Particles{position: Vec, density: u32}"),
        ("\"next\": \"dense.particles\"", "\"next\": \"other\""),
    ];
    let other = r#""other": (state: "Particles{position: Vec, velocity: Vec, age: f32}", capacity: 10, on: "tank"),"#;
    let said = cases.map(|(from, to)| {
        assert!(SET.contains(from), "{from}");
        format!("{from} -> {to}\n    {}", problems(&(SET.replacen(from, to, 1) + other)).replace('\n', "\n    "))
    });
    insta::assert_snapshot!(said.join("\n"));
}

/// Two fields whose texts declare the same names, one of them twice in the chain.
const FIELDS: &str = r##"
    "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall")),
    "wave": (custom: r#"//! Wave
        //! @out value: Field<f32>
        //! @param size: f32 = 3
        struct Part { size: f32, value: f32 }
        const size = 2.0;
        fn helper(part: Part) -> f32 { let helper = part.size * size; return helper + part.value; }
        fn stage(position: Vec) -> f32 { return helper(Part(params.size, position.x)) + unit(0).x * CELL_SIZE; }"#),
    "bent": (custom: r#"//! Bent
        //! @in value: Field<f32>
        //! @in gain: f32 = 2
        //! @out result: Field<f32>
        fn helper(part: Vec) -> f32 { return value(part) * gain(); }
        fn stage(position: Vec) -> f32 { let value = helper(position); return value + length(value_gradient(position, 0.01)); }"#, inputs: {"value": "wave.value"}),
    "both": (custom: r#"//! Both
        //! @in a: Field<f32>
        //! @in b: Field<f32>
        //! @out image: Image
        fn helper(at: Vec) -> f32 { return a(at) + b(at); }
        fn stage(cell: Cell) -> vec4f { return vec4f(helper(position(cell))); }"#, inputs: {"a": "bent.result", "b": "wave.value"}, on: "domain"),
    "screen": (output: (), inputs: {"image": "both.image"}),
"##;

#[test]
fn fields_are_built_in_under_names_of_their_own() {
    let fields = FIELDS.replace("unit(0).x * CELL_SIZE", "f32(unit(0).x) * CELL_SIZE");
    let plan = compile(&fields).unwrap_or_else(|p| panic!("{p}"));
    let kernel = plan.kernels.iter().find(|k| k.name == "both").expect("is compiled");
    assert_eq!(kernel.wgsl.matches("fn _f1_stage").count() + kernel.wgsl.matches("fn _f2_stage").count(), 2);
    assert_eq!(plan.invariant.len(), 2, "one dispatch and the picture:\n{}", plan.to_text());
    let slots: Vec<&str> = plan.settings.iter().flat_map(|s| &s.paths).map(String::as_str).collect();
    assert!(slots.contains(&"wave.size") && slots.contains(&"bent.gain"), "{slots:?}");
    insta::assert_snapshot!(kernel.wgsl);
}

#[test]
fn a_mistake_in_a_field_is_told_once_and_at_its_own_place() {
    // i32 * f32 in the field, which two stages build in.
    insta::assert_snapshot!(problems(FIELDS));
}

#[test]
fn fields_are_checked() {
    let cases = [
        ("\"value\": \"wave.value\"", "\"value\": \"both.image\""),
        ("\"b\": \"wave.value\"", "\"b\": \"bent.nothing\""),
        ("\"value\": \"wave.value\"", "\"value\": \"bent.result\""),
    ];
    let fields = FIELDS.replace("unit(0).x * CELL_SIZE", "1.0");
    let said = cases.map(|(from, to)| {
        assert!(fields.contains(from), "{from}");
        format!("{from} -> {to}\n    {}", problems(&fields.replacen(from, to, 1)).replace('\n', "\n    "))
    });
    insta::assert_snapshot!(said.join("\n"));
}
