//! Six-Way Light
//! How much light reaches each position in smoke from the six sides of the image: exp(-absorption * sum of density along the path).
//! For Six-Way Maps.
//! Source: Beer-Lambert law, as Light Volume.
//!
//! @in    camera: Camera                               Viewpoint, whose axes give the directions
//! @in    density: Grid<f32>                           Smoke
//! @out   positive: Grid<vec4f>, like density          Fraction of the light that arrives from the right, the top and the back
//! @out   negative: Grid<vec4f>, like density          The same from the left, the bottom and the front
//! @param absorption: f32 = 20, 0.., soft 0..60        Absorption by a density of 1 [1/m]
//! @param reach: f32 = 1, 0.001.., soft 0.1..4         Distance towards the light over which smoke counts [m]

const STEPS = 24;

fn stage(cell: Cell) -> Result {
    let view = camera();
    let place = position(cell);
    let right = view[0].xyz;
    let up = view[1].xyz;
    let back = view[2].xyz;
    let positive = vec4f(arrives(place, right), arrives(place, up), arrives(place, back), 1.0);
    let negative = vec4f(arrives(place, -right), arrives(place, -up), arrives(place, -back), 1.0);
    return Result(positive, negative);
}

fn arrives(place: Vec, side: vec3f) -> f32 {
    var towards = Vec();
    for (var axis = 0; axis < DIM; axis++) { towards[axis] = side[axis]; }
    let step = params.reach / f32(STEPS);
    var thickness = 0.0;
    for (var i = 0; i < STEPS; i++) { thickness += max(density_at(place + (f32(i) + 0.5) * step * towards), 0.0); }
    return exp(-params.absorption * thickness * step);
}
