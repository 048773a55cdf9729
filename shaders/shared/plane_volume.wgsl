//! Volume below a plane
//! Volume that a plane cuts off a unit cube.
//! Source: Scardovelli and Zaleski, J. Comput. Phys. 164, 2000.

// Volume that a plane cuts off the corner at zero of a unit cube, a <= 1/2, by the sizes of m's components.
fn corner(m: vec3f, a: f32) -> f32 {
    if a <= 0.0 { return 0.0; }
    let small = min(m.x, min(m.y, m.z));
    let large = max(m.x, max(m.y, m.z));
    let middle = max(min(m.x, m.y), min(max(m.x, m.y), m.z));
    if a >= small + middle { return (a - 0.5 * (small + middle)) / large; }
    let area = middle * large;
    if a < small { return a * a * a / (6.0 * small * area); }
    let past = max(vec2f(a) - vec2f(middle, large), vec2f());
    let wedge = (0.5 * a * (a - small) + small * small / 6.0) / area;
    return wedge - dot(past * past, past) / max(6.0 * small * area, 1e-20);
}
