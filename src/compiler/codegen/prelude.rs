//! What every stage may use: types, constants and functions of the space that it runs in, each written only where a text needs it.
//!
//! ```wgsl
//! alias Cell = vec2i;
//! const RESOLUTION = vec2i(256, 128);
//! fn inside(cell: Cell) -> bool { return all(cell >= Cell(0)) && all(cell < RESOLUTION); }
//! ```

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::codegen::sides::{mask, periodic};
use crate::codegen::wgsl::{cell_edges, cell_literal, cell_type, component, float, position_type};
use crate::graph::Domain;
use crate::stage::syntax::{Token, TokenKind, module_names, tokens};
use crate::stage::types::{EdgeRule, ValueType};

/// Hash PCG-RXS-M-XS: O'Neill 2014; Jarzynski and Olano, JCGT 2020.
pub(crate) const PCG: &str = "fn _pcg(v: u32) -> u32 { let s = v * 747796405u + 2891336453u; let w = ((s >> ((s >> 28u) + 4u)) ^ s) * 277803737u; return (w >> 22u) ^ w; }";

/// Stochastic rounding to a half (Croci et al., Royal Society Open Science 9, 2022): up with the probability of what is lost by rounding
/// down, so that sums of small steps are right on average. A number that is a half stays itself. Steps are powers of two, which scale
/// exactly; the chance has one bit less than what is left of 24 behind the 11 digits of a half.
pub(crate) const HALF: &str = "fn _half(x: f32, element: u32, component: u32) -> f32 {
    let e = clamp((bitcast<u32>(x) >> 23u) & 255u, 113u, 254u);
    let chance = (2.0 * f32(_pcg(_pcg(4u * frame.index + component) ^ element) >> 20u) + 1.0) / 8192.0;
    let y = floor(x * bitcast<f32>((264u - e) << 23u) + chance) * bitcast<f32>((e - 10u) << 23u);
    return select(y, clamp(y, -65504.0, 65504.0), abs(x) < 65520.0);
}";

/// Two numbers in a word as [`HALF`] rounds them, with one random number for both.
pub(crate) const HALVES: &str = "fn _halves(x: vec2f, random: u32) -> u32 {
    let e = max(bitcast<vec2u>(x) & vec2u(0x7f800000u), vec2u(0x38800000u));
    let chance = (vec2f(vec2u(random & 0xffffu, random >> 16u)) + 0.5) / 65536.0;
    let y = floor(x * bitcast<vec2f>(0x84000000u - e) + chance) * bitcast<vec2f>(e - 0x05000000u);
    return pack2x16float(select(y, clamp(y, vec2f(-65504.0), vec2f(65504.0)), abs(x) < vec2f(65520.0)));
}";

/// The names of a text that the generator has something for.
#[derive(Default)]
pub(crate) struct UsedNames(BTreeSet<&'static str>);

/// What the prelude defines, and the variables that are declared where they are used.
static NAMES: LazyLock<FxHashSet<&'static str>> =
    LazyLock::new(|| DEFINED.into_iter().chain(["frame", "iteration", "substep"]).collect());

impl UsedNames {
    pub(crate) fn add_text(&mut self, text: &str) {
        self.add_words(tokens(text).iter().filter(|t| t.kind == TokenKind::Word).map(|t| t.text));
    }

    pub(crate) fn add_words<'a>(&mut self, words: impl Iterator<Item = &'a str>) {
        self.0.extend(words.filter_map(|word| NAMES.get(word).copied()));
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Names that a module declares itself, outside functions and structs.
pub(crate) fn declared<'a>(tokens: &[Token<'a>]) -> FxHashSet<&'a str> {
    module_names(tokens).into_iter().map(|name| name.text).collect()
}

