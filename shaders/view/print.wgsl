//! Print View
//! Shows an image as a framed print: sharpened inks on grained paper, behind a bevelled mat and a
//! frame. These cover the border of the image, so pointer positions do not change.
//! Source: unsharp mask, limited to the extrema of the pixels that it reads (no halo), as in Selle et al. 2008.
//!
//! @in    image: Image                                   The image
//! @out   print: Image, like image                       The framed print
//! @param mat_width: f32 = 0.075, 0..0.5, soft 0..0.2    Width of the mat, as a fraction of the shorter side; 0 omits mat and frame
//! @param frame_width: f32 = 0.022, 0..0.2               Width of the frame, likewise
//! @param sharpness: f32 = 1.5, 0.., soft 0..4           Weight of the unsharp mask
//! @param reach: f32 = 0.003, 0..0.05, soft 0..0.01      Width of a soft edge that is sharpened, likewise; at least a cell
//! @param grain: f32 = 0.05, 0..1, soft 0..0.2           Roughness of the paper
//! @param mat_color: color = (0.86, 0.84, 0.79, 1)       Mat board
//! @param frame_color: color = (0.012, 0.010, 0.009, 1)  Frame

fn stage(cell: Cell) -> vec4f {
    let here = position(cell).xy;
    let side = min(SIZE.x, SIZE.y);
    let shade = away_from_light(here);
    let roughness = params.grain * (fibre(here / side) - 0.5);
    // Distance from the rim and its step to the next pixel, in units of the shorter side.
    let rim = min(min(here.x, SIZE.x - here.x), min(here.y, SIZE.y - here.y)) / side;
    let pixel = CELL_SIZE / side;
    let mounted = params.mat_width > 0.0;
    let opening = params.mat_width + params.frame_width;

    let under_mat = exp(-max(rim - opening, 0.0) / 0.006) * select(0.0, 0.35, mounted);
    let ink = sharpened(position(cell)) * (1.0 + roughness) * (1.0 - under_mat * shade);
    let under_frame = 0.22 * exp(-max(rim - params.frame_width, 0.0) / 0.008);
    let board = params.mat_color.rgb * (1.0 + 0.3 * roughness) * (1.0 - under_frame * shade);
    // The cut of the mat: pale where the light falls on it, dim where not.
    let cut = params.mat_color.rgb * mix(1.12, 0.62, shade);
    let wood = params.frame_color.rgb * (1.0 + 1.5 * smoothstep(0.5, 1.0, rim / max(params.frame_width, 1e-6)));

    var color = mix(wood, board, edge(rim - params.frame_width, pixel));
    color = mix(color, cut, edge(rim - opening + max(0.004, pixel), pixel));
    color = mix(color, ink, select(1.0, edge(rim - opening, pixel), mounted));
    return vec4f(color, 1.0);
}

// 0 before and 1 after an edge, over a pixel.
fn edge(distance: f32, pixel: f32) -> f32 {
    return clamp(distance / pixel + 0.5, 0.0, 1.0);
}

fn sharpened(point: Vec) -> vec3f {
    let step = max(CELL_SIZE, params.reach * min(SIZE.x, SIZE.y));
    let middle = image_at(point).rgb;
    var sum = middle;
    var low = middle;
    var high = middle;
    for (var i = 0; i < 8; i++) {
        let around = i + i / 4; // the middle of the 3 x 3 is left out
        let value = image_at(point + step * Vec(unit(0) * (around % 3 - 1) + unit(1) * (around / 3 - 1))).rgb;
        sum += value;
        low = min(low, value);
        high = max(high, value);
    }
    return clamp(middle + params.sharpness * (middle - sum / 9.0), low, high);
}

// 1 on the sides of the opening that turn away from the light (upper and left), 0 on the others.
fn away_from_light(point: vec2f) -> f32 {
    let from_middle = point / SIZE.xy - 0.5;
    return smoothstep(-0.02, 0.02, max(from_middle.y, -from_middle.x) - max(-from_middle.y, from_middle.x));
}

// Value noise, drawn out like fibres.
fn fibre(point: vec2f) -> f32 {
    let place = vec2f(point.x + 0.4 * point.y, point.y - 0.4 * point.x) * vec2f(100.0, 270.0);
    let corner = floor(place);
    let t = smoothstep(vec2f(), vec2f(1.0), place - corner);
    let low = mix(chance(corner), chance(corner + vec2f(1.0, 0.0)), t.x);
    let high = mix(chance(corner + vec2f(0.0, 1.0)), chance(corner + vec2f(1.0)), t.x);
    return mix(low, high, t.y);
}

fn chance(corner: vec2f) -> f32 {
    return random(Cell(i32(corner.x)), u32(i32(corner.y)));
}
