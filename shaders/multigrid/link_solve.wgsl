//! Solve Links
//! The solution of a level of up to 16 cells,  sum of l (p_other - p) - s p = r. On larger levels it is zero, and sweeps start from it. Where
//! heavy fluid closes a neck, hardly anything links its two sides, and sweeps alone do not find the pressure between them. Cells are eliminated one by
//! one, and what a cell linked is linked directly. A diagonal is the sum of the links that are left, so weak ones keep their digits. 2D only.
//! Source: Rosen, J. IEE 62, 1924 (star-mesh transform); Golub and Van Loan, Matrix Computations, 2013, ch. 4.3 (elimination in a band).
//!
//! @in  residual: Grid<f32>                    Right-hand side r [1/s]
//! @in  links: Grid<vec4f>                     Links to the cells at +x, +y, +x+y, -x+y [m/kg]
//! @in  sink: Grid<f32>                        Links to open borders [m/kg]
//! @out pressure: Grid<f32>, like residual     Pressure x dt [Pa s]

const MOST = 16;

fn stage(cell: Cell) -> f32 {
    if RESOLUTION.x * RESOLUTION.y > MOST { return 0.0; }
    let count = clamp(RESOLUTION.x * RESOLUTION.y, 1, MOST);
    let width = clamp(band() + 1, 1, MOST);
    // Row i has its links to the cells i + 1, i + 2, ..
    var rows = array<f32, MOST * MOST>();
    var sinks = array<f32, MOST>();
    var sources = array<f32, MOST>();
    var totals = array<f32, MOST>();
    var bound = 0.0;
    for (var i = 0; i < count; i++) {
        let here = cell_of(i);
        sinks[i] = sink(here);
        sources[i] = residual(here);
        totals[i] += sinks[i];
        bound += sinks[i];
        let links = links(here);
        for (var k = 0; k < 4; k++) {
            let other = index_of(here + offset(k));
            let link = select(0.0, links[k], other != i);
            rows[min(i, other) * MOST + max(i, other)] += link;
            totals[i] += link;
            totals[other] += link;
        }
    }
    for (var i = 0; i < count; i++) {
        let last = min(i + width, count);
        var total = sinks[i];
        for (var a = i + 1; a < last; a++) { total += rows[i * MOST + a]; }
        rows[i * MOST + i] = total;
        for (var a = i + 1; a < last; a++) {
            let part = rows[i * MOST + a] / max(total, 1e-37);
            sinks[a] += part * sinks[i];
            sources[a] += part * sources[i];
            for (var b = a + 1; b < last; b++) { rows[a * MOST + b] += part * rows[i * MOST + b]; }
        }
    }
    // The last of a closed part has no links left, and the pressure zero.
    var sum = vec2f();
    for (var back = 0; back < count; back++) {
        let i = count - 1 - back;
        var inflow = -sources[i];
        for (var a = i + 1; a < min(i + width, count); a++) { inflow += rows[i * MOST + a] * sources[a]; }
        sources[i] = select(0.0, inflow / rows[i * MOST + i], rows[i * MOST + i] > 0.0);
        sum += totals[i] * vec2f(sources[i], 1.0);
    }
    // Where no border holds the pressure, it is about zero in the lighter fluid, where its digits count.
    let mean = select(sum.x / max(sum.y, 1e-37), 0.0, bound > 0.0);
    let own = index_of(cell);
    return select(0.0, sources[own] - mean, totals[own] > 0.0);
}

// How far apart linked cells are in the order of elimination.
fn band() -> i32 {
    let last = RESOLUTION.x * RESOLUTION.y - 1;
    return select(min(min(RESOLUTION.x, RESOLUTION.y) + 1, last), last, around(0) || around(1));
}

// Along the shorter side first.
fn cell_of(i: i32) -> Cell {
    if RESOLUTION.x > RESOLUTION.y { return unit(0) * (i / RESOLUTION.y) + unit(1) * (i % RESOLUTION.y); }
    return unit(0) * (i % RESOLUTION.x) + unit(1) * (i / RESOLUTION.x);
}

fn index_of(cell: Cell) -> i32 {
    let c = (cell + RESOLUTION) % RESOLUTION;
    if RESOLUTION.x > RESOLUTION.y { return c.x * RESOLUTION.y + c.y; }
    return c.y * RESOLUTION.x + c.x;
}

fn around(axis: i32) -> bool {
    return !wall_face(Cell(), axis) && !open_face(Cell(), axis);
}

// The cells at +x, +y, +x+y and -x+y.
fn offset(k: i32) -> Cell {
    return array<Cell, 4>(unit(0), unit(1), unit(0) + unit(1), unit(1) - unit(0))[k];
}
