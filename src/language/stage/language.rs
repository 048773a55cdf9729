//! The words of the stage language, in one table. Reserved names, the prelude, the analyses, the editor's colours and
//! the tables of `docs/stage_language.md` are derived from it or tested against it. WGSL's own names follow after it.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use naga::keywords::wgsl::{BUILTIN_IDENTIFIERS, RESERVED};

/// The role of a word. A word may have several: `clamp` is an edge rule and a function of WGSL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A keyword of WGSL.
    Keyword,
    /// The type of one value, in a header and in the text.
    ValueType,
    /// The type of a port, in a header.
    PortType,
    /// The type of a parameter, in a header.
    ParamType,
    /// A type that the prelude defines.
    Alias,
    /// A letter that stands for the value type that a wire binds.
    Generic,
    /// A struct that the compiler generates for a stage.
    Struct,
    /// A constant that the prelude defines.
    Constant,
    /// A variable of the module that counts iterations.
    Counter,
    /// A uniform block.
    Block,
    /// The conventional name of the function's argument.
    Argument,
    /// A function that the compiler calls or generates.
    Entry,
    /// A function that the prelude defines.
    Function,
    /// A declaration in a header, after `@`.
    Directive,
    /// An option of a port or a parameter.
    Option,
    /// What lies beyond the edge of a grid.
    EdgeRule,
    /// How values are reduced to a number, or which value a scatter keeps.
    Reduction,
    /// What a parameter is in space, after `handle`.
    Role,
    /// A value of `@over` and `@sweep`.
    Setting,
    /// A member of this variable.
    Member(&'static str),
}

/// All words of the language, by kind.
pub const WORDS: &[(Kind, &[&str])] = &[
    (
        Kind::Keyword,
        &[
            "alias",
            "break",
            "case",
            "const",
            "const_assert",
            "continue",
            "continuing",
            "default",
            "diagnostic",
            "discard",
            "else",
            "enable",
            "false",
            "fn",
            "for",
            "if",
            "in",
            "let",
            "loop",
            "override",
            "requires",
            "return",
            "struct",
            "switch",
            "true",
            "var",
            "while",
        ],
    ),
    (Kind::ValueType, &["f32", "i32", "u32", "bool", "vec2f", "vec3f", "vec4f"]),
    (Kind::PortType, &["Camera", "Field", "FaceGrid", "Grid", "Image", "NeighborGrid", "Particles"]),
    (Kind::ParamType, &["bool", "color", "curve", "gradient", "formula"]),
    (Kind::Alias, &["Camera", "Cell", "Mat", "Vec"]),
    (Kind::Generic, &["T"]),
    (Kind::Struct, &["Frame", "Params", "Particle", "Result"]),
    (Kind::Constant, &["CELL_SIZE", "DIM", "FACES", "FINEST", "RESOLUTION", "SIZE", "WIDENING"]),
    (Kind::Counter, &["iteration", "substep"]),
    (Kind::Block, &["frame", "params"]),
    (Kind::Argument, &["cell", "particle"]),
    (Kind::Entry, &["main", "stage"]),
    (
        Kind::Function,
        &[
            "bin",
            "camera_eye",
            "camera_project",
            "camera_ray",
            "camera_scale",
            "cell_at",
            "displacement",
            "face_axis",
            "face_normal",
            "inflow_face",
            "inside",
            "mirror_face",
            "neighbor",
            "open_face",
            "pixel",
            "position",
            "random",
            "random_at",
            "runs_in",
            "screen",
            "unit",
            "wall_face",
        ],
    ),
    (Kind::Directive, &["in", "out", "inout", "param", "over", "sweep", "iterations", "use"]),
    (
        Kind::Option,
        &[
            "balanced", "connect", "edge", "emit", "expect", "filter", "fixed", "flat", "gather", "half", "handle",
            "like", "nearest", "open", "put", "radius", "reduce", "scan", "scatter", "slices", "soft", "steady", "sum",
            "table", "velocity",
        ],
    ),
    (Kind::EdgeRule, &["wall", "clamp", "zero", "wrap", "mirror", "open", "inflow"]),
    (Kind::Reduction, &["max", "min", "sum"]),
    (
        Kind::Role,
        &["position", "radius", "box", "corner", "direction", "vector", "plane", "azimuth", "elevation", "distance"],
    ),
    (Kind::Setting, &["checkerboard", "once"]),
    (Kind::Member("frame"), &["time", "dt", "index", "seed", "mouse", "mouse_velocity", "buttons", "keys"]),
    (Kind::Member("particle"), &["index", "serial", "count"]),
];

