//! Vector View
//! Shows a vector field: the hue is its direction in the xy plane, the lightness the square root of its length (so that
//! slow flow is visible). Hues have equal perceived brightness; in 3D, vectors towards +z are paler. Values that are not finite are magenta.
//! Source: Ottosson, A perceptual color space for image processing (OKLab), 2020.
//!
//! @in    velocity: Grid<Vec>                            Flow, or any vector field [m/s]
//! @out   image: Image, like velocity                    The image
//! @param max_speed: f32 = 1, 0.., soft 0.01..10         Length of full lightness [m/s]
//! @param colorfulness: f32 = 0.13, 0..0.4               Chroma of the wheel; 0 is grey
//! @use shared/finite

fn stage(cell: Cell) -> vec4f {
    let flow = velocity(cell);
    let speed = length(flow);
    if !is_finite(speed) { return vec4f(1.0, 0.0, 1.0, 1.0); }
    let value = sqrt(min(speed / max(params.max_speed, 1e-20), 1.0));
    let depth = select(0.0, flow[DIM - 1] / max(speed, 1e-20), DIM == 3);
    // Unit vector in the plane: cosine and sine of the hue.
    let hue = flow.xy / max(length(flow.xy), 1e-20);
    let lightness = mix(0.04, 0.76 + 0.12 * depth, value);
    let chroma = params.colorfulness * value * (1.0 - 0.5 * abs(depth));
    return vec4f(linear_from_oklab(vec3f(lightness, chroma * hue)), 1.0);
}

fn linear_from_oklab(lab: vec3f) -> vec3f {
    let root = vec3f(
        lab.x + 0.3963377774 * lab.y + 0.2158037573 * lab.z,
        lab.x - 0.1055613458 * lab.y - 0.0638541728 * lab.z,
        lab.x - 0.0894841775 * lab.y - 1.2914855480 * lab.z,
    );
    let lms = root * root * root;
    let rgb = vec3f(
        dot(lms, vec3f(4.0767416621, -3.3077115913, 0.2309699292)),
        dot(lms, vec3f(-1.2684380046, 2.6097574011, -0.3413193965)),
        dot(lms, vec3f(-0.0041960863, -0.7034186147, 1.7076147010)),
    );
    return clamp(rgb, vec3f(), vec3f(1.0));
}
