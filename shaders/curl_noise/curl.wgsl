//! Curl
//! The flow of a vector potential:  u = curl(psi),  by central differences. It conserves volume for any potential.
//! In a 2D domain only the z component of psi counts:  u = (dpsi/dy, -dpsi/dx).
//! Source: Bridson, Hourihan and Nordenstam, Curl-Noise for Procedural Fluid Flow, SIGGRAPH 2007, equations 1 and 2.
//!
//! @in    potential: Field<vec3f>                           psi [m^2/s]
//! @out   velocity: Field<Vec>                              u [m/s]
//! @param step: f32 = 0.001, 0.0001.., soft 0.001..0.05     Half the distance of a difference. It lets (step / radius)^2 of the speed through a curved surface [m]

fn stage(position: Vec) -> Vec {
    var curl = vec3f();
    var before = vec3f();
    // One call in a loop: a chain of fields takes memory wherever it is called.
    for (var face = 0; face < FACES; face += 1) {
        let next = potential(position + params.step * face_normal(face));
        let along = face_normal(face);
        if (face & 1) == 1 { curl += cross(vec3f(along.xy, select(0.0, along[DIM - 1], DIM == 3)), next - before); }
        before = next;
    }
    var velocity = Vec();
    for (var axis = 0; axis < DIM; axis++) { velocity[axis] = curl[axis] / (2.0 * params.step); }
    return velocity;
}
