//! A graph with a wire of each kind.

/// A node with a stage of its own. `header` has its lines, `signature` the argument and the type of its function.
fn stage(name: &str, header: &str, signature: &str, body: &str, fields: &str) -> String {
    let header = header.replace("; ", "\n//! ");
    format!(
        "\"{name}\": (custom: r#\"//! Stage\n//! {header}\nfn turn(x: f32) -> f32 {{ return x - floor(x / 256.0) * 256.0; }}\n\
         fn away(n: i32) -> vec2i {{ return vec2i(n, -n); }}\nfn stage({signature} {{ {body} }}\"#, {fields}),\n"
    )
}

/// A graph with each kind of wire. All States depend on each other, and all wires on them.
pub(super) fn nodes() -> String {
    let cells = "cell: Cell) -> f32";
    let scale_stage = |name: &str, input: &str| {
        let inputs = format!("inputs: {{\"x\": \"{input}\"}}");
        stage(name, "@in x: Grid<f32>; @out r: Grid<f32>", cells, "return turn(3.0 * x(cell) + 1.0);", &inputs)
    };
    let of = |input: &str| format!("inputs: {{\"x\": \"{input}\"}}");
    [
        r#""d": (domain: (resolution: (12, 10), width: 12, edge: "clamp")),"#.into(),
        r#""clock": (number: "2 * frame"),"#.into(),
        r#""wind": (stage: "shape/rigid_velocity", params: {"linear": (2, 1)}),"#.into(),
        r#""faces": (stage: "staggered/from_field", on: "d", inputs: {"velocity": "wind.velocity"}),"#.into(),
        stage("start", "@out r: Grid<f32>", cells, "return f32((cell.x * 37 + cell.y * 101) % 257);", "on: \"d\""),
        stage(
            "born",
            "@in amount: u32 = 24; @inout p: Particles{} -> {position: Vec, mark: f32}, emit amount",
            "particle: Particle) -> Result",
            "return Result(vec2f(vec2u(particle.serial % 12u, particle.serial / 12u)) + 0.5, f32(particle.serial * 37u % 257u));",
            "on: \"d\"",
        ),
        r#""s": (state: "Grid<f32>", on: "d", inputs: {"init": "start.r", "next": "mix.r"}),"#.into(),
        r#""v": (state: "Grid<Vec>", on: "d", inputs: {"next": "flow.r"}),"#.into(),
        r#""t": (state: "Grid<vec4f>", on: "d", precision: "f16", inputs: {"next": "tint.r"}),"#.into(),
        r#""trail": (state: "Image", on: "d", inputs: {"next": "fade.r"}),"#.into(),
        r#""p": (state: "Particles{position: Vec, mark: f32}", capacity: 128, on: "d", inputs: {"init": "born.p", "next": "sort.particles"}),"#.into(),
        stage(
            "push",
            "@in x: Grid<f32>; @in f: FaceGrid; @in wind: Field<Vec>; @in gain: f32; @out r: Grid<f32>",
            cells,
            "return turn(3.0 * x(cell) + f(cell).x + wind(position(cell)).y + gain());",
            "inputs: {\"x\": \"s\", \"f\": \"faces.result\", \"wind\": \"wind.velocity\", \"gain\": \"clock\"}",
        ),
        stage(
            "near",
            "@in x: Grid<f32>, radius 2; @out r: Grid<f32>",
            cells,
            "return turn(x(cell + away(1)) + x(cell - away(2)));",
            &of("push.r"),
        ),
        stage(
            "sweeps",
            "@in x: Grid<f32>; @inout r: Grid<f32> = 5, radius 2",
            cells,
            "return turn(x(cell) + r(cell + away(1)) + r(cell - away(2)));",
            &format!("{}, iterations: 3", of("near.r")),
        ),
        stage(
            "colors",
            "@in x: Grid<f32>; @inout r: Grid<f32> = 2; @sweep checkerboard",
            cells,
            "return turn(x(cell) + r(neighbor(cell, 0)) + r(neighbor(cell, 3)));",
            &of("sweeps.r"),
        ),
        stage(
            "most",
            "@in x: Grid<f32>; @out r: Grid<f32>; @out most: f32, reduce max",
            "cell: Cell) -> Result",
            "return Result(turn(x(cell) + 1.0), x(cell));",
            &of("colors.r"),
        ),
        stage("sum", "@in x: Grid<f32>, radius 2; @out r: f32, reduce sum", cells, "return x(cell - away(1));", &of("near.r")),
        stage("least", "@in p: Particles{mark: f32}; @out r: f32, reduce min", "particle: Particle) -> f32", "return particle.mark;", "inputs: {\"p\": \"move.p\"}"),
        stage(
            "peaks",
            "@in x: Grid<f32>; @out r: Grid<f32>, scatter max",
            "cell: Cell)",
            "max_r(cell, 1.0); max_r(cell + away(1), x(cell));",
            &of("near.r"),
        ),
        stage("count", "@in x: Grid<f32>; @out r: Grid<u32>, scan", "cell: Cell) -> u32", "return u32(x(cell));", &of("most.r")),
        stage(
            "hits",
            "@in p: Particles{position: Vec, mark: f32}; @out r: Grid<f32>, scatter 8",
            "particle: Particle)",
            "add_r(cell_at(particle.position), particle.mark);",
            "inputs: {\"p\": \"cull.p\"}",
        ),
        stage(
            "flow",
            "@in x: Grid<f32>; @inout r: Grid<Vec>",
            "cell: Cell) -> Vec",
            "return vec2f(turn(r(cell).y + x(neighbor(cell, 0))), turn(r(cell).x + x(neighbor(cell, 3))));",
            "inputs: {\"x\": \"hits.r\", \"r\": \"v\"}",
        ),
        stage(
            "tint",
            "@in v: Grid<Vec>, radius 1; @inout r: Grid<vec4f>",
            "cell: Cell) -> vec4f",
            "return vec4f(v(neighbor(cell, 1)), turn(r(cell).x + r(cell).w), turn(r(cell).z + 1.0));",
            "inputs: {\"v\": \"flow.r\", \"r\": \"t\"}, precision: \"f16\"",
        ),
        format!(
            "\"g\": (group: (inputs: {{\"x\": \"Grid<f32>\"}}, outputs: {{\"r\": \"second.r\"}}, nodes: {{\n{}{}}}), inputs: {{\"x\": \"peaks.r\"}}),\n",
            scale_stage("first", "in.x"),
            scale_stage("second", "first.r")
        ),
        format!(
            "\"solve\": (group: (inputs: {{\"x\": \"Grid<f32>\"}}, outputs: {{\"x\": \"sweep.x\", \"left\": \"sweep.left\"}}, nodes: {{\n{}}}), \
             inputs: {{\"x\": \"g.r\"}}, iterations: 6, until: (number: \"left\", below: 250)),\n",
            stage(
                "sweep",
                "@inout x: Grid<f32>; @out left: f32, reduce max",
                "cell: Cell) -> Result",
                "return Result(turn(5.0 * x(cell) + 3.0), turn(x(cell) + 7.0));",
                "inputs: {\"x\": \"in.x\"}"
            )
        ),
        stage(
            "mix",
            "@in x: Grid<f32>; @in n: Grid<u32>; @in tint: Grid<vec4f>; @in trail: Image; @in most: f32; @in sum: f32; @in least: f32; @out r: Grid<f32>",
            cells,
            "return turn(x(cell) + f32(n(cell) % 256u) + tint(cell).z + trail(cell).z + most() + sum() + least());",
            "inputs: {\"x\": \"solve.x\", \"n\": \"count.r\", \"tint\": \"tint.r\", \"trail\": \"trail\", \"most\": \"most.most\", \"sum\": \"sum.r\", \"least\": \"least.r\"}",
        ),
        stage(
            "fade",
            "@in x: Grid<f32>; @inout r: Image",
            "cell: Cell) -> vec4f",
            "return vec4f(r(cell).yz, turn(r(cell).x + x(cell)), 1.0);",
            "inputs: {\"x\": \"mix.r\", \"r\": \"trail\"}",
        ),
        stage(
            "more",
            "@in amount: u32 = 4; @inout p: Particles{} -> {position: Vec, mark: f32}, emit amount",
            "particle: Particle) -> Result",
            "return Result(vec2f(f32(particle.serial % 12u) + 0.5, 0.5), f32(particle.serial % 7u));",
            "inputs: {\"p\": \"p\"}",
        ),
        stage(
            "move",
            "@in x: Grid<f32>; @inout p: Particles{position: Vec, mark: f32} -> {position: Vec, mark: f32}",
            "particle: Particle) -> Result",
            "let y = particle.position.y + particle.mark - 2.0 * floor(0.5 * particle.mark);\n\
             let x = particle.position.x + 1.0;\n\
             return Result(vec2f(x - select(0.0, 12.0, x > 12.0), y - select(0.0, 10.0, y > 10.0)), turn(particle.mark + x_at(particle.position)));",
            "inputs: {\"x\": \"push.r\", \"p\": \"more.p\"}",
        ),
        stage(
            "cull",
            "@inout p: Particles{mark: f32}, filter",
            "particle: Particle) -> bool",
            "return u32(particle.mark) % 7u != 3u;",
            "inputs: {\"p\": \"move.p\"}",
        ),
        r#""sort": (stage: "neighbors/fill", on: "d", inputs: {"particles": "cull.p"}),"#.into(),
        r#""look": (stage: "view/color_map", inputs: {"field": "mix.r"}, params: {"high": 256}),"#.into(),
        r#""screen": (output: (), inputs: {"image": "look.image"}),"#.into(),
        r#""trace": (output: (), inputs: {"image": "fade.r"}),"#.into(),
    ]
    .concat()
}

