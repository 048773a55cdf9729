//! Size of the Solved Level in Space
//! Which level is solved by its inverse: the first of at most 64 cells, or of at most `most` where cells of the next level would have a wall through
//! the cells they stand for. The levels decide in turn from the finest on; each passes on what a finer one decided.
//! Source: none.
//!
//! @in  links_a: Grid<vec4f>          Links of the level to the cells at +x, +y and +z, and the sink [m/kg]
//! @in  links_b: Grid<vec4f> = 0      Links to the cells at +x+y, -x+y, +x+z and -x+z [m/kg]
//! @in  links_c: Grid<vec4f> = 0      Links to the cells at +y+z, -y+z, +x+y+z and -x+y+z [m/kg]
//! @in  links_d: Grid<vec4f> = 0      Links to the cells at +x-y+z and -x-y+z [m/kg]
//! @in  reach: Grid<u32> = 0          Bits for the 27 cells around each cell of the next level (Reach in Walls in Space); without it as many as there may be
//! @in  finer: vec4f = 0              What this stage decided for the finer levels
//! @out ground: f32, reduce max       Where the pressure of a closed level may be held: links of the most linked cell, and its number in the last ten bits [m/kg]; 3e38 with open borders
//! @out size: vec4f, reduce max       Cells along x and y, width of a cell [m], and 1, 2 and 4 for a periodic x, y and z plus 8 times the number of halvings plus 256 times the cells along z; zero if none is solved yet
//! @param most: i32 = 512, 64..1024   Cells of the solved level where walls lead through it
//! @use shared/around_wide
//! @use shared/cell_index

const FEW = 64;

fn stage(cell: Cell) -> Result {
    let cells = RESOLUTION.x * RESOLUTION.y * layers();
    if !links_a_wired || finer().x > 0.0 { return Result(0.0, finer()); }
    if cells > max(params.most, FEW) { return Result(0.0, vec4f()); }
    // Positive numbers are in the order of their bits.
    let ground = bitcast<f32>((bitcast<u32>(total(cell)) & ~1023u) | u32(index(cell)));
    var size = vec4f();
    if cells <= FEW || split(cell) { size = level(); }
    return Result(select(ground, 3e38, links_a(cell).w > 0.0), size);
}

fn level() -> vec4f {
    let around = i32(periodic(0)) + 2 * i32(periodic(1)) + 4 * i32(periodic(2));
    return vec4f(vec2f(RESOLUTION.xy), CELL_SIZE, f32(around + 8 * firstTrailingBit(WIDENING) + 256 * layers()));
}

// Cells along z.
fn layers() -> i32 {
    return select(1, RESOLUTION[DIM - 1], DIM == 3);
}

// Whether a cell of the next level stands for part of the open cells around it only.
fn split(cell: Cell) -> bool {
    if !is_wide(cell) { return false; }
    for (var i = 0; i < AROUND; i++) {
        let here = cell + apart(i);
        if (reach(cell) >> u32(i) & 1u) == 0u && exists(here) && total(here) > 0.0 { return true; }
    }
    return false;
}

fn total(cell: Cell) -> f32 {
    var total = links_a(cell).w;
    for (var k = 0; k < 2 * KEPT; k++) { total += max(link(cell, k), 0.0); }
    return total;
}

fn periodic(axis: i32) -> bool {
    return !wall_face(Cell(), axis) && !open_face(Cell(), axis);
}
