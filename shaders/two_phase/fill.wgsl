//! Fill
//! Two fluids that fill the open cells: f inside a shape, g around it. A cell on the outline is cut into four parts along each axis, and each by the
//! plane that the distance has there: exact for lines and planes, and to h / 192 R for an arc of radius R. Any field that is zero on
//! the outline and has a slope there will do. Shares are integer multiples of 2^-20, so that later steps can move them without loss.
//! Source: Hirt and Nichols, J. Comput. Phys. 39, 1981 (volume of fluid); Scardovelli and Zaleski, J. Comput. Phys. 164, 2000 (volume below a plane).
//!
//! @in  shape: Field<f32>                       Signed distance to fluid f, negative inside [m]
//! @in  open: Grid<f32> = 1                     1 in cells that fluid can fill, 0 in walls
//! @out fractions: Grid<vec2f>, like open       Volume fractions V_f and V_g
//! @use shared/plane_volume

const PARTS = 16 + 48 * (DIM - 2); // 4^DIM

fn stage(cell: Cell) -> vec2f {
    var f = 0.0;
    for (var index = 0; index < PARTS; index++) {
        var middle = position(cell);
        var rest = index;
        for (var axis = 0; axis < DIM; axis++) {
            middle += Vec(unit(axis)) * (f32(rest % 4) - 1.5) * 0.25 * CELL_SIZE;
            rest /= 4;
        }
        f += inside_of(middle) / f32(PARTS);
    }
    let whole = round(f * 1048576.0) / 1048576.0;
    return vec2f(whole, 1.0 - whole) * open(cell);
}

// Part of a cube of a quarter of a cell that lies in the shape.
fn inside_of(middle: Vec) -> f32 {
    var rise = vec3f();
    for (var axis = 0; axis < DIM; axis++) {
        let half = Vec(unit(axis)) * 0.125 * CELL_SIZE;
        rise[axis] = abs(shape(middle + half) - shape(middle - half));
    }
    let size = rise.x + rise.y + rise.z;
    let distance = shape(middle);
    if 2.0 * abs(distance) >= size { return select(0.0, 1.0, distance < 0.0); }
    let constant = 0.5 - distance / size;
    return select(1.0 - corner(rise / size, 1.0 - constant), corner(rise / size, constant), constant <= 0.5);
}
