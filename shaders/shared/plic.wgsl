//! PLIC
//! Parts of a cell below the plane of its interface. Reads the input `plane`.
//! @use shared/plane_volume
//! @use shared/plic_quanta

// f and g in a slab of a cell, no more than is there.
fn slab(cell: Cell, axis: i32, start: f32, width: f32, there: vec2f) -> vec2f {
    if width == 0.0 { return vec2f(); }
    let cut = round(width * part(plane(cell), axis, start, width) * QUANTA) / QUANTA;
    let f = min(max(cut, width - there.y), min(there.x, width));
    return vec2f(f, min(width - f, there.y));
}

// Part of a slab that lies below a plane.
fn part(plane: vec4f, axis: i32, start: f32, width: f32) -> f32 {
    if all(plane.xyz == vec3f()) { return plane.w; }
    var n = plane.xyz;
    var constant = plane.w - n[axis] * start;
    n[axis] *= width;
    let length = abs(n.x) + abs(n.y) + abs(n.z);
    if length == 0.0 { return select(0.0, 1.0, constant > 0.0); }
    let mirrored = max(-n, vec3f());
    constant = (constant + mirrored.x + mirrored.y + mirrored.z) / length;
    if constant > 0.5 { return 1.0 - corner(abs(n) / length, 1.0 - constant); }
    return corner(abs(n) / length, constant);
}