/// Functions of the prelude with their arguments.
pub const FUNCTIONS: &[&str] = &[
    "bin(position)",
    "camera_eye(camera)",
    "camera_project(camera, position)",
    "camera_ray(camera, point)",
    "camera_scale(camera, depth)",
    "cell_at(position)",
    "displacement(a, b)",
    "face_axis(face)",
    "face_normal(face)",
    "inflow_face(cell, axis)",
    "inside(cell)",
    "mirror_face(cell, axis)",
    "neighbor(cell, face)",
    "open_face(cell, axis)",
    "pixel(point)",
    "position(cell)",
    "random(cell, salt)",
    "random_at(number, salt)",
    "runs_in(cell)",
    "screen(cell)",
    "unit(axis)",
    "wall_face(cell, axis)",
];

/// Functions of WGSL that stages may call, with their arguments.
pub const WGSL_FUNCTIONS: &[&str] = &[
    "abs(x)",
    "acos(x)",
    "all(v)",
    "any(v)",
    "asin(x)",
    "atan(x)",
    "atan2(y, x)",
    "bitcast<..>",
    "ceil(x)",
    "clamp(x, low, high)",
    "cos(x)",
    "cosh(x)",
    "countOneBits(x)",
    "cross(a, b)",
    "degrees(x)",
    "determinant(m)",
    "distance(a, b)",
    "dot(a, b)",
    "exp(x)",
    "exp2(x)",
    "faceForward(n, v, reference)",
    "firstLeadingBit(x)",
    "firstTrailingBit(x)",
    "floor(x)",
    "fma(a, b, c)",
    "fract(x)",
    "inverseSqrt(x)",
    "length(v)",
    "log(x)",
    "log2(x)",
    "max(a, b)",
    "min(a, b)",
    "mix(a, b, t)",
    "normalize(v)",
    "pow(x, y)",
    "radians(x)",
    "reflect(v, normal)",
    "refract(v, normal, ratio)",
    "round(x)",
    "saturate(x)",
    "select(otherwise, value, condition)",
    "sign(x)",
    "sin(x)",
    "sinh(x)",
    "smoothstep(low, high, x)",
    "sqrt(x)",
    "step(edge, x)",
    "tan(x)",
    "tanh(x)",
    "transpose(m)",
    "trunc(x)",
];

/// Types of WGSL beyond those of ports.
pub const WGSL_TYPES: &[&str] =
    &["array<..>", "mat2x2f", "mat3x3f", "mat4x4f", "vec2i", "vec3i", "vec4i", "vec2u", "vec3u", "vec4u"];

static KINDS: LazyLock<HashMap<&'static str, Vec<Kind>>> = LazyLock::new(|| {
    let mut kinds = HashMap::<_, Vec<Kind>>::new();
    for (kind, words) in WORDS {
        words.iter().for_each(|word| kinds.entry(*word).or_default().push(*kind));
    }
    kinds
});

/// All roles of a word in the stage language; empty for other words.
pub fn kinds(word: &str) -> &'static [Kind] {
    KINDS.get(word).map_or(&[], Vec::as_slice)
}

/// Whether a word is of a kind.
pub fn is(word: &str, kind: Kind) -> bool {
    kinds(word).contains(&kind)
}

/// The words of one kind, in the order of the table.
pub fn words(kind: Kind) -> impl Iterator<Item = &'static str> {
    WORDS.iter().filter(move |(of, _)| *of == kind).flat_map(|(_, words)| words.iter().copied())
}

/// Whether the compiler declares this name at module scope when the text of a stage contains it.
pub fn is_prelude(name: &str) -> bool {
    kinds(name).iter().any(|kind| matches!(kind, Kind::Alias | Kind::Constant | Kind::Function))
}

/// A number that the compiler declares at module scope.
pub(crate) fn is_module_number(name: &str) -> bool {
    kinds(name).iter().any(|kind| matches!(kind, Kind::Constant | Kind::Counter))
}

