//! Small pieces of generated WGSL: types and literals of vectors, their components, and the index of a cell's element.

use crate::graph::Domain;

/// What a component of a vector is called.
pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

/// WGSL's signed vector type of cells, and its float type of positions.
pub(super) fn cell_type(dim: u32) -> &'static str {
    if dim == 3 { "vec3i" } else { "vec2i" }
}

pub(super) fn position_type(dim: u32) -> &'static str {
    if dim == 3 { "vec3f" } else { "vec2f" }
}

/// The components of a space, as a swizzle.
pub(super) fn axes(dim: u32) -> &'static str {
    if dim == 3 { "xyz" } else { "xy" }
}

/// `vec2i(256, 128)`
pub(super) fn cell_literal(values: [i64; 3], dim: u32) -> String {
    let parts: Vec<String> = values.iter().take(dim as usize).map(i64::to_string).collect();
    format!("{}({})", cell_type(dim), parts.join(", "))
}

/// `vec2i(256, 128)`, from numbers of cells.
pub(super) fn cells_literal(values: [u32; 3], dim: u32) -> String {
    cell_literal(values.map(i64::from), dim)
}

/// A float that reads back as the same 32 bits.
pub(super) fn float(value: f64) -> String {
    let value = value as f32;
    if value.is_finite() { format!("{value:?}f") } else { "0.0f".into() }
}

/// The edges of a cell where cells are slices; else `CELL_SIZE` is all of them.
pub(super) fn cell_edges(domain: &Domain) -> Option<String> {
    domain.sliced?;
    let edges: Vec<String> = domain.edges().iter().take(domain.dim as usize).map(|edge| float(*edge)).collect();
    Some(format!("{}({})", position_type(domain.dim), edges.join(", ")))
}

/// The component of a vector along an axis that is known when the kernel runs, without an index that the shader compiler could not resolve.
pub(super) fn component(vector: &str, axis: &str, dim: u32) -> String {
    let pair = format!("select({vector}.x, {vector}.y, {axis} == 1)");
    if dim == 3 { format!("select({pair}, {vector}.z, {axis} == 2)") } else { pair }
}

/// The sum of a cell's coordinates, whose lowest bit is its colour.
pub(super) fn coordinate_sum(cell: &str, dim: u32) -> String {
    let parts: Vec<String> = COMPONENTS.iter().take(dim as usize).map(|axis| format!("{cell}.{axis}")).collect();
    parts.join(" + ")
}

/// `var _in = ..`: the cell of the colour, of two in a row. `pair`: which two.
pub(super) fn of_color(pair: &str, dim: u32) -> String {
    let rows = if dim == 3 { "_in.y + _in.z" } else { "_in.y" };
    format!("var _in = {pair}; _in.x = 2 * _in.x + (({rows} + params._color) & 1);")
}

/// The element of a cell (`cell` names it) in a grid of so many cells.
pub(super) fn element(cell: &str, resolution: [u32; 3], dim: u32) -> String {
    let [x, y, _] = resolution;
    match dim {
        3 => format!("({cell}.z * {y} + {cell}.y) * {x} + {cell}.x"),
        _ => format!("{cell}.y * {x} + {cell}.x"),
    }
}

/// A periodic cell: a mask for powers of two. SPIR-V leaves the remainder of a negative number open, and NVIDIA's is wrong, so
/// what lies below zero is mirrored to what does not, by the bits of its sign, and back.
pub(super) fn wrapped(cell: &str, n: [i64; 3], dim: u32) -> String {
    let whole = cell_literal(n, dim);
    if n.iter().take(dim as usize).all(|n| n.count_ones() == 1) {
        format!("({cell} & {})", cell_literal(n.map(|n| n - 1), dim))
    } else {
        let sign = format!("({cell} >> vec{dim}u(31u))");
        format!("(((({cell} ^ {sign}) % {whole}) ^ {sign}) + ({whole} & {sign}))")
    }
}

/// The nearest cell inside a grid of so many cells.
pub(super) fn clamped(cell: &str, n: [i64; 3], dim: u32) -> String {
    format!("clamp({cell}, {}(0), {})", cell_type(dim), cell_literal(n.map(|n| n - 1), dim))
}

/// `let _p = ..; let _c = ..;`: the cell that a cell shows in a mirror at the border.
pub(super) fn mirrored(cell: &str, n: [i64; 3], dim: u32) -> String {
    let period = n.map(|n| 2 * n);
    let p = wrapped(cell, period, dim);
    format!("let _p = {p}; let _c = min(_p, {} - _p);", cell_literal(period.map(|n| n - 1), dim))
}
