//! Component of a Grid
//! One component of a vector in each cell, as a number; 0 where the vector has fewer. Combine makes vectors of numbers.
//! Keywords: separate XYZ, split vector, extract, swizzle
//! Source: none.
//!
//! @in    a: Grid<V>                   Vectors or colours
//! @out   result: Grid<f32>, like a    The component
//! @param component: i32 = 0, 0..3     0 x (red), 1 y (green), 2 z (blue), 3 w (alpha)

fn stage(cell: Cell) -> f32 {
    let vector = a(cell);
    return select(0.0, vector[min(params.component, COMPONENTS - 1)], params.component < COMPONENTS);
}

const COMPONENTS = i32(dot(V(1.0), V(1.0)));
