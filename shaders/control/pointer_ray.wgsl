//! Pointer Ray
//! The ray from the camera through the pointer. Set the node's `on` to the domain of the image that the pointer is over.
//! Source: pinhole camera.
//! Keywords: mouse, pick, hand
//!
//! @over once
//! @in    camera: Camera        Viewpoint of the image
//! @out   origin: vec3f         Position of the camera [m]
//! @out   direction: vec3f      Unit vector through the pointer

fn stage() -> Result {
    let size = vec2f(f32(RESOLUTION.x), f32(RESOLUTION.y));
    // Pixels across, so that a pointer at 0 or 1 is on the border of the image.
    let point = (2.0 * frame.mouse - 1.0) * vec2f(size.x / size.y, 1.0);
    let view = camera();
    return Result(camera_eye(view), camera_ray(view, point));
}
