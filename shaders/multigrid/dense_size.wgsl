//! Size of the Solved Level
//! Whether this is the level that is solved: the first of at most 256 cells. 2D only.
//! Source: none.
//!
//! @in  links: Grid<vec4f>            Links of the level
//! @out size: vec4f, reduce max       Cells along x and y, width of a cell [m], and 1 for a periodic x plus 2 for a periodic y; zero for another level

fn stage(cell: Cell) -> vec4f {
    let half = max(WIDENING / 2, 1);
    let finer = (FINEST + half - 1) / half;
    let more = finer.x * finer.y > 256 || WIDENING <= 2;
    if !links_wired || RESOLUTION.x * RESOLUTION.y > 256 || !more { return vec4f(); }
    return vec4f(vec2f(RESOLUTION.xy), CELL_SIZE, f32(periodic(0)) + 2.0 * f32(periodic(1)));
}

fn periodic(axis: i32) -> bool {
    return !wall_face(Cell(), axis) && !open_face(Cell(), axis);
}
