//! Trail
//! Makes an image fade instead of vanish, so that drops leave streaks:  k = exp(-dt / decay),
//! brightest: trail = max(image, k trail);  blend: trail = image + k (trail - image).  The result does not depend on the frame rate.
//! Feed the trail back through a State.
//! Keywords: feedback, echo, after-image, motion blur
//! Source: exponential decay, solved exactly; the after-image of Niagara SPH water (Qiita, 2022; Unreal Open Day 2020).
//!
//! @inout trail: Grid<F> = 0                       The trail: an image, a mask, any field
//! @in    image: Grid<F>                           The present image
//! @param decay: f32 = 0.3, 0.001.., soft 0.02..3  Time in which a trail decays to 1/e [s]
//! @param blend: bool = false                      Approaches the image instead of keeping the brighter one

fn stage(cell: Cell) -> F {
    let now = image(cell);
    let kept = exp(-frame.dt / params.decay);
    if params.blend != 0 { return now + (trail(cell) - now) * kept; }
    return max(now, trail(cell) * kept);
}
