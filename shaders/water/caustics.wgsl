//! Caustics
//! Sunlight on the floor under a liquid. The liquid is rendered from the sun, by a far camera with a narrow view; each pixel's light, in
//! four parts, is refracted by Snell's law at the surface, continues straight to the floor, and is summed where it
//! arrives. Light that meets no liquid continues straight, so the mean is 1: a coarse photon map with one refraction.
//! Light that a shape blocks on either part of the path is missing: its shadow. Blur the sum a little. Its domain is the floor, with the image's own cells and the floor's size in metres.
//! Source: Shah, Konttinen and Pattanaik, Caustics Mapping, IEEE TVCG 13(2), 2007.
//!
//! @in    camera: Camera                              The sun as a camera
//! @in    depth: Grid<f32>                            Smoothed depth of the liquid from the sun [m]
//! @in    normal: Grid<vec3f>                         Its normals
//! @in    shape: Field<f32> = 1e9                     Signed distance to the objects that cast a shadow [m]
//! @out   light: Grid<f32>, scatter 16, like depth    Sunlight on the floor by x and z, 1 without refraction
//! @param low: vec2f = (0, 0), soft -4..4             Lower corner of the floor, x and z; the domain determines its size [m]
//! @param height: f32 = 0, soft -2..2                 Height of the floor [m]
//! @param index: f32 = 1.333, 1..2                    Refractive index of the liquid
//! @param absorption: f32 = 0.15, 0.., soft 0..2      Absorption in the liquid [1/m]

fn stage(cell: Cell) {
    let view = camera();
    let depth = depth(cell);
    let wet = depth < 1e30;
    let normal = normal(cell);
    let center = camera_ray(view, screen(cell));
    let surface = camera_eye(view) + center * (depth / dot(center, view[2].xyz));
    let pixel_width = view[0].w * 2.0 / f32(RESOLUTION.y); // at a depth of 1
    for (var part = 0; part < 4; part++) {
        let offset = vec2f(f32(part % 2), f32(part / 2)) - 0.5;
        let ray = camera_ray(view, screen(cell) + offset / f32(RESOLUTION.y));
        let straight = (params.height - camera_eye(view).y) / min(ray.y, -1e-3);
        // What a pixel of the sun's picture covers on the floor, in cells: the light that a part carries.
        let across = pixel_width * straight * dot(ray, view[2].xyz);
        var light = 0.25 * across * across * dot(ray, view[2].xyz) / (max(-ray.y, 1e-3) * CELL_SIZE * CELL_SIZE);
        var bends = camera_eye(view) + straight * ray;
        var arrives = bends;
        let facing = -dot(ray, normal);
        if wet && facing > 0.05 {
            // The part's ray meets the plane that touches the surface in the middle of the pixel.
            bends = camera_eye(view) + ray * (dot(surface - camera_eye(view), normal) / -facing);
            let bent = refract(ray, normal, 1.0 / params.index);
            let way = (params.height - bends.y) / min(bent.y, -0.05);
            let passed = 0.98 - 0.98 * pow(1.0 - facing, 5.0);
            arrives = bends + way * bent;
            light *= passed * exp(-params.absorption * max(way, 0.0));
        }
        if !open(camera_eye(view), bends) || !open(bends, arrives) { continue; }
        spread((arrives.xz - params.low) / CELL_SIZE - 0.5, light);
    }
}

// Whether nothing solid is on the way.
fn open(start: vec3f, end: vec3f) -> bool {
    let way = length(end - start);
    var reach = 0.0;
    for (var i = 0; i < 24; i++) {
        if reach >= way { break; }
        let distance = shape(start + (end - start) * (reach / way));
        if distance < 1e-3 { return false; }
        reach += distance;
    }
    return true;
}

// Shares light out to the four cells around a place.
fn spread(place: vec2f, light: f32) {
    let lowest = floor(place);
    let upper = place - lowest;
    if any(lowest < vec2f(-1.0)) || any(lowest >= vec2f(RESOLUTION.xy)) { return; }
    for (var corner = 0; corner < 4; corner++) {
        let far = vec2i(corner % 2, corner / 2);
        let share = mix(1.0 - upper, upper, vec2f(far));
        let at = vec2i(lowest) + far;
        if all(at >= vec2i()) && all(at < RESOLUTION.xy) { add_light(at, light * share.x * share.y); }
    }
}
