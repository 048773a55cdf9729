//! Clip to Box
//! Keeps a depth image inside of a box: what sticks out in front comes to lie on its face, what is beside it goes. A liquid of
//! particles in a glass tank gets the flat sides that it has behind glass.
//! Source: ray and box by slabs, Kay and Kajiya, SIGGRAPH 1986.
//!
//! @in    camera: Camera                              Where the picture is taken from
//! @in    depth: Grid<f32>                            Depth along the axis of view [m]
//! @out   clipped: Grid<f32>, like depth              The same in the box; 3.4e38 where there is nothing [m]
//! @param low: vec3f = (0, 0, 0), soft -2..2          Corner with the least coordinates [m]
//! @param high: vec3f = (1, 1, 1), soft -2..2         The opposite corner [m]

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
