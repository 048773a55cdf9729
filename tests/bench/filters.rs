//! The bilateral filter (B6).

use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

use super::cases::*;

#[test]
fn b6_is_a_bilateral_filter_of_17_by_17_taps() {
    let mut sim = ready(&case("b6", 16), &[]);
    let grid = Grid::new(&[28, 16], 28.0, EdgeRule::Clamp);
    let image: Vec<f32> = random(grid.cell_count(), 5).into_iter().map(|v| 0.2 * v).collect();
    let got = run(&mut sim, &[("image", &image)], 1, "image.value");
    let image = f64s(&image);
    let filtered = grid.cells().map(|c| {
        let center = grid.read(&image, c);
        let (mut sum, mut total) = (0.0, 0.0);
        for (x, y) in (-8..=8).flat_map(|y| (-8..=8).map(move |x| (x, y))) {
            let value = grid.read(&image, [c[0] + x, c[1] + y, 0]);
            let weight = (-((x * x + y * y) as f64) / 32.0 - (value - center).powi(2) / (2.0 * 0.1 * 0.1)).exp();
            sum += weight * value;
            total += weight;
        }
        sum / total
    });
    let expected: Vec<f64> = filtered.collect();
    // 289 terms are summed; an exponent of up to 12 makes a weight no less exact than e^12 too small to count.
    let off = max_abs(&difference(&got, &expected));
    within("filtered", off, 5e-6 * max_abs(&expected), "of the largest value, as for the programs it is compared with");
}
