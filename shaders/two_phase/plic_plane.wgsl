//! PLIC: Plane
//! The plane that cuts a cell into its two fluids: f lies where  n . x < a,  x from 0 to 1 across the cell. The constant a is computed from the
//! share by formulas of degree one to three; cubics, which occur only in 3D, are solved by Newton's method.
//! Source: Scardovelli and Zaleski, J. Comput. Phys. 164, 2000.
//!
//! @in  shares: Grid<f32>                    Share of f
//! @in  normals: Grid<Vec>                   Normal out of f, of any length. Below 1e-4 the cell counts as a mixture [1/cells]
//! @out plane: Grid<vec4f>, like shares      Normal, scaled so that the absolute values of its components sum to one, and a; for a mixture the normal is 0 and a is its share

fn stage(cell: Cell) -> vec4f {
    let share = shares(cell);
    var m = vec3f();
    for (var axis = 0; axis < DIM; axis++) { m[axis] = normals(cell)[axis]; }
    let length = abs(m.x) + abs(m.y) + abs(m.z);
    if share <= 0.0 || share >= 1.0 || length < 1e-4 { return vec4f(0.0, 0.0, 0.0, share); }
    m /= length;
    let constant = select(1.0 - corner_plane(abs(m), 1.0 - share), corner_plane(abs(m), share), share <= 0.5);
    let mirrored = min(m, vec3f());
    return vec4f(m, constant + mirrored.x + mirrored.y + mirrored.z);
}

// Constant of the plane that cuts a volume of at most 1/2 off the corner at zero, for m of no negative component.
fn corner_plane(m: vec3f, volume: f32) -> f32 {
    let small = min(m.x, min(m.y, m.z));
    let large = max(m.x, max(m.y, m.z));
    let middle = max(min(m.x, m.y), min(max(m.x, m.y), m.z));
    let both = small + middle;
    if volume * 2.0 * large >= both { return volume * large + 0.5 * both; }
    let area = middle * large;
    let tip = small * small / (6.0 * area);
    if volume < tip {
        let cube = 6.0 * small * area * volume;
        let root = pow(max(cube, 1e-30), 1.0 / 3.0);
        return root - (root * root * root - cube) / (3.0 * root * root);
    }
    let wedge = 0.5 * (small + sqrt(small * small + 8.0 * area * (volume - tip)));
    if wedge <= middle || DIM == 2 { return wedge; }
    return newton(vec3f(small, middle, large), volume, wedge);
}

// Beyond the middle corner, and beyond the large one if it comes before small + middle. m is sorted.
fn newton(m: vec3f, volume: f32, start: f32) -> f32 {
    let area = m.y * m.z;
    let edge = max(m.x * area, 1e-20);
    var a = start;
    for (var round = 0; round < 8; round++) {
        let past = max(vec2f(a) - m.yz, vec2f());
        let cut = (0.5 * a * (a - m.x) + m.x * m.x / 6.0) / area - dot(past * past, past) / (6.0 * edge);
        let slope = (a - 0.5 * m.x) / area - dot(past, past) / (2.0 * edge);
        a = clamp(a - (cut - volume) / max(slope, 1e-3), m.y, min(m.x + m.y, 0.5));
    }
    return a;
}
