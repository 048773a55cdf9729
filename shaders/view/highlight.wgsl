//! Highlight
//! A bright rim on the image of a shape, such as one that the pointer can grab:  image + amount color (0.04 + (1 - n.v)^3).
//! Depth and normals come from Shape View.
//! Source: Schlick 1994 (rim).
//! Keywords: hover, rim, selection
//!
//! @in    image: Image                                The image of the scene
//! @in    normal: Grid<vec3f>, flat                   Outward unit vectors, zero where there is nothing
//! @in    depth: Grid<f32>, flat                      Depth along the axis of view [m]
//! @in    camera: Camera                              Viewpoint of the image
//! @in    amount: f32                                 How strongly; 0 leaves the image as it is
//! @in    shape: Field<f32> = 0                       Only where this signed distance is near 0 [m]
//! @out   result: Image                               The image with the rim
//! @param color: color = (0.8, 0.62, 0.3, 1)          Light of the rim
//! @param tolerance: f32 = 0.01, 0.., soft 0..0.1     How near [m]

fn stage(cell: Cell) -> vec4f {
    let before = image(cell);
    let outward = normal(cell);
    if amount() <= 0.0 || dot(outward, outward) < 0.25 { return before; }
    let view = camera();
    let ray = camera_ray(view, screen(cell));
    if shape_wired {
        let place = camera_eye(view) + ray * (depth(cell) / max(dot(ray, view[2].xyz), 1e-6));
        if abs(shape(place)) > params.tolerance { return before; }
    }
    let rim = 1.0 - clamp(-dot(outward, ray), 0.0, 1.0);
    return before + amount() * vec4f(params.color.rgb * (0.04 + rim * rim * rim), 0.0);
}
