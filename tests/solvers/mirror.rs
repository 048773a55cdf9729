//! Flows that are their own mirror image remain so: to the bit on a driver that rounds each operation, as Mesa's software driver does where
//! no weighted sum is involved. `graphs/validation/mirror.ron` holds every driver to rounding.

use stagewright_language::document::Document;
use stagewright_solver_support::harness::*;

#[test]
fn images_stay_images_to_the_bit() {
    if !gpu().is_software() {
        println!("skipped: a GPU's driver may contract products and sums");
        return;
    }
    let text = std::fs::read_to_string("graphs/validation/mirror.ron").unwrap();
    let exact = ["off_jacobi.off", "off_gradients.off", "off_faces.off", "off_tension.off"];
    let wires: Vec<&str> = exact.into_iter().chain(["speed.magnitude"]).collect();
    let mut sim = fused(&Document::parse(&text).unwrap(), &wires);
    for frames in [1, 9] {
        step(&mut sim, frames);
        // Only the first step begins with a drop that is an image of itself to the bit.
        for wire in exact.into_iter().take(if frames == 1 { 4 } else { 3 }) {
            assert_eq!(read(&sim, wire), [0.0; 3], "{wire}");
        }
    }
    assert!(max_abs(&read(&sim, "speed.magnitude")) > 0.1, "there is a flow");
}
