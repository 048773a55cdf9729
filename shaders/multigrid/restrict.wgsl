//! Restrict
//! Averages a field onto cells twice as wide: each takes the mean of the cells it covers, so that the sum over the volume stays.
//! Source: Briggs, Henson and McCormick, A Multigrid Tutorial, 2000, ch. 3; Wesseling, An Introduction to Multigrid Methods, 1992.
//!
//! @in  field: Grid<T>, edge zero      Any field; outside it is zero, so that sums stay
//! @out coarse: Grid<T>, half field    Its means

fn stage(cell: Cell) -> T {
    return field_at(position(cell));
}