/// Whether the name has a meaning in the text of a stage, so that no port or parameter may have it. `particle` is
/// reserved only where the function's argument has this name and would hide the port.
pub(crate) fn is_reserved_for_ports(name: &str) -> bool {
    let variable = |kind: &Kind| matches!(kind, Kind::Counter | Kind::Block | Kind::Argument | Kind::Entry);
    is_prelude(name) || name == "in" || (name != "particle" && kinds(name).iter().any(variable))
}

pub(crate) fn is_member_of_particle(name: &str) -> bool {
    is(name, Kind::Member("particle"))
}

/// The declarations of a header as a phrase: `@in, @out or @inout`.
pub(crate) fn directives() -> String {
    let all: Vec<String> = words(Kind::Directive).map(|word| format!("@{word}")).collect();
    match all.split_last() {
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// Whether a name is in `lower_snake_case`, as ports, parameters and attributes must be.
pub fn is_snake_case(name: &str) -> bool {
    let part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase()) && name.chars().all(part)
}

/// Names that naga resolves beyond its own list of predeclared names.
const FURTHER: [&str; 9] = [
    "binding_array",
    "acceleration_structure",
    "ray_query",
    "inverse",
    "outerProduct",
    "isNan",
    "isInf",
    "subgroupBarrier",
    "coopMultiplyAdd",
];

/// Address spaces and access modes in generated text. In naga, a declaration of such a name at module scope hides them.
const MEMORY: [&str; 7] = ["read", "read_write", "function", "private", "workgroup", "uniform", "storage"];

/// Built-in functions and types of WGSL that generated text uses; a port of such a name would hide them. A test checks
/// this against everything that generates text.
const TAKEN: [&str; 48] = [
    "abs",
    "all",
    "any",
    "array",
    "atomic",
    "atomicAdd",
    "atomicExchange",
    "atomicLoad",
    "atomicMax",
    "atomicMin",
    "atomicOr",
    "atomicStore",
    "bitcast",
    "bool",
    "ceil",
    "clamp",
    "dot",
    "f32",
    "firstTrailingBit",
    "floor",
    "fract",
    "i32",
    "mat2x2f",
    "mat3x3f",
    "mat4x4f",
    "max",
    "min",
    "mix",
    "normalize",
    "pack2x16float",
    "pack4x8unorm",
    "pow",
    "round",
    "select",
    "sqrt",
    "storageBarrier",
    "u32",
    "unpack2x16float",
    "vec2",
    "vec2f",
    "vec2i",
    "vec2u",
    "vec3f",
    "vec3i",
    "vec3u",
    "vec4f",
    "vec4u",
    "workgroupBarrier",
];

/// All except `write`, an access mode that generated text does not use, and a useful name for a function.
static PREDECLARED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let all = BUILTIN_IDENTIFIERS.iter().chain(&FURTHER).copied();
    all.filter(|name| *name != "write").collect()
});

/// Whether WGSL declares a name itself, and a declaration of it at module scope would change the meaning of generated
/// text.
pub fn is_predeclared(name: &str) -> bool {
    PREDECLARED.contains(name) || is_short_type(name)
}

/// Short names of vectors and matrices, such as `vec3f` and `mat2x4h`.
fn is_short_type(name: &str) -> bool {
    let long = |text: &str| text.len() > "vec".len() && PREDECLARED.contains(text);
    let vector = name.strip_suffix(['f', 'i', 'u', 'h']).is_some_and(|text| text.starts_with("vec") && long(text));
    vector || name.strip_suffix(['f', 'h']).is_some_and(|text| text.starts_with("mat") && long(text))
}

/// Whether generated text uses this WGSL name.
pub fn is_used_by_generated_text(name: &str) -> bool {
    TAKEN.contains(&name)
}

/// Whether a function of this name at module scope would hide an address space or access mode.
pub fn is_memory_word(name: &str) -> bool {
    MEMORY.contains(&name)
}

