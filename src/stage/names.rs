//! Names that a stage may not declare: those of WGSL, which generated text relies on, and those of the stage language.

use std::collections::HashSet;
use std::sync::LazyLock;

use naga::keywords::wgsl::{BUILTIN_IDENTIFIERS, RESERVED};

/// What naga resolves beyond its own list of predeclared names.
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

/// Predeclared names that only have a meaning inside of `var<..>` and of texture types, where nothing can hide it.
const ENUMERANTS: [&str; 8] = ["read", "write", "read_write", "function", "private", "workgroup", "uniform", "storage"];

/// What the prelude defines for any stage that names it. A test of the prelude holds the two together.
pub const PRELUDE: [&str; 29] = [
    "CELL_SIZE",
    "Camera",
    "Cell",
    "DIM",
    "FACES",
    "FINEST",
    "RESOLUTION",
    "SIZE",
    "Vec",
    "WIDENING",
    "bin",
    "camera_eye",
    "camera_project",
    "camera_ray",
    "camera_scale",
    "cell_at",
    "displacement",
    "face_axis",
    "face_normal",
    "inside",
    "neighbor",
    "open_face",
    "pixel",
    "position",
    "random",
    "random_at",
    "screen",
    "unit",
    "wall_face",
];

/// Built-in functions and types of WGSL that generated text uses; a port of that name would hide them. A test goes through all that
/// generates text.
const TAKEN: [&str; 44] = [
    "abs",
    "all",
    "any",
    "array",
    "atomic",
    "atomicAdd",
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

/// Variables and functions of the stage language that are not the prelude's.
const LANGUAGE: [&str; 8] = ["cell", "stage", "params", "frame", "iteration", "substep", "in", "main"];

static PREDECLARED: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    let all = BUILTIN_IDENTIFIERS.iter().chain(&FURTHER).copied();
    all.filter(|name| !ENUMERANTS.contains(name)).collect()
});

/// Whether WGSL declares a name itself, and a declaration of it at module scope would change what generated text means.
pub fn is_predeclared(name: &str) -> bool {
    PREDECLARED.contains(name) || is_short_type(name)
}

/// `vec3f`, `mat2x4h`: short names of vectors and matrices.
fn is_short_type(name: &str) -> bool {
    let long = |text: &str| text.len() > "vec".len() && PREDECLARED.contains(text);
    let vector = name.strip_suffix(['f', 'i', 'u', 'h']).is_some_and(|text| text.starts_with("vec") && long(text));
    vector || name.strip_suffix(['f', 'h']).is_some_and(|text| text.starts_with("mat") && long(text))
}

/// Whether generated text uses a name of WGSL.
pub fn is_taken(name: &str) -> bool {
    TAKEN.contains(&name)
}

/// Whether WGSL reserves a word, so that nothing may be named so.
pub fn is_reserved(name: &str) -> bool {
    RESERVED.contains(&name)
}

/// Whether the stage language gives a name a meaning of its own, so that no port or parameter may have it.
pub fn is_language(name: &str) -> bool {
    LANGUAGE.contains(&name) || is_prelude(name)
}

/// Whether the compiler declares a name at module scope as soon as the text of a stage holds it.
pub fn is_prelude(name: &str) -> bool {
    PRELUDE.contains(&name)
}

/// The remedy for a function that works across invocations, which no stage may call; `None` for any other name.
pub fn across_invocations(name: &str) -> Option<&'static str> {
    // All of them are long words, and most words are not.
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
    fn names_of_wgsl_are_known() {
        for name in ["i32", "vec2", "vec3f", "mat4x4h", "mat2x3", "array", "clamp", "textureLoad", "inverse"] {
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
