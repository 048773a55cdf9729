//! Marbling
//! An ebru sheet before combing: inks fall drop by drop, and each drop pushes the others aside while their area is conserved:
//! |p' - c| = sqrt(|p - c|^2 + r^2).  A pixel undoes the drops from the last to the first until it lies inside one.
//! Source: Lu, Jaffer, Jin, Zhao and Mao, Mathematical Marbling, IEEE Computer Graphics and Applications 32, 2012.
//!
//! @out   image: Image                                       The sheet, for Advect Image to comb
//! @param drops: i32 = 300, 1..512                           Number of drops
//! @param centers: i32 = 24, 1..64, soft 1..32               Number of places where drop after drop falls, which gives rings
//! @param radius: f32 = 0.12, 0..1, soft 0.02..0.3           Largest drop, as a fraction of the shorter side
//! @param scatter: f32 = 0.06, 0..1                          Scatter of drops around their place, as a fraction of the sheet
//! @param speckles: f32 = 0.25, 0..1                         Share of drops that fall last, small and anywhere
//! @param medallion: f32 = 0, 0..1                           Share of drops that fall before those, all in the centre
//! @param waviness: f32 = 0.02, 0.., soft 0..0.1             Unevenness of the outlines, as a fraction of the shorter side
//! @param seed: i32 = 1, 0..9999, soft 0..100                Random seed
//! @param paper: color = (0.90, 0.80, 0.62, 1)               Cream, the ground
//! @param ink_1: color = (0.012, 0.020, 0.090, 1)            Deep indigo
//! @param ink_2: color = (0.62, 0.045, 0.020, 1)             Vermilion
//! @param ink_3: color = (0.72, 0.36, 0.050, 1)              Gold
//! @param ink_4: color = (0.008, 0.18, 0.20, 1)              Teal

const SAMPLES = 2;

fn stage(cell: Cell) -> vec4f {
    var sum = vec4f();
    for (var y = 0; y < SAMPLES; y++) {
        for (var x = 0; x < SAMPLES; x++) {
            let within = (vec2f(f32(x), f32(y)) + 0.5) / f32(SAMPLES) - 0.5;
            let point = position(cell).xy + within * CELL_SIZE - 0.5 * SIZE.xy;
            sum += ink(uneven(point / min(SIZE.x, SIZE.y)));
        }
    }
    return sum / f32(SAMPLES * SAMPLES);
}

// The colour at a point in units of the shorter side, from the middle of the sheet.
fn ink(start: vec2f) -> vec4f {
    var point = start;
    for (var age = 0; age < params.drops; age++) {
        let drop = params.drops - 1 - age;
        let radius = drop_radius(drop);
        let from_center = point - drop_center(drop);
        let squared = dot(from_center, from_center) - radius * radius;
        if squared < 0.0 { return drop_color(drop); }
        point = drop_center(drop) + from_center * sqrt(squared / (squared + radius * radius));
    }
    return params.paper;
}

// Places follow the R2 sequence (Roberts 2018), which covers the sheet evenly.
fn drop_center(drop: i32) -> vec2f {
    let place = select(drop % params.centers, drop, is_speckle(drop)) + params.seed * 7;
    let miss = vec2f(chance(drop, 0), chance(drop, 1)) - 0.5;
    let even = fract(vec2f(0.7548777, 0.5698403) * f32(place)) - 0.5;
    let center = even * select(1.15, 0.0, is_medallion(drop)) + miss * params.scatter;
    return center * SIZE.xy / min(SIZE.x, SIZE.y);
}

fn is_speckle(drop: i32) -> bool {
    return f32(drop) >= f32(params.drops) * (1.0 - params.speckles);
}

fn is_medallion(drop: i32) -> bool {
    return !is_speckle(drop) && f32(drop) >= f32(params.drops) * (1.0 - params.speckles - params.medallion);
}

// Drops at a place grow smaller as the water fills up with ink.
fn drop_radius(drop: i32) -> f32 {
    let luck = chance(drop, 2);
    let ring = mix(1.0, 0.5, f32(drop) / f32(params.drops)) * mix(0.6, 1.0, luck);
    return params.radius * select(ring, mix(0.04, 0.25, luck * luck), is_speckle(drop));
}

// Every other ring is paper or indigo, which sets off the bright inks.
fn drop_color(drop: i32) -> vec4f {
    let ring = select(drop / params.centers, drop, is_medallion(drop));
    let ground = ring % 2 == 1;
    let pick = select(chance(drop, 3), fract(0.618034 * f32(drop)), is_medallion(drop));
    if ground && pick < 0.4 { return params.paper; }
    if ground { return params.ink_1; }
    if pick < 0.36 { return params.ink_2; }
    if pick < 0.66 { return params.ink_3; }
    return params.ink_4;
}

fn uneven(point: vec2f) -> vec2f {
    let slow = sin(point.yx * vec2f(5.1, 6.3) + vec2f(0.7, 2.1) + f32(params.seed));
    let quick = sin(point.yx * vec2f(13.7, 11.9) + slow * 1.7 + vec2f(4.0, 1.3));
    return point + params.waviness * (slow + 0.4 * quick);
}

fn chance(drop: i32, salt: i32) -> f32 {
    return random(Cell(drop), u32(params.seed * 8 + salt));
}
