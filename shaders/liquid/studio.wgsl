//! Studio
//! Light that a reflecting surface sends to the camera, by the x and y of its unit normal (z points to the camera): two softboxes beside
//! the object, one above, a light from behind for grazing edges, and a dark room.
//! Source: Sloan, Martin, Gooch and Gooch, The Lit Sphere, Graphics Interface 2001.
//!
//! @out   light: Field<vec3f>                                     Radiance, in linear light
//! @param key: color = (3.2, 3.1, 2.9, 1)                         Softbox on the left
//! @param key_place: vec2f = (-62, 12), soft -180..180            Its centre: angle to the right of the camera and upwards [degrees]
//! @param key_size: vec2f = (15, 38), 0.., soft 0..90             Half its width and height [degrees]
//! @param fill: color = (1.15, 1.2, 1.3, 1)                       Softbox on the right
//! @param fill_place: vec2f = (84, 4), soft -180..180             Its middle [degrees]
//! @param fill_size: vec2f = (7, 48), 0.., soft 0..90             Half its width and height [degrees]
//! @param top: color = (2.2, 2.2, 2.2, 1)                         Softbox above
//! @param top_place: vec2f = (0, 50), soft -180..180              Its middle [degrees]
//! @param top_size: vec2f = (48, 9), 0.., soft 0..90              Half its width and height [degrees]
//! @param rim: color = (0.75, 0.85, 1.0, 1)                       Light from behind, along outlines
//! @param ceiling: color = (0.10, 0.12, 0.15, 1)                  The room upwards
//! @param ground: color = (0.015, 0.014, 0.014, 1)                The room downwards

fn stage(position: Vec) -> vec3f {
    let slope = position.xy / max(length(position.xy), 1.0);
    let facing = sqrt(max(1.0 - dot(slope, slope), 0.0));
    let mirrored = vec3f(2.0 * facing * slope, 2.0 * facing * facing - 1.0);
    let aside = degrees(atan2(mirrored.x, mirrored.z));
    let upward = degrees(asin(clamp(mirrored.y, -1.0, 1.0)));
    let seen = vec2f(aside, upward);
    var light = mix(params.ground.rgb, params.ceiling.rgb, smoothstep(-0.6, 0.9, mirrored.y));
    light += params.key.rgb * box(seen - params.key_place, params.key_size);
    light += params.fill.rgb * box(seen - params.fill_place, params.fill_size);
    light += params.top.rgb * box(seen - params.top_place, params.top_size);
    return light + params.rim.rgb * smoothstep(0.35, 0.0, facing) * (0.65 + 0.35 * slope.y);
}

// A softbox: bright in the middle, with soft edges.
fn box(away: vec2f, size: vec2f) -> f32 {
    let part = abs(away) / max(size, vec2f(1e-3));
    let soft = 1.0 - smoothstep(vec2f(0.72), vec2f(1.22), part);
    return soft.x * soft.y * (1.0 - 0.35 * min(dot(part, part), 1.0));
}
