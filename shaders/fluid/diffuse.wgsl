//! Diffuse (implicit)
//! One Gauss-Seidel sweep of backward Euler diffusion  (I - dt diffusivity lap) q = q_before.  Stable for any step.
//! Connect the field to both inputs. How many iterations are enough depends on  a = diffusivity dt / h^2:  n of them leave
//! (F a / (1 + F a))^2n  of the change of wide structures, F = 4 faces of a cell in 2D and 6 in 3D. For 1 % in 2D these are 2 at a = 0.1, 11 at a = 1,
//! 20 at a = 2 and 94 at a = 10 (in 3D 3, 15, 29 and 140); four leave 39 % at a = 2. A field that spreads too little needs more, or smaller steps; Diffuse (watched) warns.
//! A wall has the ghost value  2 motion - q,  so that the field has the value of the wall on the wall itself (no slip), or, with
//! free slip, no effect.
//! Source: Stam, Stable Fluids, SIGGRAPH 1999; Unity Graphics Programming ch. 4 (DiffuseVelocity); Harlow and Welch, Phys. Fluids 8,
//! 1965 (ghost values).
//!
//! @iterations 12
//! @sweep checkerboard
//! @in    before: Grid<F>                              The field before diffusion, the right-hand side
//! @inout field: Grid<F> = 0, radius 1                 The diffused field, refined by each sweep
//! @in    open: Grid<f32> = 1                          1 in cells that fluid can fill, 0 in walls
//! @in    motion: Grid<F> = 0, velocity of open        Velocity of the walls, read in their own cells; of another field, its value there
//! @param diffusivity: f32 = 0.001, 0.., soft 0..0.1   Diffusivity or kinematic viscosity [m^2/s]
//! @param free_slip: bool = false, fixed               Walls exert no friction; of another field, let nothing through

fn stage(cell: Cell) -> F {
    let a = params.diffusivity * frame.dt / (CELL_SIZE * CELL_SIZE);
    if open_wired && open(cell) < 0.5 { return motion(cell); }
    var sum = F();
    var weights = f32(FACES);
    for (var face = 0; face < FACES; face++) {
        var next = field(neighbor(cell, face));
        if open_wired && open(neighbor(cell, face)) < 0.5 {
            // The part of the ghost value that is q itself is on the left-hand side.
            let weight = select(2.0, 0.0, params.free_slip != 0);
            next = motion(neighbor(cell, face)) * weight;
            weights += weight - 1.0;
        }
        sum += next;
    }
    return (before(cell) + sum * a) * (1.0 / (1.0 + weights * a));
}
