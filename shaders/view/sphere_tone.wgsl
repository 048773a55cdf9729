//! Sphere Tone
//! The tone of the particle that is seen in each pixel: spray from Drop Size, or speed, age and flow from Tone by.. to look into a
//! set. Color Map shows it.
//! Source: the debug colour of the article's step 5.
//!
//! @in    index: Grid<u32>                 The particle that is seen, from Sphere Index
//! @in    particles: Particles{tone: f32}  The same spheres
//! @out   tone: Grid<f32>, like index      Its tone, 0 where there is nothing

fn stage(cell: Cell) -> f32 {
    let seen = index(cell);
    if seen >= particles_count() { return 0.0; }
    return particles(seen).tone;
}
