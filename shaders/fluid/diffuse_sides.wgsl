//! Diffuse (sides)
//! One Gauss-Seidel sweep of backward Euler diffusion of a scalar,  (I - dt diffusivity lap) q = q_before,  whose sides and obstacles have a fixed value, a fixed flux, or let
//! nothing through: a heated floor, a cold window, a plate that is fed. A value holds on the side itself, half a cell from the middle of the
//! first cells, by the ghost value  2 q_side - q;  a flux F adds  dt F / h  to them. Second order in the size of the cells. Connect the field to both inputs. Open and
//! periodic sides have neither: what passes there, the fluid carries.
//! Source: Patankar, Numerical Heat Transfer and Fluid Flow, 1980, ch. 4 (boundary conditions); Harlow and Welch, Phys. Fluids 8, 1965 (ghost values).
//! Keywords: heat, temperature, conduction, boundary condition, Dirichlet, Neumann, heated wall
//!
//! @iterations 20
//! @sweep checkerboard
//! @in    before: Grid<f32>                            The field before diffusion, the right-hand side
//! @inout field: Grid<f32> = 0, radius 1               The diffused field, refined by each sweep
//! @in    profile: Field<f32> = 0                      Added to the value or flux of each side where it is read: for sides that are not the same all along
//! @in    open: Grid<f32> = 1                          1 in cells that fluid can fill, 0 in obstacles
//! @in    obstacle: Grid<f32> = 0                      Value or flux of obstacles, read in their own cells
//! @param diffusivity: f32 = 0.001, 0.., soft 0..0.1   Diffusivity; of heat, conductivity over density and heat capacity [m^2/s]
//! @param left_kind: i32 = 0, 0..2                     Left side: 0 lets nothing through, 1 has a value, 2 a flux into the fluid
//! @param left: f32 = 0, soft -1..1                    Its value, or flux [value m/s]
//! @param right_kind: i32 = 0, 0..2                    The same of the right side
//! @param right: f32 = 0, soft -1..1                   Its value, or flux [value m/s]
//! @param bottom_kind: i32 = 0, 0..2                   The same of the bottom
//! @param bottom: f32 = 0, soft -1..1                  Its value, or flux [value m/s]
//! @param top_kind: i32 = 0, 0..2                      The same of the top
//! @param top: f32 = 0, soft -1..1                     Its value, or flux [value m/s]
//! @param back_kind: i32 = 0, 0..2                     The same of the back, in 3D
//! @param back: f32 = 0, soft -1..1                    Its value, or flux [value m/s]
//! @param front_kind: i32 = 0, 0..2                    The same of the front
//! @param front: f32 = 0, soft -1..1                   Its value, or flux [value m/s]
//! @param obstacle_kind: i32 = 0, 0..2                 The same of obstacles

fn stage(cell: Cell) -> f32 {
    if open_wired && open(cell) < 0.5 { return select(before(cell), obstacle(cell), params.obstacle_kind == 1); }
    let kinds = array<i32, 6>(params.left_kind, params.right_kind, params.bottom_kind, params.top_kind, params.back_kind, params.front_kind);
    let values = array<f32, 6>(params.left, params.right, params.bottom, params.top, params.back, params.front);
    let a = params.diffusivity * frame.dt / (CELL_SIZE * CELL_SIZE);
    var sum = before(cell);
    var total = 1.0;
    for (var face = 0; face < FACES; face++) {
        let axis = face_axis(face);
        let border = cell + unit(axis) * (face & 1);
        let next = neighbor(cell, face);
        var kind = -1;
        var given = 0.0;
        if wall_face(border, axis) {
            kind = kinds[face];
            given = values[face] + profile(position(cell) + 0.5 * CELL_SIZE * face_normal(face));
        } else if open_wired && open(next) < 0.5 {
            kind = params.obstacle_kind;
            given = obstacle(next);
        }
        if kind == -1 {
            sum += a * field(next);
            total += a;
        }
        if kind == 1 {
            // The part of the ghost value that is q itself is on the left-hand side.
            sum += 2.0 * a * given;
            total += 2.0 * a;
        }
        if kind == 2 { sum += frame.dt / CELL_SIZE * given; }
    }
    return sum / total;
}