/// Whether WGSL reserves a word, so that it cannot be a name.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// The remedy for a function that works across invocations, which stages may not call; `None` for any other name.
pub(crate) fn across_invocations(name: &str) -> Option<&'static str> {
    // All of these are long words, and most words are not.
    if name.len() < "quadAny".len() {
        return None;
    }
    let family =
        |start: &str| name.strip_prefix(start).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()));
    let barrier = ["storageBarrier", "textureBarrier", "workgroupBarrier", "workgroupUniformLoad"].contains(&name);
    if barrier || name == "subgroupBarrier" {
        return Some("a stage can't wait for other invocations; split it into two stages");
    }
    if family("subgroup") || family("quad") {
        return Some("the compiler decides which invocations run together; read neighbouring cells through a port");
    }
    family("atomic").then_some("a stage has no shared memory; declare an @out with `scatter` or `reduce`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_word_stands_twice_in_the_table() {
        let mut seen = HashSet::new();
        for (kind, words) in WORDS {
            for word in *words {
                assert!(seen.insert((kind, word)), "{word} is {kind:?} twice");
            }
        }
    }

    #[test]
    fn functions_have_their_arguments() {
        let name = |usage: &'static str| usage.split(['(', '<']).next().unwrap();
        assert!(FUNCTIONS.iter().map(|usage| name(usage)).eq(words(Kind::Function)));
        let unknown: Vec<_> = WGSL_FUNCTIONS.iter().chain(WGSL_TYPES).filter(|u| !is_predeclared(name(u))).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    /// The table of names in the manual.
    fn manual() -> String {
        let titles = [
            (Kind::Argument, "the function's argument, by convention"),
            (Kind::Entry, "functions that the compiler calls or generates"),
            (Kind::Function, "functions"),
            (Kind::Constant, "constants"),
            (Kind::Counter, "counters"),
            (Kind::Block, "uniform blocks"),
            (Kind::Member("frame"), "members of `frame`"),
            (Kind::Member("particle"), "members of `particle`"),
            (Kind::Alias, "types of values"),
            (Kind::Generic, "a generic type"),
            (Kind::Struct, "structs that the compiler generates"),
            (Kind::ValueType, "types of values, of WGSL"),
            (Kind::PortType, "types of ports"),
            (Kind::ParamType, "types of parameters"),
            (Kind::Directive, "declarations of a header"),
            (Kind::Option, "options"),
            (Kind::EdgeRule, "edge rules"),
            (Kind::Reduction, "reductions"),
            (Kind::Role, "roles of a `handle`"),
            (Kind::Setting, "of `@over` and `@sweep`"),
        ];
        let mut out = "| names | |\n|---|---|\n".to_string();
        for (kind, title) in titles {
            let names: Vec<String> = words(kind).map(|word| format!("`{word}`")).collect();
            out += &format!("| {title} | {} |\n", names.join(" "));
        }
        let listed = |kind: &Kind| titles.iter().any(|(titled, _)| titled == kind);
        assert!(WORDS.iter().all(|(kind, _)| *kind == Kind::Keyword || listed(kind)), "every kind has its row");
        out
    }

    use stagewright_manuals::STAGE_LANGUAGE as MANUAL;

    #[test]
    fn the_manual_lists_the_names_of_the_table() {
        let table = manual();
        assert!(MANUAL.contains(&table), "docs/stage_language.md has to contain\n\n{table}");
    }

    #[test]
    fn keywords_are_those_of_wgsl() {
        let unknown: Vec<_> = words(Kind::Keyword).filter(|word| !is_reserved(word) && *word != "in").collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }

    #[test]
    fn names_of_wgsl_are_known() {
        for name in
            ["i32", "vec2", "vec3f", "mat4x4h", "mat2x3", "array", "clamp", "textureLoad", "inverse", "read", "storage"]
        {
            assert!(is_predeclared(name), "{name}");
        }
        for name in ["vec5f", "vecf", "vec3x", "mat4", "mat4x4i", "my_clamp", "normal", "write", "f", "Vec"] {
            assert!(!is_predeclared(name), "{name}");
        }
    }

    #[test]
    fn functions_across_invocations_are_known() {
        for name in ["workgroupBarrier", "workgroupUniformLoad", "subgroupAdd", "quadSwapX", "atomicAdd"] {
            assert!(across_invocations(name).is_some(), "{name}");
        }
        for name in ["subgroups", "quadratic", "atomic", "barrier"] {
            assert!(across_invocations(name).is_none(), "{name}");
        }
    }
}
