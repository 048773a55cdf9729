//! Clock Stand View
//! Draws the stand of a clock as brushed metal: its reflections of the studio are blurred, mostly along the clock's axis.
//! Source: Kajiya, Anisotropic Reflection Models, SIGGRAPH 1985.
//!
//! @in    stand: Field<vec3f>                           Signed distance [m], x and y of the normal, from Clock Stand
//! @in    studio: Field<vec3f>                          Light that surfaces reflect, by their normal
//! @in    place: Field<Vec>                             From the image to the frame of the stand [m]
//! @inout image: Image                                  The image, in linear light; alpha becomes 1 on the stand
//! @param metal: color = (1.00, 0.69, 0.37, 1)          Colour of the metal
//! @param brushed: vec2f = (0.08, 0.20), 0..1           Blur of reflections across its axis and along it
//! @param ambient: f32 = 0.13, 0.., soft 0..1           Light from everywhere
//! @param groove: f32 = 0.0016, 0.., soft 0..0.01       Distance of fine grooves along the axis; 0 omits them [m]

const ACROSS = 11;
const ALONG = 3;

fn stage(cell: Cell) -> vec4f {
    let under = image(cell);
    let here = place(position(cell));
    let solid = stand(here);
    let cover = clamp(0.5 - solid.x / CELL_SIZE, 0.0, 1.0);
    if cover == 0.0 { return under; }
    let middle = place(0.5 * SIZE);
    let across = place(0.5 * SIZE + Vec(unit(0))) - middle;
    let upward = place(0.5 * SIZE + Vec(unit(1))) - middle;
    // A pixel sees as many normals as lie in it, which on thin posts are more than the brushing makes.
    let turns = abs(stand(here + across * CELL_SIZE).yz - solid.yz) + abs(stand(here + upward * CELL_SIZE).yz - solid.yz);
    let spread = max(params.brushed, 0.7 * turns);
    var light = vec3f();
    for (var k = 0; k < ACROSS * ALONG; k++) {
        let part = vec2f(f32(k % ACROSS), f32(k / ACROSS)) / vec2f(f32(ACROSS - 1), f32(ALONG - 1)) * 2.0 - 1.0;
        let normal = solid.yz + spread * part;
        var turned = Vec();
        turned.x = dot(normal, across.xy);
        turned.y = dot(normal, upward.xy);
        light += studio(turned);
    }
    light = light / f32(ACROSS * ALONG) + params.ambient;
    let wave = 0.5 + 0.5 * cos(6.2831853 * (here.y - middle.y) / max(params.groove, 1e-6));
    let shown = smoothstep(2.0, 4.0, params.groove / CELL_SIZE) * (1.0 - min(abs(solid.z), 1.0));
    let fine = 0.12 * wave * shown;
    return mix(under, vec4f(params.metal.rgb * light * (1.0 - fine), 1.0), cover);
}
