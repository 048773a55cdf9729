//! Vessel Body
//! The front of a round glass vessel in the image: position, normal and depth. The vessel's centre is that of
//! the image.
//! Source: none, a surface of revolution  x^2 + z^2 = R(y)^2.
//!
//! @in    vessel: Field<f32>                    Signed distance to the inside of the vessel [m]
//! @in    girth: Grid<vec2f>                    Its radius by row [m], and the slope of the radius
//! @in    place: Field<Vec>                     From the image to the frame of the vessel [m]
//! @in    background: Image                     The image's domain
//! @out   body: Grid<vec4f>, like background    x and y of the unit normal in the image; signed distance and half the inner depth, in metres
//! @param glass: f32 = 0.0025, 0.., soft 0..0.01     Thickness of the glass [m]

fn stage(cell: Cell) -> vec4f {
    let p = position(cell);
    let q = place(p);
    let distance = vessel(q);
    let middle = place(0.5 * SIZE);
    let across = place(0.5 * SIZE + Vec(unit(0))) - middle;
    let upward = place(0.5 * SIZE + Vec(unit(1))) - middle;

    let x = q.x - middle.x;
    let profile = girth_at(q);
    let inner = profile.x;
    let outer = max(profile.x + params.glass * sqrt(1.0 + profile.y * profile.y), 1e-6);
    let z = sqrt(max(outer * outer - x * x, 0.0));
    var facing = vec3f(x, -outer * profile.y, z);
    facing /= max(length(facing), 1e-9);
    var flat = Vec();
    flat.x = facing.x;
    flat.y = facing.y;
    let normal = vec2f(dot(flat, across), dot(flat, upward));
    return vec4f(normal, distance, sqrt(max(inner * inner - x * x, 0.0)));
}
