//! The appearance of the inspector, compared with images.

use eframe::egui::{Theme, Vec2, vec2};
use egui_kittest::kittest::Queryable;
use egui_kittest::{Harness, SnapshotOptions};

use super::editing::Window;

/// Text is rendered alike on every adapter, except at the edges of letters.
fn matches<S>(harness: &mut Harness<'_, S>, name: &str) {
    let options = SnapshotOptions::new().threshold(1.2).failed_pixel_count_threshold(60);
    harness.snapshot_options(name, &options);
}

const WORKS: &str = r##"(version: 1, name: "Looks", about: "Everything that an inspector shows.", nodes: {
    "box": (domain: (resolution: (256, 128, "64 / h"), width: 2, edge: "wall")),
    "h": (number: 0.5),
    "remap": (stage: "grid/remap", inputs: {"field": "dye.value"}, params: {"shape": [(0, 0), (0.3, 0.8), (0.6, 0.2), (1, 1)], "high": "2 + sin(time)", "scale": 4}),
    "ramp": (stage: "view/gradient", inputs: {"field": "remap.result"}, color: "#7a5c2e"),
    "glass": (stage: "liquid/shade", comment: "As in the article"),
    "dye": (state: "Grid<f32>", inputs: {"next": "remap.result"}, on: "box"),
    "set": (state: "Particles{position: Vec, velocity: Vec}", capacity: 5000, on: "box"),
})"##;

fn window(theme: Theme, size: Vec2, node: &str) -> Window {
    let mut window = Window::themed(WORKS, size, theme);
    window.select(&[node]);
    window
}

#[test]
fn many_parameters_in_the_dark() {
    let mut window = window(Theme::Dark, vec2(320.0, 900.0), "glass");
    matches(&mut window.harness, "inspector_narrow_dark");
}

#[test]
fn many_parameters_in_the_light() {
    let mut window = window(Theme::Light, vec2(820.0, 620.0), "glass");
    matches(&mut window.harness, "inspector_wide_light");
}

#[test]
fn a_curve_is_edited() {
    let mut window = window(Theme::Dark, vec2(420.0, 640.0), "remap");
    window.harness.get_by_label("param shape").click();
    window.harness.run_steps(6);
    matches(&mut window.harness, "inspector_curve");
}

#[test]
fn a_gradient_is_edited() {
    let mut window = window(Theme::Light, vec2(420.0, 760.0), "ramp");
    window.harness.get_by_label("param ramp").click();
    window.harness.run_steps(6);
    matches(&mut window.harness, "inspector_gradient");
}

#[test]
fn a_domain_tells_what_it_comes_to() {
    let mut window = window(Theme::Dark, vec2(340.0, 480.0), "box");
    matches(&mut window.harness, "inspector_domain");
}

#[test]
fn the_graph_itself_has_a_rate_and_substeps() {
    let works = WORKS.replace("about:", "substeps: (courant: 0.9, most: 8), about:");
    let mut window = Window::themed(&works, vec2(380.0, 306.0), Theme::Dark);
    window.harness.run_steps(4);
    matches(&mut window.harness, "inspector_graph");
}
