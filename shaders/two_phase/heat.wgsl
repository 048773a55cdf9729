//! Heat
//! One Gauss-Seidel sweep of implicit heat conduction in two fluids:  T = (T_old + sum(a T_next)) / (1 + sum(a)),  a = dt D / h^2  over the faces,
//! D the harmonic mean of the diffusivities of both cells, so that the flux through a face is the same from either side. That of a
//! cell is the mean of its fluids',  D = V_f D_f + V_g D_g.  A wall insulates, but for the part `contact` of it that has a temperature of its own,
//! half a cell away:  a = 2 contact dt D / h^2.  Closed borders of the domain insulate. Stable for any step; no sweep makes new extrema.
//! Source: Patankar, Numerical Heat Transfer and Fluid Flow, 1980, sections 4.2 (harmonic mean) and 4.3 (implicit step).
//!
//! @sweep checkerboard
//! @in    before: Grid<f32>                            Temperature before [K]
//! @inout temperature: Grid<f32> = 293, radius 1       Temperature after, refined by each sweep [K]
//! @in    shares: Grid<vec2f>                          Fractions whose sum is one
//! @in    open: Grid<f32> = 1                          1 in cells that fluid can fill, 0 in walls
//! @in    plate: Grid<f32> = 293                       Temperature of walls, in their own cells [K]
//! @in    contact: Grid<f32> = 0                       1 in walls that conduct, 0 in those that insulate
//! @param diffusivity_f: f32 = 1e-7, 0.., soft 0..1e-5    Thermal diffusivity of fluid f [m^2/s]
//! @param diffusivity_g: f32 = 1e-7, 0.., soft 0..1e-5    Thermal diffusivity of fluid g [m^2/s]

fn stage(cell: Cell) -> f32 {
    if open(cell) < 0.5 { return mix(before(cell), plate(cell), contact(cell)); }
    let own = diffusivity(cell);
    var sum = 0.0;
    var total = 1.0;
    // As a change of T, so that what the division rounds vanishes with the change.
    let now = temperature(cell);
    for (var face = 0; face < FACES; face++) {
        let next = neighbor(cell, face);
        if wall_face(cell + unit(face_axis(face)) * (face & 1), face_axis(face)) { continue; }
        var d = 2.0 * contact(next) * own;
        var there = plate(next);
        if open(next) > 0.5 {
            let other = diffusivity(next);
            d = 2.0 * own * other / max(own + other, 1e-30);
            there = temperature(neighbor(cell, face));
        }
        let a = frame.dt * d / (CELL_SIZE * CELL_SIZE);
        sum += a * (there - now);
        total += a;
    }
    return now + (before(cell) - now + sum) / total;
}

fn diffusivity(cell: Cell) -> f32 {
    return dot(shares(cell), vec2f(params.diffusivity_f, params.diffusivity_g));
}
