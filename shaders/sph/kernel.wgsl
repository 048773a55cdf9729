//! SPH Kernel
//! The one kernel of SPH Density and SPH Acceleration, Wendland C2:  W = c (1 - q)^4 (1 + 4 q),  q = r/h.  A sum over so few neighbours is not the
//! integral, so both factors are normalised on the cubic (in 2D square) lattice of the rest density: there the density is rho_0, and a uniform pressure p
//! transmits the force p through each unit of area. Viscosity has the weight  (1 - q) (a (1 - q)^2 + b)  in place of the slope: a and b make the lattice's shear viscosity mu at 0 and at 45 degrees,
//! from h of 1.6 spacings (in 3D 1.8) on, apart from 5 % at 45 degrees around 2.8 spacings, where b would be negative. `wall` is what SPH Wall Density adds for a plane at distance z:
//! a (1 - z/b)^3 + a' (1 - z/b')^3.  It replaces the rows of the lattice beyond a wall half a spacing away, in density and in force.
//! Source: Wendland 1995; Dehnen and Aly, MNRAS 425, 2012 (no pairing); Price, J. Comput. Phys. 231, 2012 (energy of SPH).
//!
//! @over once
//! @in    mass: f32                  Mass of a particle [kg]
//! @in    radius: f32                Smoothing radius h [m]
//! @in    rest_density: f32 = 1000   Density at rest rho_0 [kg/m^3]
//! @out   kernel: vec4f              mass W divided by (1 - q)^4 (1 + 4 q); mass (-dW/dr)/r divided by (1 - q)^3; h; a and b, packed by pack2x16float(vec2f(b, a)), of which SPH Acceleration multiplies the second component [kg/m^3, kg/m^5, m]
//! @out   wall: vec4f                a, b, a' and b' [1, m, 1, m]
//! @out   carry: f32                 Of a pressure gradient towards a wall, the part  carry (1 - z/b')^2  comes from beyond it, half at the first row and no more

const PI = 3.14159265358979;

fn stage() -> Result {
    let h = max(radius(), 1e-5);
    let spacing = max(pow(max(mass() / max(rest_density(), 1e-20), 0.0), 1.0 / f32(DIM)), 1e-6);
    let ratio = clamp(h / spacing, 1.01, 6.0);
    let farthest = clamp(i32(ceil(ratio)) - 1, 0, 5);
    var density = 0.0;
    var stress = 0.0;
    var along = vec2f(); // sums of x^4 and of x^2 y^2 of both weights of viscosity
    var across = vec2f();
    var beyond = vec2f(); // density of the rows beyond a wall, of all and of all but the nearest
    var pull = 0.0;
    for (var z = 0; z <= select(0, farthest, DIM == 3); z++) {
        for (var y = 0; y <= farthest; y++) {
            for (var x = 0; x <= farthest; x++) {
                let q = length(vec3f(f32(x), f32(y), f32(z))) / ratio;
                let inside = max(1.0 - q, 0.0);
                let sites = f32((1 + i32(x > 0)) * (1 + i32(y > 0)) * (1 + i32(z > 0)));
                let value = sites * inside * inside * inside * inside * (1.0 + 4.0 * q);
                let steep = sites * 20.0 * inside * inside * inside;
                density += value;
                stress += steep * q * q / f32(DIM);
                let weights = sites / (ratio * ratio * ratio * ratio) * vec2f(inside * inside * inside, inside);
                along += weights * f32(x * x * x * x);
                across += weights * f32(x * x * y * y);
                beyond += 0.5 * value * vec2f(f32(y > 0), f32(y > 1));
                pull += steep * f32(y) / ratio; // half of the sites, twice: p_i and p_j are the same
            }
        }
    }
    beyond /= density;
    let push = pull / (stress * h);
    // The second row loses `beyond.y`; the nearest one loses `beyond.x`, and there the slope is that of the force.
    let far = max(h, 1.01 * spacing) - 0.5 * spacing;
    let left = vec2f(1.0) - vec2f(0.5, 1.5) * spacing / far;
    let second = select(0.0, beyond.y / pow(max(left.y, 0.001), 3.0), left.y > 0.001);
    let value = beyond.x - second * pow(left.x, 3.0);
    let steep = push - 3.0 * second * left.x * left.x / far;
    let near = 0.5 * spacing + 3.0 * value / steep;
    let first = value / pow(1.0 - 0.5 * spacing / near, 3.0);
    let factor = mass() * select(10.5, 7.0, DIM == 2) / (PI * pow(h, f32(DIM)));
    // A lattice sum times the volume of a site is the integral that the kernel's factor makes 1.
    let site = select(10.5, 7.0, DIM == 2) / (PI * pow(ratio, f32(DIM)));
    // Isotropic is  sum of x^4 = 3 sum of x^2 y^2;  without neighbours on diagonals the integral has to do.
    let uneven = along - 3.0 * across;
    let b = select(0.0, clamp(-uneven.x / uneven.y, 0.0, 1.0), abs(uneven.y) > 1e-6 * along.y);
    let shear = 20.0 * f32(DIM + 2) * (across.x + b * across.y);
    let a = select(select(3.0, 3.6, DIM == 2), stress / shear, shear > 0.1 * stress);
    return Result(vec4f(factor / (density * site), 20.0 * factor / (h * h * stress * site), h, bitcast<f32>(pack2x16float(vec2f(select(0.0, a * b, shear > 0.1 * stress), a)))), vec4f(first, near, second, far), 0.5 / (left.x * left.x));
}
