//! Bend of a surface
//! Where the surface of a shape has edges. Reads the field `shape` and `params.sharpness`.

// 1 on smooth surfaces, 0 around edges: where the distance bends within a quarter of the width.
fn smoothness(position: Vec, distance: f32, width: f32) -> f32 {
    let reach = 0.25 * width;
    var around = 0.0;
    for (var face = 0; face < FACES; face++) { around += shape(position + reach * face_normal(face)); }
    let bend = abs(around - f32(FACES) * distance) / reach;
    return 1.0 - smoothstep(0.5 * params.sharpness, params.sharpness, bend);
}
