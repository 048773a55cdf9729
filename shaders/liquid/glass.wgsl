//! Vessel Glass
//! Draws the glass of a vessel over its contents: reflections of the studio on its round front, stronger towards the silhouette, and the
//! bright and dark lines of a thick wall seen from the side. Outside, the backdrop gets a soft shadow.
//! Source: Schlick, An Inexpensive BRDF Model, 1994; glass in the dark field: Hunter, Biver and Fuqua, Light Science and Magic, 2007.
//!
//! @in    body: Grid<vec4f>                 Normal, distance and depth of the vessel, from Vessel Body
//! @in    studio: Field<vec3f>              Light that surfaces reflect, by their normal
//! @in    background: Image                 The backdrop alone, which the wall refracts
//! @in    inner: Image                      Backdrop and liquid
//! @out   image: Image, like inner          The image with glass; alpha 1 on the glass
//! @param thickness: f32 = 0.0025, 0.0001.., soft 0.0005..0.01     Thickness of the wall [m]
//! @param mirror: f32 = 0.07, 0..1                                 Fraction that is reflected where it faces the camera
//! @param tint: color = (0.80, 0.92, 0.95, 1)                      Transmission through the wall's edge
//! @param lines: f32 = 1, 0.., soft 0..3                           Brightness of the lines along the wall
//! @param bend: f32 = 0.02, soft 0..0.1                            Shift of the backdrop by the wall [m]
//! @use shared/plane_vector

fn stage(cell: Cell) -> vec4f {
    let glass = body(cell);
    let under = inner(cell);
    let cover = clamp(0.5 + (params.thickness - glass.z) / CELL_SIZE, 0.0, 1.0);
    if cover == 0.0 { return under; }
    let slope = glass.xy;
    let facing = sqrt(max(1.0 - dot(slope, slope), 0.0));
    let fresnel = params.mirror + (1.0 - params.mirror) * pow(1.0 - facing, 5.0);
    let mirrored = studio(flat(slope));

    // In the wall: 0 at its inner side, 1 at its outer one.
    let part = clamp(glass.z / params.thickness, 0.0, 1.0);
    let wall = clamp(0.5 + glass.z / CELL_SIZE, 0.0, 1.0);
    let gradient = vec2f(body(cell + unit(0)).z - body(cell - unit(0)).z, body(cell + unit(1)).z - body(cell - unit(1)).z);
    let outward = gradient / max(length(gradient), 1e-9);
    var bent = position(cell);
    bent.x -= params.bend * outward.x * (1.0 - 2.0 * part);
    bent.y -= params.bend * outward.y * (1.0 - 2.0 * part);
    var edge = background_at(bent).rgb * params.tint.rgb * (0.4 + 0.9 * part * (1.0 - part));
    edge += params.lines * line(part, 0.84, 0.13) * (0.10 + studio(flat(0.985 * outward)));
    edge += params.lines * line(part, 0.10, 0.12) * (0.06 + 0.35 * studio(flat(0.52 * outward)));

    let seen = mix(under.rgb, edge, wall) + fresnel * mirrored * (1.0 - wall);
    return mix(under, vec4f(seen, 1.0), cover);
}

fn line(part: f32, middle: f32, width: f32) -> f32 {
    let away = (part - middle) / width;
    return exp(-away * away);
}