/// The constants and helpers that `used` names, and what those need in turn. `ring`: how far one sweep of a tile looks, where the
/// kernel computes tiles, else 0. `confined`: whether the stage runs in blocks.
pub(crate) fn prelude(domain: &Domain, (ring, confined): (u32, bool), used: &mut UsedNames) -> String {
    let mut texts = [const { None::<String> }; DEFINED.len()];
    while let Some(index) = (0..DEFINED.len()).find(|i| texts[*i].is_none() && used.has(DEFINED[*i])) {
        let text = definition(DEFINED[index], domain, (ring, confined));
        used.add_text(&text);
        texts[index] = Some(text);
    }
    let mut out = String::new();
    for text in texts.into_iter().flatten() {
        let _ = writeln!(out, "{text}");
    }
    out
}

/// `wall_face` and the others: whether a face is at the border of the domain, and what is beyond it.
fn border_faces(domain: &Domain, ring: u32) -> [(&'static str, String); 4] {
    let picked = component("b", "axis", domain.dim);
    let at_border = |sides: [[bool; 2]; 3]| {
        let compared = ["(cell <= Cell(0))", "(cell >= RESOLUTION)"].map(String::from);
        let [lower, upper] = match sides {
            [[true, true], [true, true], [true, true]] => compared,
            _ => {
                let [lower, upper] = compared;
                let (first, last) = (sides.map(|[first, _]| first), sides.map(|[_, last]| last));
                [format!("({lower} & {})", mask(first, domain.dim)), format!("({upper} & {})", mask(last, domain.dim))]
            }
        };
        format!("let b = {lower} | {upper}; return {picked};")
    };
    // Where a tile lies inside the domain, the faces of a cell that is computed are no borders, and the shader compiler drops what asks
    // for them. A computed cell is so far from the tile's border.
    let near = match ring {
        0 => String::new(),
        _ => format!("if (_inside && all(cell >= _at) && all(cell <= _at + {ring})) {{ return false; }} "),
    };
    let face = |name: &'static str, rules: &[EdgeRule]| {
        let sides = domain.edge.are(rules);
        let body = if sides == [[false; 2]; 3] { "return false;".to_string() } else { at_border(sides) };
        (name, format!("fn {name}(cell: Cell, axis: i32) -> bool {{ {near}{body} }}"))
    };
    [
        face("wall_face", &[EdgeRule::Wall, EdgeRule::Clamp, EdgeRule::Mirror, EdgeRule::Inflow]),
        face("open_face", &[EdgeRule::Zero, EdgeRule::Open]),
        face("inflow_face", &[EdgeRule::Inflow]),
        face("mirror_face", &[EdgeRule::Mirror]),
    ]
}

