//! Sphere Tone
//! The tone of the visible particle in each pixel: spray from Drop Size, or speed, age or flow from Tone by.. to inspect a
//! particle set. Colour Map shows it.
//! Source: the debug colour of the article's step 5.
//!
//! @in    index: Grid<u32>                 The visible particle, from Sphere Index
//! @in    particles: Particles{tone: f32}  The same spheres
//! @out   tone: Grid<f32>, like index      Its tone, 0 where there is nothing

fn stage(cell: Cell) -> f32 {
    let seen = index(cell);
    if seen >= particles_count() { return 0.0; }
    return particles(seen).tone;
}
