//! Curvature by Normals
//! Curvature of the interface as the divergence of its unit normal,  kappa = -div(grad c / |grad c|),  c the share of f smoothed by
//! (1 2 1) / 4 along each axis: 1 / R for a disc of f, 2 / R for a ball. A cell at a distance d from the interface lies on a contour of curvature
//! kappa', so  kappa = kappa' / (1 - kappa' d),  in 3D with d / 2, as of a ball. It works for any shape, but has an error of about 0.01 / h on any grid, so it is for structures that are
//! small.
//! Source: Brackbill, Kothe and Zemach, J. Comput. Phys. 100, 1992.
//!
//! @in    shares: Grid<vec2f>                      Fractions whose sum is one
//! @in    open: Grid<f32> = 1                      1 in cells that fluid can fill; a wall counts as a copy of the cell before it (90 degrees)
//! @out   curvature: Grid<f32>, like shares        Curvature, at most 1 / h (3D: 2 / h), 0 far from the interface [1/m]
//! @out   found: Grid<f32>, like shares            1 where an interface is within two cells on one side, 0 elsewhere

const CORNERS = 4 * (DIM - 1);      // 2^DIM
const AROUND = 16 + 48 * (DIM - 2); // 4^DIM
const WITHIN = 25 + 100 * (DIM - 2); // 5^DIM

fn stage(cell: Cell) -> Result {
    if open(cell) < 0.5 || !crossed(cell) { return Result(0.0, 0.0); }
    // Slopes of the smoothed share at the corners of the cell: the weights (1 2 1) / 4 and a difference, over the 4 x 4 (x 4) cells around.
    let differ = array<f32, 4>(-0.25, -0.25, 0.25, 0.25);
    let average = array<f32, 4>(0.125, 0.375, 0.375, 0.125);
    var slopes: array<vec3f, CORNERS>;
    var share = 0.0;
    for (var corner = 0; corner < CORNERS; corner++) {
        for (var k = 0; k < AROUND; k++) {
            var offset = Cell();
            var place = vec3i();
            var rest = k;
            for (var axis = 0; axis < DIM; axis++) {
                place[axis] = rest % 4;
                offset[axis] = ((corner >> u32(axis)) & 1) - 2 + place[axis];
                rest /= 4;
            }
            let c = seen(cell, offset);
            let means = vec3f(average[place.x], average[place.y], select(1.0, average[place.z], DIM == 3));
            let steps = vec3f(differ[place.x], differ[place.y], select(0.0, differ[place.z], DIM == 3));
            slopes[corner] += c * steps * means.yzx * means.zxy;
            share += c * means.x * means.y * means.z / f32(CORNERS);
        }
    }
    var slope = vec3f();
    for (var corner = 0; corner < CORNERS; corner++) { slope += slopes[corner] / f32(CORNERS); }
    var outflow = 0.0;
    for (var corner = 0; corner < CORNERS; corner++) {
        let here = slopes[corner];
        // In the middle of a thread or of a small drop slopes meet: no normal there.
        if dot(here, slope) <= 0.2 * dot(slope, slope) { return Result(0.0, 0.0); }
        let side = vec3f(f32(corner & 1), f32((corner >> 1) & 1), f32(corner >> 2)) - 0.5;
        outflow += dot(side, normalize(here)) * 4.0 / f32(CORNERS);
    }
    // From the contour through the cell to the interface, which is so far inside it.
    let apart = clamp((0.5 - share) / length(slope), -2.0, 2.0);
    let most = f32(DIM - 1);
    let kappa = -outflow / max(1.0 + outflow * apart / most, 0.25);
    return Result(clamp(kappa, -most, most) / CELL_SIZE, 1.0);
}

// Whether both fluids prevail somewhere within two cells.
fn crossed(cell: Cell) -> bool {
    var least = 1.0;
    var most = 0.0;
    for (var k = 0; k < WITHIN; k++) {
        var place = cell;
        var rest = k;
        for (var axis = 0; axis < DIM; axis++) {
            place[axis] += rest % 5 - 2;
            rest /= 5;
        }
        if open(place) < 0.5 { continue; }
        least = min(least, shares(place).x);
        most = max(most, shares(place).x);
    }
    return least < 0.5 && most >= 0.5;
}

// Share of f beside a cell. Seen from it a wall repeats the open cell before it.
fn seen(cell: Cell, away: Cell) -> f32 {
    for (var back = 0; back < 3; back++) {
        for (var axis = 0; axis < DIM; axis++) {
            var offset = away;
            offset[axis] -= sign(offset[axis]) * min(back, abs(offset[axis]));
            if open(cell + offset) > 0.5 { return shares(cell + offset).x; }
        }
    }
    return shares(cell).x;
}
