//! Pointer in Space
//! Where the pointer's ray meets a shape, a depth image or smoke, and how the hand moves there. A press that meets something starts a drag:
//! until the release, the position moves in the plane that faces the camera, through the position before. So the grabbed point stays under the pointer,
//! also while the camera turns. A press that meets nothing takes hold of nothing. In the frame of the release, `pressed` is 0 and `velocity` still that of the hand.
//! It stores its memory in a State, `(state: "vec4f", inputs: {"next": "hand.memory"})`, whose wire is `last`.
//! Set the node's `on` to the domain of the image.
//! Source: Hart, Sphere Tracing, 1996; the plane of a drag: Conner et al., Three-Dimensional Widgets, I3D 1992.
//! Keywords: mouse, drag, grab, hand, pick
//!
//! @over once
//! @in    camera: Camera                               Viewpoint of the image
//! @in    density: Grid<f32> = 0                       Density of smoke that can be touched, on a domain in space [1/m]
//! @in    depth: Grid<f32> = 3.4e38, flat              Depth image of what can be touched, along the axis of view [m]
//! @in    shape: Field<f32> = 1e9                      Signed distance of what can be touched [m]
//! @in    origin: vec3f                                Start of the ray, from Pointer Ray [m]
//! @in    direction: vec3f                             Its direction, a unit vector
//! @in    last: vec4f = 0                              Its memory from the previous frame, from the State
//! @out   over: f32                                    1 where a press would take hold, and during a drag; 0 until there is a pointer
//! @out   point: vec3f                                 The point that is touched or dragged [m]
//! @out   pressed: f32                                 1 during a drag
//! @out   velocity: vec3f                              Its velocity during a drag, otherwise 0 [m/s]
//! @out   memory: vec4f                                The position [m]; 0 no pointer yet, 1 during a drag, 2 pressed over nothing, 3 released
//! @param far: f32 = 20, 0.01.., soft 1..50            Longest distance from the camera [m]
//! @param opaque: f32 = 0.1, 0.0001.., soft 0.01..1    Smoke is touched where the density along the ray sums up to this
//! @param anywhere: bool = false                       Where the ray meets nothing, takes hold of the plane through `focus` that faces the camera
//! @param focus: vec3f = (0.5, 0.5, 0.5), soft -2..2, handle position    A point of that plane [m]
//! @param buttons: i32 = 1, 1..7                       Active buttons, as a sum: 1 left, 2 right, 4 middle

const SMOKE_STEPS = 256;
const NEAREST = 0.001;

fn stage() -> Result {
    let facing = camera()[2].xyz;
    let down = (i32(frame.buttons) & params.buttons) != 0;
    let before = last();
    if before.w == 1.0 {
        let place = on_plane(before.xyz, facing);
        let velocity = (place - before.xyz) / max(frame.dt, 1e-6);
        let held = select(0.0, 1.0, down);
        return Result(held, place, held, select(vec3f(), velocity, frame.dt > 0.0), vec4f(place, select(3.0, 1.0, down)));
    }
    // Without input the pointer rests in the middle of the image: that is no hand, and nothing shows that it could be grabbed.
    let present = before.w != 0.0 || down || any(frame.mouse != vec2f(0.5)) || any(frame.mouse_velocity != vec2f());
    var reach = params.far;
    if present { reach = touched(facing); }
    let met = reach < params.far;
    var place = origin() + min(reach, params.far) * direction();
    if !met && params.anywhere != 0 { place = on_plane(params.focus, facing); }
    let over = select(0.0, 1.0, present && (met || params.anywhere != 0));
    // A press that began elsewhere does not take hold when it comes across something.
    let starts = down && before.w != 2.0;
    let code = select(select(select(0.0, 3.0, present), 2.0, down), 1.0, starts && over > 0.0);
    return Result(select(over, 0.0, code == 2.0), place, select(0.0, 1.0, code == 1.0), vec3f(), vec4f(place, code));
}

// Where the ray meets the plane through a point that faces the camera.
fn on_plane(point: vec3f, facing: vec3f) -> vec3f {
    let slant = max(dot(direction(), facing), 1e-6);
    return origin() + direction() * (max(dot(point - origin(), facing), NEAREST) / slant);
}

// Smoke at a distance along the ray.
fn smoke(reach: f32) -> f32 {
    return max(density_at(origin() + reach * direction()), 0.0);
}

// Distance along the ray to the first thing that it meets.
fn touched(facing: vec3f) -> f32 {
    var nearest = 1e9;
    if shape_wired {
        var reach = 0.0;
        for (var i = 0; i < 200; i++) {
            let distance = shape(origin() + reach * direction());
            if distance < 0.0001 * max(reach, 0.1) {
                nearest = reach;
                break;
            }
            reach += distance;
            if reach > params.far { break; }
        }
    }
    if depth_wired {
        let cell = clamp(vec2i(floor(frame.mouse * vec2f(RESOLUTION.xy))), vec2i(0), vec2i(RESOLUTION.xy) - 1);
        nearest = min(nearest, depth(cell) / max(dot(direction(), facing), 1e-6));
    }
    if density_wired {
        let step = params.far / f32(SMOKE_STEPS);
        var passed = 0.0;
        // Four samples at a time, which memory answers together.
        for (var i = 0; i < SMOKE_STEPS; i += 4) {
            let place = (f32(i) + 0.5) * step;
            let first = passed + step * smoke(place);
            let second = first + step * smoke(place + step);
            let third = second + step * smoke(place + 2.0 * step);
            passed = third + step * smoke(place + 3.0 * step);
            if passed >= params.opaque {
                let less = f32(first < params.opaque) + f32(second < params.opaque) + f32(third < params.opaque);
                nearest = min(nearest, place + less * step);
                break;
            }
        }
    }
    return nearest;
}
