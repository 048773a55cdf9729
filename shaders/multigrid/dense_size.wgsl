//! Size of the Solved Level
//! Which level is solved by its inverse: the first of at most 64 cells, or of at most `most` where cells of the next level would have a wall through
//! the cells they stand for. The levels decide in turn from the finest on; each passes on what a finer one decided. 2D only.
//! Source: none.
//!
//! @in  links: Grid<vec4f>            Links of the level to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in  sink: Grid<f32>               Links to open borders [m/kg]
//! @in  reach: Grid<u32> = 0          Bits for the nine cells around each cell of the next level (Reach in Walls); without it as many as there may be
//! @in  finer: vec4f = 0              What this stage decided for the finer levels
//! @out ground: f32, reduce max       Where the pressure of a closed level may be held: links of the most linked cell, and its number in the last ten bits [m/kg]; 3e38 with open borders
//! @out size: vec4f, reduce max       Cells along x and y, width of a cell [m], and 1 for a periodic x plus 2 for a periodic y plus 8 times the number of halvings plus 256; zero if none is solved yet
//! @param most: i32 = 1024, 64..1024      Cells of the solved level where walls lead through it

const FEW = 64;

fn stage(cell: Cell) -> Result {
    let cells = RESOLUTION.x * RESOLUTION.y;
    if !links_wired || finer().x > 0.0 { return Result(0.0, finer()); }
    if cells > max(params.most, FEW) { return Result(0.0, vec4f()); }
    // Positive numbers are in the order of their bits.
    let number = u32(cell.x + RESOLUTION.x * cell.y);
    let ground = bitcast<f32>((bitcast<u32>(around(cell)) & ~1023u) | number);
    var size = vec4f();
    if cells <= FEW || split(cell) { size = level(); }
    return Result(select(ground, 3e38, sink(cell) > 0.0), size);
}

fn level() -> vec4f {
    return vec4f(vec2f(RESOLUTION.xy), CELL_SIZE, f32(i32(periodic(0)) + 2 * i32(periodic(1)) + 8 * firstTrailingBit(WIDENING) + 256));
}

// Whether a cell of the next level stands for part of the open cells around it only.
fn split(cell: Cell) -> bool {
    if (cell.x & 1) == 1 || (cell.y & 1) == 1 { return false; }
    for (var i = 0; i < 9; i++) {
        let here = cell + unit(0) * (i % 3 - 1) + unit(1) * (i / 3 - 1);
        if (reach(cell) >> u32(i) & 1u) == 0u && exists(here) && around(here) > 0.0 { return true; }
    }
    return false;
}

fn around(cell: Cell) -> f32 {
    var total = sink(cell);
    for (var k = 0; k < 4; k++) {
        let other = cell - array<Cell, 4>(unit(0), unit(1), unit(0) + unit(1), unit(1) - unit(0))[k];
        total += max(links(cell)[k], 0.0);
        if exists(other) { total += max(links(other)[k], 0.0); }
    }
    return total;
}

fn periodic(axis: i32) -> bool {
    return !wall_face(Cell(), axis) && !open_face(Cell(), axis);
}

// Whether there is a cell: inside, or around a periodic axis.
fn exists(cell: Cell) -> bool {
    for (var axis = 0; axis < DIM; axis++) {
        if (cell[axis] < 0 || cell[axis] >= RESOLUTION[axis]) && !periodic(axis) { return false; }
    }
    return true;
}