/// `bin` and `displacement`: positions in a domain that may be periodic.
fn places(domain: &Domain, edges: &str) -> [(&'static str, String); 2] {
    let cells = cell_literal(domain.resolution.map(i64::from), domain.dim);
    let vec = position_type(domain.dim);
    let around = "clamp(Cell(floor((q - floor(q)) * Vec(RESOLUTION))), Cell(0), RESOLUTION - 1)";
    let near = format!("Cell(clamp(floor(position / {edges}), Vec(0.0), {vec}({cells} - 1)))");
    let shorter = "d - SIZE * round(d / SIZE)";
    let (bin, displacement) = match domain.edge.one() {
        Some(EdgeRule::Wrap) => {
            (format!("let q = position / SIZE; return {around};"), format!("let d = b - a; return {shorter};"))
        }
        None if domain.edge.has(EdgeRule::Wrap) => {
            let mask = mask(periodic(domain.edge), domain.dim);
            (
                format!("let q = position / SIZE; return select({near}, {around}, {mask});"),
                format!("let d = b - a; return select(d, {shorter}, {mask});"),
            )
        }
        _ => (format!("return {near};"), "return b - a;".to_string()),
    };
    [
        ("bin", format!("fn bin(position: Vec) -> Cell {{ {bin} }}")),
        ("displacement", format!("fn displacement(a: Vec, b: Vec) -> Vec {{ {displacement} }}")),
    ]
}

/// All names that have a definition, in the order in which definitions are written.
const DEFINED: [&str; 36] = [
    "Cell",
    "Vec",
    "Mat",
    "DIM",
    "FACES",
    "CELL_SIZE",
    "RESOLUTION",
    "SIZE",
    "unit",
    "face_axis",
    "face_normal",
    "neighbor",
    "position",
    "cell_at",
    "inside",
    "runs_in",
    "wall_face",
    "open_face",
    "inflow_face",
    "mirror_face",
    "FINEST",
    "WIDENING",
    "bin",
    "displacement",
    "random_at",
    "Camera",
    "screen",
    "pixel",
    "camera_eye",
    "camera_ray",
    "camera_project",
    "camera_scale",
    "random",
    "_half",
    "_halves",
    "_pcg",
];

/// The definition of a name of [`DEFINED`].
fn definition(name: &str, domain: &Domain, (ring, confined): (u32, bool)) -> String {
    let dim = domain.dim;
    let [x, y, z] = domain.resolution.map(i64::from);
    let h = domain.cell_size;
    let size = || domain.size().iter().take(dim as usize).map(|edge| float(*edge)).collect::<Vec<_>>().join(", ");
    let edges = || cell_edges(domain).unwrap_or_else(|| "CELL_SIZE".into());
    // An axis as a vector, without an index that the shader compiler could not resolve.
    let unit = || (0..dim).map(|d| format!("select(i32(0), 1, axis == {d})")).collect::<Vec<_>>().join(", ");
    let (finest, widening) = domain.finer.map_or((domain.resolution, 1), |finer| (finer.finest, finer.widening));
    let z_hash = if dim == 3 { " h = _pcg(h ^ u32(cell.z));" } else { "" };
    let of = |all: &[(&str, String)]| {
        all.iter().find(|(n, _)| *n == name).map_or_else(String::new, |(_, text)| text.clone())
    };
    match name {
        "Cell" => format!("alias Cell = {};", cell_type(dim)),
        "Vec" => format!("alias Vec = {};", position_type(dim)),
        "Mat" => format!("alias Mat = {};", ValueType::Mat.wgsl(dim)),
        "DIM" => format!("const DIM = {dim};"),
        "FACES" => format!("const FACES = {};", 2 * dim),
        "CELL_SIZE" => format!("const CELL_SIZE = {};", float(h)),
        "RESOLUTION" => format!("const RESOLUTION = {};", cell_literal([x, y, z], dim)),
        "SIZE" => format!("const SIZE = {}({});", position_type(dim), size()),
        "unit" => format!("fn unit(axis: i32) -> Cell {{ return Cell({}); }}", unit()),
        "face_axis" => "fn face_axis(face: i32) -> i32 { return face >> 1u; }".into(),
        "face_normal" => "fn face_normal(face: i32) -> Vec { return Vec(unit(face >> 1u)) * f32((face & 1) * 2 - 1); }".into(),
        "neighbor" => "fn neighbor(cell: Cell, face: i32) -> Cell { return cell + unit(face >> 1u) * ((face & 1) * 2 - 1); }".into(),
        "position" => format!("fn position(cell: Cell) -> Vec {{ return (Vec(cell) + 0.5) * {}; }}", edges()),
        "cell_at" => format!("fn cell_at(position: Vec) -> Cell {{ return Cell(floor(position / {})); }}", edges()),
        "inside" => "fn inside(cell: Cell) -> bool { return all(cell >= Cell(0)) && all(cell < RESOLUTION); }".into(),
        "runs_in" => format!("fn runs_in(cell: Cell) -> bool {{ return {}; }}", if confined { "_covered(cell)" } else { "true" }),
        "FINEST" => format!("const FINEST = {};", cell_literal(finest.map(i64::from), dim)),
        "WIDENING" => format!("const WIDENING = {widening};"),
        "random_at" =>
            "fn random_at(number: u32, salt: u32) -> f32 { let h = _pcg(_pcg(salt ^ _pcg(frame.seed)) ^ number); return f32(h >> 8u) / 16777216.0; }".into(),
        "Camera" => "alias Camera = mat4x4f;".into(),
        "screen" => format!("fn screen(cell: vec2i) -> vec2f {{ return (vec2f(cell) + 0.5 - vec2f({x}.0, {y}.0) / 2.0) / {}; }}", float(y as f64 / 2.0)),
        "pixel" => format!("fn pixel(point: vec2f) -> vec2f {{ return point * {} + vec2f({x}.0, {y}.0) / 2.0; }}", float(y as f64 / 2.0)),
        "camera_eye" => "fn camera_eye(camera: mat4x4f) -> vec3f { return camera[3].xyz; }".into(),
        "camera_ray" =>
            "fn camera_ray(camera: mat4x4f, point: vec2f) -> vec3f { return normalize(camera[2].xyz + camera[0].w * (point.x * camera[0].xyz + point.y * camera[1].xyz)); }".into(),
        "camera_project" =>
            "fn camera_project(camera: mat4x4f, position: vec3f) -> vec3f { let d = position - camera[3].xyz; let depth = dot(d, camera[2].xyz); return vec3f(vec2f(dot(d, camera[0].xyz), dot(d, camera[1].xyz)) / (camera[0].w * depth), depth); }".into(),
        "camera_scale" => "fn camera_scale(camera: mat4x4f, depth: f32) -> f32 { return 1.0 / (camera[0].w * depth); }".into(),
        "random" =>
            format!(
                "fn random(cell: Cell, salt: u32) -> f32 {{ var h = _pcg(salt ^ _pcg(frame.seed)); h = _pcg(h ^ u32(cell.x)); h = _pcg(h ^ u32(cell.y));{z_hash} return f32(h >> 8u) / 16777216.0; }}"
            ),
        "_half" => HALF.into(),
        "_halves" => HALVES.into(),
        "_pcg" => PCG.into(),
        "wall_face" | "open_face" | "inflow_face" | "mirror_face" => of(&border_faces(domain, ring)),
        _ => of(&places(domain, &edges())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::edges::Edges;
    use crate::stage::language::{self, Kind};

    /// No port and nothing of a stage's own may be named like what the prelude defines.
    #[test]
    fn the_prelude_defines_what_the_table_of_words_says() {
        let any = |dim, edge| {
            let name = String::new();
            Domain { name, dim, resolution: [4; 3], cell_size: 1.0, edge, finer: None, sliced: None }
        };
        for domain in [any(2, Edges::default()), any(3, Edges::uniform(EdgeRule::Wrap))] {
            let all = DEFINED.map(|name| (name, definition(name, &domain, (0, false))));
            for (name, text) in &all {
                assert!(name.starts_with('_') || language::is_prelude(name), "`{name}` can be declared twice");
                assert_eq!(declared(&tokens(text)), FxHashSet::from_iter([*name]), "{text}");
            }
            for usage in language::FUNCTIONS {
                let (name, arguments) = usage.split_once('(').unwrap();
                let text = all.iter().find(|(n, _)| *n == name).map_or("", |(_, text)| text.as_str());
                let written = text.split(['(', ')']).nth(1).unwrap_or_default().split(", ");
                let names: Vec<&str> = written.map(|argument| argument.split(':').next().unwrap()).collect();
                assert_eq!(names.join(", ") + ")", arguments, "{text}");
            }
            let kinds = [("alias", Kind::Alias), ("const", Kind::Constant), ("fn", Kind::Function)];
            for (keyword, kind) in kinds {
                let is_defined = |name: &&str| all.iter().any(|(n, text)| n == name && text.starts_with(keyword));
                assert_eq!(language::words(kind).find(|name| !is_defined(name)), None, "{keyword}");
            }
        }
    }
}
