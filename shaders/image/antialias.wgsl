//! Antialias
//! Smooths the steps of slanted edges: where brightness varies strongly around a pixel, it takes a mean along the edge, over up
//! to `reach` pixels, limited to the brightnesses around. Put it after Tone Map, since it works on displayed brightness.
//! Keywords: FXAA, smooth edges
//! Source: Lottes, FXAA, NVIDIA 2009 (the console version's filter, with perceived brightness as the square root of light).
//!
//! @in    image: Image                            The image, in 0..1
//! @out   result: Image, like image               The image with smooth edges
//! @param threshold: f32 = 0.06, 0..1             Contrast from which a pixel is on an edge, relative to the brightest one around
//! @param reach: f32 = 8, 0..32, soft 1..16       Maximum distance along an edge [cells]

fn stage(cell: Cell) -> vec4f {
    let middle = image(cell);
    let x = unit(0);
    let y = unit(1);
    let corners = vec4f(light(cell - x + y), light(cell + x + y), light(cell - x - y), light(cell + x - y));
    let here = brightness(middle.rgb);
    let least = min(here, min(min(corners.x, corners.y), min(corners.z, corners.w)));
    let most = max(here, max(max(corners.x, corners.y), max(corners.z, corners.w)));
    if most - least < max(params.threshold * most, 0.01) { return middle; }
    // Along the edge, across the slope of the brightness.
    let slope = vec2f(corners.z + corners.w - corners.x - corners.y, corners.x + corners.z - corners.y - corners.w);
    let steep = min(abs(slope.x), abs(slope.y)) + max(0.03 * (corners.x + corners.y + corners.z + corners.w), 0.008);
    let along = clamp(slope / steep, vec2f(-params.reach), vec2f(params.reach));
    let near = 0.5 * (color(cell, along, -1.0 / 6.0) + color(cell, along, 1.0 / 6.0));
    let wide = 0.5 * near + 0.25 * (color(cell, along, -0.5) + color(cell, along, 0.5));
    let outside = brightness(wide) < least || brightness(wide) > most;
    return vec4f(select(wide, near, outside), middle.a);
}

fn color(cell: Cell, along: vec2f, part: f32) -> vec3f {
    var place = position(cell);
    place.x += CELL_SIZE * along.x * part;
    place.y += CELL_SIZE * along.y * part;
    return image_at(place).rgb;
}

fn light(cell: Cell) -> f32 {
    return brightness(image(cell).rgb);
}

fn brightness(color: vec3f) -> f32 {
    return sqrt(max(dot(color, vec3f(0.2126, 0.7152, 0.0722)), 0.0));
}
