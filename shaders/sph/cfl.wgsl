//! SPH Step Check
//! Checks for the causes of SPH instabilities: the Courant number  v dt / h  of the fastest particle, and whether the search reaches far enough.
//! Source: Courant, Friedrichs and Lewy 1928; the article's last section.
//!
//! @in    particles: Particles{velocity: Vec}              The fluid
//! @in    radius: f32                                      Smoothing radius h [m]
//! @in    dt: f32 = 0                                      Time step; 0 is the frame's [s]
//! @out   cfl: f32, reduce max, expect 0..1                Distance of the fastest particle in a step, in smoothing radii. Above 1 particles jump past their neighbours and blow up: use more substeps, a larger smoothing radius, or a speed limit
//! @out   reach: f32, reduce max, expect 0..1.001          Smoothing radius in cells. Above 1 neighbours are missed: make the cells as large as the smoothing radius

fn stage(particle: Particle) -> Result {
    let dt = select(frame.dt, dt(), dt() > 0.0);
    return Result(length(particle.velocity) * dt / radius(), radius() / CELL_SIZE);
}
