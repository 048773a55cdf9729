//! Curvature by Normals
//! Curvature of the interface as the divergence of its unit normal,  kappa = -div(grad c / |grad c|),  c the share of f smoothed by
//! (1 2 1) / 4 along x and y: 1 / R for a disc of f. A cell at a distance d from the interface lies on a contour of curvature kappa', so
//! kappa = kappa' / (1 - kappa' d). It works for any shape, but has an error of about 0.01 / h on any grid, so it is for structures that are
//! small. In 3D it is the curvature within each xy slice.
//! Source: Brackbill, Kothe and Zemach, J. Comput. Phys. 100, 1992.
//!
//! @in    shares: Grid<vec2f>                      Fractions whose sum is one
//! @in    open: Grid<f32> = 1                      1 in cells that fluid can fill; a wall counts as a copy of the cell before it (90 degrees)
//! @out   curvature: Grid<f32>, like shares        Curvature, at most 1 / h, 0 far from the interface [1/m]
//! @out   found: Grid<f32>, like shares            1 where an interface is within two cells on one side, 0 elsewhere

fn stage(cell: Cell) -> Result {
    if open(cell) < 0.5 || !crossed(cell) { return Result(0.0, 0.0); }
    // Slopes of the smoothed share at the four corners of the cell: the weights (1 2 1) / 4 and a difference, over the 4 x 4 cells around.
    let differ = array<f32, 4>(-0.25, -0.25, 0.25, 0.25);
    let average = array<f32, 4>(0.125, 0.375, 0.375, 0.125);
    var slopes: array<vec2f, 4>;
    var share = 0.0;
    for (var corner = 0; corner < 4; corner++) {
        for (var k = 0; k < 16; k++) {
            let c = seen(cell, corner % 2 - 2 + k % 4, corner / 2 - 2 + k / 4);
            slopes[corner] += c * vec2f(differ[k % 4] * average[k / 4], average[k % 4] * differ[k / 4]);
            share += 0.25 * c * average[k % 4] * average[k / 4];
        }
    }
    let slope = 0.25 * (slopes[0] + slopes[1] + slopes[2] + slopes[3]);
    var outflow = 0.0;
    for (var corner = 0; corner < 4; corner++) {
        let here = slopes[corner];
        // In the middle of a thread or of a small drop slopes meet: no normal there.
        if dot(here, slope) <= 0.2 * dot(slope, slope) { return Result(0.0, 0.0); }
        outflow += dot(vec2f(f32(corner % 2), f32(corner / 2)) - 0.5, normalize(here));
    }
    // From the contour through the cell to the interface, which is so far inside it.
    let apart = clamp((0.5 - share) / length(slope), -2.0, 2.0);
    let kappa = -outflow / max(1.0 + outflow * apart, 0.25);
    return Result(clamp(kappa, -1.0, 1.0) / CELL_SIZE, 1.0);
}

// Whether both fluids prevail somewhere within two cells.
fn crossed(cell: Cell) -> bool {
    var least = 1.0;
    var most = 0.0;
    for (var k = 0; k < 25; k++) {
        let place = cell + (k % 5 - 2) * unit(0) + (k / 5 - 2) * unit(1);
        if open(place) < 0.5 { continue; }
        least = min(least, shares(place).x);
        most = max(most, shares(place).x);
    }
    return least < 0.5 && most >= 0.5;
}

// Share of f beside a cell. Seen from it a wall repeats the open cell before it.
fn seen(cell: Cell, x: i32, y: i32) -> f32 {
    for (var back = 0; back < 3; back++) {
        for (var axis = 0; axis < 2; axis++) {
            var offset = vec2i(x, y);
            offset[axis] -= sign(offset[axis]) * min(back, abs(offset[axis]));
            let place = cell + offset.x * unit(0) + offset.y * unit(1);
            if open(place) > 0.5 { return shares(place).x; }
        }
    }
    return shares(cell).x;
}
