//! Net Source
//! What flows from nowhere into a closed part of the fluid, for a warning: no pressure can remove that.
//! Source: none.
//!
//! @over once
//! @in  total: Grid<i32>        Sum over each part (Sums of Parts)
//! @in  rest: Grid<i32>         What its steps leave
//! @in  cells: Grid<u32>        Cells of each part
//! @in  largest: f32            Largest magnitude of the divergence [1/s]
//! @in  source: u32             Label of the part, 0 if there is none (Balance Parts)
//! @out amount: f32, expect 0..0     The fluid around cell ({x}, {y}, {z}) has no way out: {count} cells with a net source of {amount} m^3/s (m^2/s in 2D), which no pressure can remove. Open a way out, or let as much flow out as in
//! @out x: f32                  First cell of the part
//! @out y: f32                  The same along y
//! @out z: f32                  The same along z, 0 in 2D
//! @out count: f32              Cells of the part

fn stage() -> Result {
    if source() == 0u { return Result(0.0, 0.0, 0.0, 0.0, 0.0); }
    var place = vec3f();
    var rest = i32(source() - 1u);
    for (var axis = 0; axis < DIM; axis++) {
        let next = rest / RESOLUTION[axis];
        place[axis] = f32(rest - next * RESOLUTION[axis]);
        rest = next;
    }
    var first = Vec();
    for (var axis = 0; axis < DIM; axis++) { first[axis] = (place[axis] + 0.5) * CELL_SIZE; }
    let sum = (f32(total_at(first)) + f32(rest_at(first)) / 4096.0) * largest() / 32.0;
    return Result(-sum * pow(CELL_SIZE, f32(DIM)), place.x, place.y, place.z, f32(cells_at(first)));
}
