//! Vorticity Confinement
//! Amplifies the small vortices that the grid smooths away:  u += dt strength h (N x w),  N = grad|w| / |grad|w||.
//! Nothing is amplified across a wall.
//! Source: Steinhoff and Underhill 1994; Fedkiw, Stam and Jensen, Visual Simulation of Smoke, SIGGRAPH 2001, equations 10 and 11.
//!
//! @inout velocity: Grid<Vec> = 0                   Flow [m/s]
//! @in    vorticity: Grid<vec3f>                    Curl of the velocity [1/s]
//! @in    open: Grid<f32> = 1                       1 in cells that fluid can fill, 0 in walls
//! @param strength: f32 = 2, 0.., soft 0..20        Epsilon of the paper over the time of a unit: its effect vanishes as the grid is refined [1/s]
//! @use shared/space

fn stage(cell: Cell) -> Vec {
    if open_wired && open(cell) < 0.5 { return velocity(cell); }
    var gradient = vec3f();
    for (var face = 0; face < FACES; face++) {
        var next = length(vorticity(neighbor(cell, face)));
        if open_wired && open(neighbor(cell, face)) < 0.5 { next = length(vorticity(cell)); }
        gradient += in_space(face_normal(face)) * next;
    }
    let towards_core = gradient / max(length(gradient), 1e-12);
    let acceleration = params.strength * CELL_SIZE * cross(towards_core, vorticity(cell));
    return velocity(cell) + frame.dt * in_domain(acceleration);
}

// The part of a 3D vector that the domain has.
fn in_domain(v: vec3f) -> Vec {
    var kept = Vec(v[DIM - 1]);
    kept.x = v.x;
    kept.y = v.y;
    return kept;
}
