//! Colour Map
//! Shows a scalar field in colours:  t = (value - low) / (high - low), clamped to 0..1.
//! Values that are not finite are magenta, so that a blow-up is visible.
//! Keywords: viridis, false colour, heat map, lookup
//! Source: viridis, magma, inferno, plasma: Smith and van der Walt 2015 (CC0), polynomial fits by Zucker 2018.
//!
//! @in    field: Grid<f32>                  Any scalar: density, pressure, vorticity
//! @out   image: Image, like field          The image
//! @param map: i32 = 0, 0..5                0 viridis, 1 magma, 2 inferno, 3 plasma, 4 diverging (blue, white, red), 5 grey
//! @param low: f32 = 0, soft -10..10        Value of the first colour
//! @param high: f32 = 1, soft -10..10       Value of the last colour
//! @use shared/finite

fn stage(cell: Cell) -> vec4f {
    let value = field(cell);
    if !is_finite(value) { return vec4f(1.0, 0.0, 1.0, 1.0); }
    let span = params.high - params.low;
    let t = clamp((value - params.low) / select(span, 1e-30, span == 0.0), 0.0, 1.0);
    return vec4f(linear_from_srgb(clamp(color(t), vec3f(), vec3f(1.0))), 1.0);
}

fn color(t: f32) -> vec3f {
    switch params.map {
        case 0 { return viridis(t); }
        case 1 { return magma(t); }
        case 2 { return inferno(t); }
        case 3 { return plasma(t); }
        case 4 { return signed(t); }
        default { return vec3f(t); }
    }
}

fn viridis(t: f32) -> vec3f {
    return vec3f(0.277727, 0.005407, 0.334100) + t * (vec3f(0.105093, 1.404614, 1.384590)
        + t * (vec3f(-0.330862, 0.214848, 0.095095) + t * (vec3f(-4.634230, -5.799101, -19.332441)
        + t * (vec3f(6.228270, 14.179933, 56.690553) + t * (vec3f(4.776385, -13.745145, -65.353033)
        + t * vec3f(-5.435456, 4.645853, 26.312435))))));
}

fn magma(t: f32) -> vec3f {
    return vec3f(-0.002136, -0.000750, -0.005386) + t * (vec3f(0.251661, 0.677523, 2.494027)
        + t * (vec3f(8.353717, -3.577720, 0.314468) + t * (vec3f(-27.668733, 14.264731, -13.649213)
        + t * (vec3f(52.176140, -27.943606, 12.944169) + t * (vec3f(-50.768525, 29.046583, 4.234153)
        + t * vec3f(18.655705, -11.489774, -5.601962))))));
}

fn inferno(t: f32) -> vec3f {
    return vec3f(0.000219, 0.001651, -0.019481) + t * (vec3f(0.106513, 0.563956, 3.932712)
        + t * (vec3f(11.602493, -3.972854, -15.942394) + t * (vec3f(-41.703996, 17.436399, 44.354145)
        + t * (vec3f(77.162936, -33.402359, -81.807309) + t * (vec3f(-71.319428, 32.626064, 73.209520)
        + t * vec3f(25.131126, -12.242669, -23.070325))))));
}

fn plasma(t: f32) -> vec3f {
    return vec3f(0.058732, 0.023337, 0.543340) + t * (vec3f(2.176515, 0.238383, 0.753960)
        + t * (vec3f(-2.689460, -7.455851, 3.110800) + t * (vec3f(6.130348, 42.346188, -28.518855)
        + t * (vec3f(-11.107436, -82.666311, 60.139848) + t * (vec3f(10.023066, 71.413618, -54.072187)
        + t * vec3f(-3.658714, -22.931535, 18.191908))))));
}

// White in the middle, darkening to both ends.
fn signed(t: f32) -> vec3f {
    let arm = abs(2.0 * t - 1.0);
    let red = t > 0.5;
    let light = select(vec3f(0.57, 0.77, 0.87), vec3f(0.96, 0.65, 0.51), red);
    let strong = select(vec3f(0.13, 0.40, 0.67), vec3f(0.70, 0.09, 0.17), red);
    let dark = select(vec3f(0.02, 0.19, 0.38), vec3f(0.40, 0.00, 0.12), red);
    let near = mix(vec3f(0.97), light, clamp(arm / 0.4, 0.0, 1.0));
    let middle = mix(near, strong, clamp((arm - 0.4) / 0.4, 0.0, 1.0));
    return mix(middle, dark, clamp((arm - 0.8) / 0.2, 0.0, 1.0));
}

// Maps are published in sRGB; an Image is linear.
fn linear_from_srgb(color: vec3f) -> vec3f {
    return select(pow((color + 0.055) / 1.055, vec3f(2.4)), color / 12.92, color <= vec3f(0.04045));
}
