//! Views in windows of their own. Without a window system they lie over the panes.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, PointerButton, Rect};

use super::bench::{Bench, SMOKE, WINDOW};

/// The window of the view with this title.
fn window(bench: &Bench, title: &str) -> Option<Rect> {
    let name = format!("{title} — Stagewright");
    bench.seen().into_iter().find(|seen| seen.role == Role::Window && seen.name == name).map(|seen| seen.rect)
}

/// Waits for the first frame.
fn shows_image(bench: &mut Bench) {
    bench.until("the image", |bench| bench.find("image View").is_some());
}

fn image(bench: &Bench) -> Rect {
    bench.find("image View").expect("the image of the view")
}

fn toggle(bench: &mut Bench) {
    bench.key_with(Modifiers::SHIFT, Key::F11);
    bench.rest();
}

#[test]
fn a_view_moves_into_its_own_window_and_back() {
    let mut bench = Bench::smoke();
    shows_image(&mut bench);
    let (canvas, pane) = (bench.canvas(), image(&bench));
    bench.menu("Window", "View in own window");
    bench.rest();
    let view_window = window(&bench, "View").expect("the window");
    assert!(view_window.contains_rect(image(&bench)), "{view_window:?} {:?}", image(&bench));
    assert!(bench.canvas().width() > 0.95 * WINDOW.x, "the other panes have its room: {:?}", bench.canvas());
    assert!(bench.find("View pane").is_none());
    bench.plays();
    bench.key(Key::Space);
    bench.rest();
    let frame = bench.computed();
    bench.rest();
    assert_eq!(bench.computed(), frame, "space pauses");
    // A pane that is maximized and shown again does not bring it back, nor does what shows its pane.
    let at = bench.canvas().left_bottom() + eframe::egui::vec2(30.0, -30.0);
    bench.hover(at);
    for _ in 0..2 {
        bench.ctrl(Key::Space);
        bench.rest();
        assert!(window(&bench, "View").is_some() && bench.find("View pane").is_none());
    }
    assert!(bench.find("Inspector pane").is_some());
    bench.ctrl(Key::Num2);
    bench.rest();
    assert!(window(&bench, "View").is_some() && bench.find("View pane").is_none());
    bench.press("Back to the main window");
    bench.rest();
    assert_eq!((window(&bench, "View"), bench.canvas(), image(&bench)), (None, canvas, pane), "all is as before");
    for close in ["Close window", "Back to the main window"] {
        bench.press("View in own window");
        bench.rest();
        assert!(window(&bench, "View").is_some());
        bench.press(close);
        bench.rest();
        assert_eq!((window(&bench, "View"), bench.canvas()), (None, canvas));
    }
    toggle(&mut bench);
    assert!(window(&bench, "View").is_some());
    bench.menu("Window", "Reset layout");
    bench.rest();
    assert!(window(&bench, "View").is_none() && bench.find("View pane").is_some());
}

/// The last value in the plot of a number.
fn last(bench: &Bench) -> Option<f64> {
    let seen: Vec<String> = bench.seen().into_iter().map(|seen| seen.name).filter(|name| !name.is_empty()).collect();
    let at = seen.windows(2).position(|pair| pair[0] == "●" && pair[1] == "pressed.value")?;
    seen.get(at + 2)?.parse().ok()
}

#[test]
fn the_pointer_over_the_window_goes_to_the_graph() {
    let graph = SMOKE.replace("\"screen\"", r#""pressed": (number: "buttons + mouse.x", at: (1040, 670)), "screen""#);
    let mut bench = Bench::from_text(&graph, WINDOW);
    bench.compiled();
    bench.press("Pin");
    // The first view shows the number now, and the pinned one the image.
    bench.press("output pressed.value");
    bench.until("its value", |bench| last(bench).is_some());
    let pinned =
        bench.seen().into_iter().filter(|seen| seen.name == "View in own window").map(|seen| seen.rect.center());
    let pinned = pinned.max_by(|a, b| a.y.total_cmp(&b.y)).expect("the bar of the pinned view");
    bench.click(pinned);
    let view_window = window(&bench, "View").expect("the window of the pinned view");
    shows_image(&mut bench);
    let area = image(&bench);
    // The image is square, in the middle.
    let at = area.center() + eframe::egui::vec2(0.25 * area.height(), 0.0);
    assert!(view_window.contains(at));
    bench.hover(at);
    bench.pointer_button(at, PointerButton::Primary, true, Modifiers::NONE);
    bench.until("the pointer", |bench| last(bench).is_some_and(|value| (value - 1.75).abs() < 0.05));
    bench.pointer_button(at, PointerButton::Primary, false, Modifiers::NONE);
    let clash = bench.seen().into_iter().find(|seen| seen.name.contains("use of"));
    assert!(clash.is_none(), "{clash:?}");
    bench.press("Close window");
    bench.rest();
    assert!(window(&bench, "View").is_none() && bench.find("View pane").is_some());
}

#[test]
fn a_wire_is_viewed_in_the_window_that_shows_the_view() {
    let mut bench = Bench::smoke();
    toggle(&mut bench);
    bench.select("jet");
    bench.key(Key::D);
    bench.compiled();
    bench.until("its image", |bench| bench.find("image jet.velocity").is_some());
    let view_window = window(&bench, "jet.velocity").expect("the window has its name");
    assert!(view_window.contains_rect(bench.find("image jet.velocity").unwrap()));
    assert!(bench.find("jet.velocity pane").is_none());
    // Another graph, and the window stays.
    bench.reopen();
    assert!(window(&bench, "View").is_some());
}
