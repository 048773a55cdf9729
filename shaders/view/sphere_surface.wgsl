//! Sphere Surface
//! The surface in each pixel of an image of spheres: position, outward unit normal, velocity, and coverage.
//! Source: the article's step 5, whose raster holds the same.
//!
//! @in    index: Grid<u32>                    The visible particle, from Sphere Index
//! @in    depth: Grid<f32>                    Its depth, from Sphere Depth [m]
//! @in    camera: Camera                      The same camera
//! @in    particles: Particles{position: Vec, velocity: Vec}    The same spheres
//! @out   place: Grid<vec3f>, like depth      Position in space, zero where there is nothing [m]
//! @out   normal: Grid<vec3f>, like depth     Outward unit vector, zero where there is nothing
//! @out   velocity: Grid<vec3f>, like depth   Velocity of the particle [m/s]
//! @out   opacity: Grid<f32>, like depth      1 where a sphere is visible, otherwise 0

fn stage(cell: Cell) -> Result {
    let seen = index(cell);
    let view = camera();
    let depth = depth(cell);
    if depth > 1e30 || seen >= particles_count() { return Result(vec3f(), vec3f(), vec3f(), 0.0); }
    let ray = camera_ray(view, screen(cell));
    let place = camera_eye(view) + ray * (depth / dot(ray, view[2].xyz));
    let sphere = particles(seen);
    let outward = place - sphere.position;
    return Result(place, outward / max(length(outward), 1e-20), sphere.velocity, 1.0);
}
