//! Camera
//! A camera that looks at a point from a distance. Set `azimuth` to an expression of `time` or `mouse` to orbit.
//! Source: pinhole camera.
//!
//! @over once
//! @out   camera: Camera                                                        The camera
//! @param look_at: vec3f = (0.5, 0.5, 0.5), soft -2..2, handle position         Point in the middle of the image [m]
//! @param azimuth: f32 = 30, soft -180..180, handle azimuth of look_at          Direction to the camera about +y: 0 is +z, 90 is +x [degrees]
//! @param elevation: f32 = 15, -90..90, handle elevation of look_at             Height of the camera above the horizon [degrees]
//! @param distance: f32 = 3, 0.001.., soft 0.1..20, handle distance of look_at  Distance from the point [m]
//! @param fov: f32 = 35, 1..150                                                 Angle between the upper and the lower edge of the image [degrees]
//! @param roll: f32 = 0, soft -180..180                                         Rotation of the camera about its viewing axis [degrees]

fn stage() -> mat4x4f {
    let turn = radians(params.azimuth);
    let rise = radians(params.elevation);
    let back = vec3f(cos(rise) * sin(turn), sin(rise), cos(rise) * cos(turn));
    let level = vec3f(cos(turn), 0.0, -sin(turn));
    let upright = cross(back, level);
    let roll = radians(params.roll);
    let right = cos(roll) * level + sin(roll) * upright;
    let up = cos(roll) * upright - sin(roll) * level;
    let eye = params.look_at + params.distance * back;
    return mat4x4f(vec4f(right, tan(0.5 * radians(params.fov))), vec4f(up, 0.0), vec4f(-back, 0.0), vec4f(eye, 1.0));
}
