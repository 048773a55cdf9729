//! Viscous Stress
//! One damped Jacobi sweep of implicit viscosity with the full stress of a viscosity that varies,  u = u_old + dt w div(mu (grad u + (grad u)^T)).  So
//! fluid that turns as a whole feels no friction, whatever its viscosity. At the corners of cells mu is the harmonic mean of the four. Stable
//! for any step. No slip on walls and closed borders, half a cell from the
//! faces beside them.
//! Source: Harlow and Welch, Phys. Fluids 8, 1965 (stresses on a staggered grid); Tryggvason, Scardovelli and Zaleski, Direct Numerical Simulations of Gas-Liquid Multiphase Flows, 2011, ch. 3.
//!
//! @in    before: FaceGrid                     Flow before [m/s]
//! @inout velocity: FaceGrid = 0, radius 1     Flow after, refined by each sweep [m/s]
//! @in    viscosity: Grid<f32>                 Dynamic viscosity [Pa s]
//! @in    weight: FaceGrid                     Inverse mass on each face, 0 on walls [m^3/kg]
//! @in    open: Grid<f32> = 1                  1 in cells that fluid can fill, 0 in walls
//! @param relaxation: f32 = 0.8, 0..1          Weight of the new value
//! @param slip: bool = false                   Walls hold no fluid back

fn stage(cell: Cell) -> Vec {
    var faces = velocity(cell);
    let w = weight(cell);
    for (var d = 0; d < DIM; d++) {
        if inflow_face(cell, d) { continue; }
        let below = cell - unit(d);
        // Normal stress 2 mu du_d/dx_d in the middles of both cells.
        var total = 2.0 * (viscosity(cell) + viscosity(below));
        var sum = 2.0 * (viscosity(cell) * velocity(cell + unit(d))[d] + viscosity(below) * velocity(below)[d]);
        for (var face = 0; face < FACES; face++) {
            let a = face_axis(face);
            if a == d { continue; }
            let side = face & 1;
            let aside = unit(a) * (2 * side - 1);
            if wall_face(cell + unit(a) * side, a) || (open(cell + aside) < 0.5 && open(below + aside) < 0.5) {
                let slips = params.slip != 0 || mirror_face(cell + unit(a) * side, a);
                total += select(harmonic(cell, below, cell, below) * 2.0, 0.0, slips);
                continue;
            }
            // Shear stress mu (du_d/dx_a + du_a/dx_d) at the corner.
            let mu = harmonic(cell, below, cell + aside, below + aside);
            let across = velocity(cell + unit(a) * side)[a] - velocity(below + unit(a) * side)[a];
            sum += mu * (velocity(cell + aside)[d] + f32(2 * side - 1) * across);
            total += mu;
        }
        let a = frame.dt * w[d] / (CELL_SIZE * CELL_SIZE);
        let next = (before(cell)[d] + a * sum) / (1.0 + a * total);
        // The first sweep is a step of explicit viscosity, up to four times a sweep: right for what is smooth. The others damp what is rough.
        let relaxation = select(params.relaxation, min(1.0 + a * total, 4.0), iteration == 0);
        faces[d] = select(0.0, mix(faces[d], next, relaxation), w[d] > 0.0);
    }
    return faces;
}

// Harmonic mean over those of four cells that are open; the first two are.
fn harmonic(a: Cell, b: Cell, c: Cell, d: Cell) -> f32 {
    let weights = vec4f(1.0, 1.0, select(0.0, 1.0, open(c) > 0.5), select(0.0, 1.0, open(d) > 0.5));
    let inverse = 1.0 / vec4f(viscosity(a), viscosity(b), viscosity(c), viscosity(d));
    return dot(weights, vec4f(1.0)) / dot(weights, inverse);
}
