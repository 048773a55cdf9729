//! Light Volume
//! How much light reaches each position in smoke:  exp(-absorption * sum of density along the path to the light),  and less in the
//! soft shadow of a shape. Used to light Points and others.
//! Source: Beer-Lambert law; single scattering as in Kajiya and Von Herzen, SIGGRAPH 1984; soft shadow: Quilez.
//!
//! @in    density: Grid<f32>                                                Smoke, for instance Particles to Grid
//! @in    shape: Field<f32> = 1e9                                           Signed distance to the objects that cast a shadow [m]
//! @out   light: Grid<f32>, like density                                    Fraction of the light that arrives, 0..1
//! @param to_light: vec3f = (-0.5, 0.9, 0.5), soft -1..1, handle direction  Direction to the light, of any length
//! @param absorption: f32 = 1, 0.., soft 0..10                              Absorption by a density of 1 [1/m]
//! @param reach: f32 = 1, 0.001.., soft 0.1..4                              Distance towards the light over which smoke counts [m]
//! @param softness: f32 = 0.2, 0.001..1                                     Width of the shape's shadow's edge, as a fraction of its distance

const STEPS = 24;

fn stage(cell: Cell) -> f32 {
    let place = position(cell);
    var towards = Vec();
    for (var axis = 0; axis < DIM; axis++) { towards[axis] = params.to_light[axis]; }
    towards /= max(length(towards), 1e-20);
    let step = params.reach / f32(STEPS);
    var thickness = 0.0;
    var lit = 1.0;
    for (var i = 0; i < STEPS; i++) {
        let away = (f32(i) + 0.5) * step;
        thickness += max(density_at(place + away * towards), 0.0);
        lit = min(lit, 0.5 + shape(place + away * towards) / (params.softness * away));
    }
    return exp(-params.absorption * thickness * step) * smoothstep(0.0, 1.0, lit);
}
