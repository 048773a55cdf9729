//! Shifted parts
//! Parts that a one-sided cell takes of wide cells (Weights of Links in Space) add up to 1, and are kept divided by -2^n: the bits of n are the axes along which
//! these wide cells begin one lower than at half the cell's index. Any other sum is positive, but for wide cells two away from one-sided cells: there it is -1.

// What the parts of a cell are divided by: 1 where none is marked.
fn divisor(lower: vec4f, upper: vec4f) -> f32 {
    let sum = dot(lower + upper, vec4f(1.0));
    return select(1.0, round(1.0 / sum), sum < 0.0);
}

// From the wide cell at half a cell's index to the first that it takes of.
fn first_wide(divisor: f32) -> Cell {
    var first = Cell();
    for (var axis = 0; axis < DIM; axis++) { first[axis] = -((i32(firstLeadingBit(u32(abs(divisor)))) >> u32(axis)) & 1); }
    return first;
}
