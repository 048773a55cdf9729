//! Fractions View
//! Raw fractions, as shown in the article: fluid f blue, fluid g red, walls grey. An overfull cell is brighter than
//! the colour, an underfull one darker. Values that are not finite are green.
//! Source: saharan, oil clock article, 2016.
//!
//! @in    fractions: Grid<vec2f>               V_f and V_g
//! @in    open: Grid<f32> = 1                  1 in cells that fluid can fill, 0 in walls
//! @out   image: Image, like fractions         The image
//! @param color_f: color = (0.02, 0.08, 0.9, 1)     Colour of fluid f
//! @param color_g: color = (0.9, 0.04, 0.03, 1)     Colour of fluid g
//! @param wall: color = (0.2, 0.2, 0.2, 1)          Colour of walls
//! @use shared/finite

fn stage(cell: Cell) -> vec4f {
    if open(cell) == 0.0 { return params.wall; }
    let v = fractions(cell);
    if !is_finite(v.x) || !is_finite(v.y) { return vec4f(0.0, 1.0, 0.0, 1.0); }
    return vec4f(clamp(v.x * params.color_f.rgb + v.y * params.color_g.rgb, vec3f(), vec3f(1.0)), 1.0);
}
