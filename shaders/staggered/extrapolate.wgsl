//! Extrapolate Faces
//! Extrapolates from one flow through another:  u = through + amount (through - start).  From a flow through its projection that is the
//! reflection of an advection-reflection solver; from the start of a step of backward Euler through its end, a Crank-Nicolson step of twice the time.
//! Source: Zehnder, Narain and Thomaszewski, SIGGRAPH 2018; Crank and Nicolson 1947.
//!
//! @in    start: FaceGrid                     Flow at the start [m/s]
//! @in    through: FaceGrid                   Flow that it goes through [m/s]
//! @out   result: FaceGrid, like through      Flow beyond [m/s]
//! @param amount: f32 = 1, soft -1..2         How far beyond; 0 is `through`, -1 is `start`

fn stage(cell: Cell) -> Vec {
    return through(cell) + params.amount * (through(cell) - start(cell));
}
