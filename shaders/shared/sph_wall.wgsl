//! SPH wall
//! What a wall takes of the kernel. Reads the input `wall`.

// The part of the kernel that a wall at this distance takes, and how fast that decreases with the distance [1/m].
fn share(distance: f32) -> vec2f {
    let wall = wall();
    let near = max(1.0 - max(distance, 0.0) / wall.y, 0.0);
    let far = select(0.0, max(1.0 - max(distance, 0.0) / wall.w, 0.0), wall.z > 0.0);
    let taken = wall.x * near * near * near + wall.z * far * far * far;
    let parts = steepness(distance);
    return vec2f(min(taken, 1.0), 3.0 * (parts.x + parts.y));
}

// A third of how fast its near part and its far part decrease [1/m].
fn steepness(distance: f32) -> vec2f {
    let wall = wall();
    let near = max(1.0 - max(distance, 0.0) / wall.y, 0.0);
    let far = select(0.0, max(1.0 - max(distance, 0.0) / wall.w, 0.0), wall.z > 0.0);
    return vec2f(wall.x * near * near / wall.y, wall.z * far * far / wall.w);
}
