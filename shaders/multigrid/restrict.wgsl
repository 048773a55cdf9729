//! Restrict
//! Averages a field onto cells twice as wide: each takes the mean of the cells it covers, which conserves the volume integral.
//! Source: Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 3; Wesseling, An Introduction to Multigrid Methods, 1992.
//!
//! @in  field: Grid<F>, edge zero      Any field; zero outside, which conserves sums
//! @out coarse: Grid<F>, half field    Its mean values

fn stage(cell: Cell) -> F {
    return field_at(position(cell));
}
