//! Particles to Grid
//! Number density of particles at each cell centre; each particle is distributed to the nearest cells (cloud in cell). Outside
//! the domain its edge rule applies.
//! Source: Hockney and Eastwood, Computer Simulation Using Particles, ch. 5 (cloud in cell).
//!
//! @in    particles: Particles{position: Vec}      The set
//! @out   amount: Grid<f32>, scatter               Particles per cell, times the weight
//! @param weight: f32 = 1, soft 0..10              Weight of one particle; sums above 32,000 overflow
//! @use shared/space

fn stage(particle: Particle) {
    let place = particle.position / CELL_SIZE - 0.5;
    let lowest = floor(place);
    for (var corner = 0; corner < CORNERS; corner++) {
        var share = params.weight;
        var around = Cell(lowest);
        for (var axis = 0; axis < DIM; axis++) {
            let upper = (corner >> u32(axis)) & 1;
            let part = place[axis] - lowest[axis];
            share *= select(1.0 - part, part, upper == 1);
            around += unit(axis) * upper;
        }
        add_amount(around, share);
    }
}
