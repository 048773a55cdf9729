//! Add Glow
//! Adds a blurred image, which may be coarser, to an image:  colour + strength glow.  Alpha does not change.
//! Source: none, a sum.
//!
//! @in    image: Image                              The image
//! @in    glow: Image                               Its bright parts, blurred; on any domain
//! @out   result: Image, like image                 Both
//! @param strength: f32 = 0.3, 0.., soft 0..2       Brightness of the glow

fn stage(cell: Cell) -> vec4f {
    let color = image(cell);
    return vec4f(color.rgb + params.strength * max(glow_at(position(cell)).rgb, vec3f()), color.a);
}
