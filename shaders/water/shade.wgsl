//! Water Shade
//! Shades a clear liquid over a background: the background along the refracted ray, coloured by the Beer-Lambert
//! law  exp(-absorption thickness),  a little scattered light, and by Schlick's Fresnel term the environment reflected
//! in its surface with the sun's highlight. Foam is white and matt. In linear light of any brightness; put Tone Map after it.
//! The background is sampled in the image itself, where the refracted ray leaves the liquid, so anything outside the image is missing.
//! Source: van der Laan, Green and Sainz, I3D 2009, section 3.5; Schlick 1994; Wyman, Interactive Image-Space Refraction, 2005.
//!
//! @in    depth: Grid<f32>                                             Smoothed depth of the liquid [m]
//! @in    normal: Grid<vec3f>                                          Its normals
//! @in    thickness: Grid<f32>                                         Smoothed thickness along the view; may be coarser [m]
//! @in    camera: Camera                                               Viewpoint of the image
//! @in    sky: Field<vec3f>                                            Light by direction, from Environment
//! @in    background: Image                                            The background, in linear light
//! @in    background_depth: Grid<f32> = 3e38                           Its depth; nearer parts hide the liquid [m]
//! @in    foam: Grid<f32> = 0                                          Amount of foam: trails of spray, 0..1
//! @out   image: Image, like depth                                     The image, in linear light
//! @param index: f32 = 1.333, 1..2                                     Refractive index
//! @param absorption: color = (2.2, 0.45, 0.35, 1)                     Absorption of red, green and blue [1/m]
//! @param scatter: color = (0.02, 0.16, 0.18, 1)                       Colour of very deep liquid
//! @param murk: f32 = 0.8, 0.., soft 0..5                              Rate at which it reaches that colour [1/m]
//! @param film: f32 = 0.01, 0.0001.., soft 0..0.1                      Thickness below which liquid fades out, for soft outlines [m]
//! @param sun: vec3f = (-0.5, 0.9, 0.5), soft -1..1, handle direction  Direction to the sun, of any length
//! @param sun_light: color = (8, 7.2, 6, 1)                            Light of its highlight
//! @param gloss: f32 = 400, 1.., soft 10..2000                         Sharpness of the highlight
//! @param foam_light: color = (1.1, 1.15, 1.2, 0.5)                    Light of foam; alpha is its opacity

fn stage(cell: Cell) -> vec4f {
    let depth = depth(cell);
    let behind = background(cell);
    if depth > 1e30 || depth >= background_depth(cell) { return behind; }
    let view = camera();
    let ray = camera_ray(view, screen(cell));
    let place = camera_eye(view) + ray * (depth / dot(ray, view[2].xyz));
    let thick = max(thickness_at(position(cell)), 0.0);
    var normal = normal(cell);
    // Smoothing may turn a normal away from the eye; it then lies across.
    normal = normalize(normal - ray * max(dot(normal, ray) + 0.02, 0.0));
    let facing = clamp(-dot(normal, ray), 0.0, 1.0);

    let base = (params.index - 1.0) / (params.index + 1.0);
    let mirror = mix(base * base, 1.0, pow(1.0 - facing, 5.0));
    let reflected = reflect(ray, normal);
    let shine = (params.gloss + 8.0) / 25.0 * pow(max(dot(normalize(normalize(params.sun) - ray), normal), 0.0), params.gloss);
    let mirrored = sky(reflected) + params.sun_light.rgb * min(shine, 8.0);

    let left = exp(-params.absorption.rgb * thick);
    let murky = 1.0 - exp(-params.murk * thick);
    let bent = refract(ray, normal, 1.0 / params.index);
    let through = mix(seen_through(cell, place + bent * thick, depth, behind.rgb) * left, params.scatter.rgb, murky);

    let matt = params.foam_light.rgb * (0.55 + 0.45 * max(dot(normal, normalize(params.sun)), 0.0));
    let lit = mix(mix(through, mirrored, mirror), matt, params.foam_light.a * clamp(foam(cell), 0.0, 1.0));
    return vec4f(mix(behind.rgb, lit, smoothstep(0.0, params.film, thick)), 1.0);
}

// The background where a refracted ray comes out, unless what the picture shows there is in front of the liquid.
fn seen_through(cell: Cell, place: vec3f, depth: f32, straight: vec3f) -> vec3f {
    let seen = camera_project(camera(), place);
    if seen.z < 0.01 { return straight; }
    let at = clamp(pixel(seen.xy), vec2f(0.5), vec2f(RESOLUTION.xy) - 0.5);
    // All four pixels that the lookup blends, so that no outline of what is in front gets in.
    let first = vec2i(floor(at - 0.5));
    for (var corner = 0; corner < 4; corner++) {
        if background_depth(first + vec2i(corner % 2, corner / 2)) < depth { return straight; }
    }
    return background_at(at * CELL_SIZE).rgb;
}