/// A wire of each kind.
pub(super) const KINDS: &[(&str, &str)] = &[
    ("a grid of numbers, in a stage that fuses", "push.r"),
    ("a stage with a radius", "near.r"),
    ("a stage that iterates", "sweeps.r"),
    ("a checkerboard sweep", "colors.r"),
    ("the grid beside a reduction", "most.r"),
    ("a maximum", "most.most"),
    ("a sum over a stage with a radius", "sum.r"),
    ("a minimum of particles", "least.r"),
    ("a scatter of cells", "peaks.r"),
    ("a scatter of particles", "hits.r"),
    ("a scan of whole numbers", "count.r"),
    ("a grid of vectors", "flow.r"),
    ("four packed halves", "tint.r"),
    ("faces", "faces.result"),
    ("a field at the cells of a domain", "wind.velocity@d"),
    ("inside a group", "g/first.r"),
    ("inside a group that iterates", "solve/sweep.x"),
    ("a number inside of it", "solve/sweep.left"),
    ("what a State becomes", "mix.r"),
    ("a State", "s.value"),
    ("a State of packed halves", "t.value"),
    ("an image that is a State", "trail.value"),
    ("an image", "look.image"),
    ("emitted particles", "more.p.mark"),
    ("positions", "move.p.position"),
    ("a count", "cull.p.count"),
    ("sorted particles", "sort.particles.mark"),
    ("a State of particles", "p.value"),
    ("an Output", "screen"),
    ("a number node", "clock.value"),
];
