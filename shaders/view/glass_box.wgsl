//! Glass Box
//! Draws a box of glass panes over an image: reflections in the panes, and their edges. Use it once with `front` off before drawing
//! the contents, for the panes behind them, and once with it on afterwards, for those in front.
//! Source: ray and box by slabs, Kay and Kajiya, SIGGRAPH 1986; Schlick 1994.
//!
//! @in    camera: Camera                                             Viewpoint of the image
//! @in    sky: Field<vec3f>                                          Light by direction, from Environment
//! @in    depth: Grid<f32> = 3e38                                    Depth of objects that hide the box [m]
//! @inout image: Image                                               The image, in linear light
//! @param front: bool = true                                         Draw the panes in front instead of those behind
//! @param low: vec3f = (0, 0, 0), soft -2..2, handle position        Corner with the smallest coordinates [m]
//! @param high: vec3f = (1, 1, 1), soft -2..2, handle corner of low  The opposite corner [m]
//! @param edge: f32 = 0.008, 0.., soft 0..0.05                       Width of the edges [m]
//! @param edge_color: color = (0.55, 0.85, 0.80, 1)                  Colour of the edges; alpha is their opacity
//! @param shine: f32 = 0.6, 0..1                                     Strength of the panes' reflection

fn stage(cell: Cell) -> vec4f {
    let view = camera();
    let eye = camera_eye(view);
    let ray = camera_ray(view, screen(cell));
    let per_metre = 1.0 / select(ray, vec3f(1e-20), abs(ray) < vec3f(1e-20));
    let a = (params.low - eye) * per_metre;
    let b = (params.high - eye) * per_metre;
    let near = min(a, b);
    let far = max(a, b);
    let enters = max(max(near.x, near.y), near.z);
    let leaves = min(min(far.x, far.y), far.z);
    let at_front = params.front != 0;
    let reach = select(leaves, enters, at_front);
    let before = image(cell);
    let hidden = reach * dot(ray, view[2].xyz) > depth(cell) + 1e-3;
    if leaves < max(enters, 0.0) || reach <= 0.0 || hidden { return before; }
    let place = eye + reach * ray;
    // The pane that is met is the one whose slab decides; distances to the other two pairs of sides say how near an edge is.
    let slabs = abs(select(far, near, vec3<bool>(at_front)) - reach);
    var beside = min(place - params.low, params.high - place);
    if slabs.x <= min(slabs.y, slabs.z) { beside.x = 1e9; } else if slabs.y <= slabs.z { beside.y = 1e9; } else { beside.z = 1e9; }
    let normal = select(vec3f(), -sign(ray), beside > vec3f(1e8));
    let footprint = 2.0 * reach / (camera_scale(view, 1.0) * f32(RESOLUTION.y));
    let distance = min(min(beside.x, beside.y), beside.z);
    let edge = clamp((params.edge - distance) / footprint + 0.5, 0.0, 1.0) * min(params.edge / footprint, 1.0);
    // The box is open at the top.
    let open = normal.y != 0.0;
    let mirror = (0.04 + 0.96 * pow(1.0 - abs(dot(normal, ray)), 5.0)) * params.shine * select(1.0, 0.0, open || !at_front);
    let pane = mix(before.rgb, sky(reflect(ray, normal)), mirror);
    return vec4f(mix(pane, params.edge_color.rgb, edge * params.edge_color.a), before.a);
}
