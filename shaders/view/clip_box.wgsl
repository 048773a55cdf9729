//! Clip to Box
//! Clips a depth image to a box: what protrudes in front is moved onto its face, what is beside it is removed. A liquid of
//! particles in a glass tank gets flat sides like behind glass.
//! Source: ray and box by slabs, Kay and Kajiya, SIGGRAPH 1986.
//!
//! @in    camera: Camera                                             Viewpoint of the image
//! @in    depth: Grid<f32>                                           Depth along the axis of view [m]
//! @out   clipped: Grid<f32>, like depth                             The clipped depth; 3.4e38 where there is nothing [m]
//! @param low: vec3f = (0, 0, 0), soft -2..2, handle position        Corner with the smallest coordinates [m]
//! @param high: vec3f = (1, 1, 1), soft -2..2, handle corner of low  The opposite corner [m]

const NOTHING = 3.4e38;

fn stage(cell: Cell) -> f32 {
    let depth = depth(cell);
    if depth > 1e30 { return NOTHING; }
    let view = camera();
    let ray = camera_ray(view, screen(cell));
    let per_metre = 1.0 / select(ray, vec3f(1e-20), abs(ray) < vec3f(1e-20));
    let a = (params.low - camera_eye(view)) * per_metre;
    let b = (params.high - camera_eye(view)) * per_metre;
    let near = min(a, b);
    let far = max(a, b);
    let enters = max(max(near.x, near.y), near.z);
    let leaves = min(min(far.x, far.y), far.z);
    if leaves < max(enters, 0.0) { return NOTHING; }
    return clamp(depth, enters * dot(ray, view[2].xyz), leaves * dot(ray, view[2].xyz));
}
