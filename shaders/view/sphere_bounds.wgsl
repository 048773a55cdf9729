//! Sphere Bounds
//! The bounding rectangle of a sphere in a perspective image: the slopes of the tangents from the camera
//! along x and y,  (c z +- r sqrt(c^2 + z^2 - r^2)) / (z^2 - r^2),  with c its centre across and z along the viewing axis.
//! A sphere that crosses the near plane may be anywhere; one completely in front of the near plane has an empty rectangle.
//! Used by Sphere Depth, Sphere Index and Sphere Thickness. Independent of the image size.
//! Source: Mara and McGuire, 2D Polyhedral Bounds of a Clipped, Perspective-Projected 3D Sphere, JCGT 2(2), 2013.
//!
//! @in    camera: Camera               Viewpoint of the image
//! @inout particles: Particles{position: Vec, radius: f32} -> {bounds: vec4f}    Spheres in 3D; gain the left, lower, right and upper bound
//! @param near: f32 = 0.01, 0.0001..   Depth of the near plane [m]

const FAR_OUT = 1000.0; // in half heights of the picture

fn stage(particle: Particle) -> vec4f {
    let view = camera();
    let away = particle.position - camera_eye(view);
    let depth = dot(away, view[2].xyz);
    let radius = particle.radius;
    if depth + radius < params.near || radius <= 0.0 { return vec4f(1.0, 1.0, -1.0, -1.0); }
    if depth - radius < params.near { return vec4f(-FAR_OUT, -FAR_OUT, FAR_OUT, FAR_OUT); }
    let x = slopes(dot(away, view[0].xyz), depth, radius);
    let y = slopes(dot(away, view[1].xyz), depth, radius);
    let edges = vec4f(x.x, y.x, x.y, y.y) * camera_scale(view, 1.0);
    return clamp(edges, vec4f(-FAR_OUT), vec4f(FAR_OUT));
}

// Slopes x / z of the two lines in the plane of x and z that touch a circle.
fn slopes(across: f32, depth: f32, radius: f32) -> vec2f {
    let square = (depth - radius) * (depth + radius);
    let reach = radius * sqrt(across * across + square);
    return (across * depth + vec2f(-reach, reach)) / square;
}
