//! Shape View (2D)
//! Draws a 2D signed distance over an image of the same extent: a body with a lit rim and a soft shadow around it.
//! Source: Quilez, Distance Functions; relief from the gradient of the distance, Blinn, SIGGRAPH 1978.
//!
//! @in    shape: Field<f32>                               Signed distance [m]
//! @inout image: Image                                    The image, in linear light
//! @param surface: color = (0.055, 0.060, 0.075, 1)       Colour of the body
//! @param rim: color = (0.55, 0.60, 0.72, 1)              Colour of the light along its edge
//! @param bevel: f32 = 0.03, 0.0001.., soft 0.001..0.1    Width of the bevelled edge [m]
//! @param shadow: f32 = 0.5, 0..1                         Darkness of the shadow around it
//! @param reach: f32 = 0.04, 0.0001.., soft 0.001..0.2    Width of the shadow [m]

fn stage(cell: Cell) -> vec4f {
    let here = position(cell);
    let distance = shape(here);
    let slope = shape_gradient(here, CELL_SIZE);
    let across = slope / max(length(slope), 1e-20);
    let outside = image(cell).rgb * (1.0 - params.shadow * exp(-max(distance, 0.0) / params.reach));
    // The edge is rounded like a quarter of a circle.
    let inward = clamp(1.0 + distance / params.bevel, 0.0, 1.0);
    let lit = 0.5 + 0.5 * inward * dot(across.xy, vec2f(-0.6, 0.8));
    let body = params.surface.rgb * (0.6 + 0.8 * lit) + params.rim.rgb * pow(inward, 4.0) * lit * lit;
    return vec4f(mix(outside, body, clamp(0.5 - distance / CELL_SIZE, 0.0, 1.0)), 1.0);
}
