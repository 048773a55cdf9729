//! SPH wall
//! What a wall takes of the kernel. Reads the input `wall`.

// The part of the kernel that a wall at this distance takes, and how fast that decreases with the distance [1/m].
fn share(distance: f32) -> vec2f {
    let wall = wall();
    let near = max(1.0 - max(distance, 0.0) / wall.y, 0.0);
    let far = select(0.0, max(1.0 - max(distance, 0.0) / wall.w, 0.0), wall.z > 0.0);
    let taken = wall.x * near * near * near + wall.z * far * far * far;
    return vec2f(min(taken, 1.0), 3.0 * (wall.x * near * near / wall.y + wall.z * far * far / wall.w));
}
