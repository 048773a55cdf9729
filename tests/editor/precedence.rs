//! Who gets a key: a dialog or a gesture that takes all keys, a field, a menu, the dialog in front, the graph under the
//! pointer, the pane under the pointer, and then a command.

use eframe::egui::accesskit::Role;
use eframe::egui::{Event, Key, Modifiers, PointerButton, Pos2, Rect, vec2};

use super::bench::{Bench, WINDOW};

/// Counts the frames in which the graph got a key.
const COUNTING: &str = r#"(
    version: 1,
    name: "Counting",
    nodes: {
        "domain": (domain: (resolution: (16, 16), width: 1, edge: "wall"), at: (0, 0)),
        "held": (state: "f32", inputs: {"next": "count.sum"}, at: (0, 160)),
        "count": (custom: r"//! Count
//! @over once
//! @in last: f32 = 0   The count of the last frame
//! @out sum: f32       Frames with a key

fn stage() -> f32 {
    return last() + f32(frame.keys);
}
", inputs: {"last": "held"}, at: (260, 160)),
        "paint": (custom: r"//! Paint
//! @in value: f32 = 0     What is painted
//! @out field: Grid<f32>  The value everywhere

fn stage(cell: Cell) -> f32 {
    return value();
}
", on: "domain", inputs: {"value": "count.sum"}, at: (520, 160)),
        "look": (stage: "view/color_map", inputs: {"field": "paint.field"}, at: (260, 360)),
        "screen": (output: (size: (64, 64)), inputs: {"image": "look.image"}, at: (520, 360)),
    },
)"#;

/// Whether a name on the screen begins so.
fn there(bench: &Bench, sign: &str) -> bool {
    bench.seen().iter().any(|seen| seen.name.starts_with(sign))
}

/// Whether a dialog with such a title is open.
fn shows_dialog(bench: &Bench, title: &str) -> bool {
    bench.seen().iter().any(|seen| seen.role == Role::Window && seen.name.starts_with(title))
}

/// Checks whether a list of commands, the dialog of exports and the history are open.
#[track_caller]
fn open(bench: &Bench, which: [bool; 3]) {
    let found = [there(bench, "Find command"), shows_dialog(bench, "Export"), shows_dialog(bench, "History")];
    assert_eq!(found, which, "list, export, history");
}

fn escape(bench: &mut Bench) {
    bench.key(Key::Escape);
    bench.rest();
}

#[test]
fn a_list_comes_before_the_dialogs_and_those_in_the_order_in_which_they_were_opened() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.key_with(Modifiers::ALT, Key::H);
    bench.ctrl(Key::P);
    bench.rest();
    open(&bench, [true, true, true]);
    escape(&mut bench);
    open(&bench, [false, true, true]);
    escape(&mut bench);
    open(&bench, [false, true, false]);
    escape(&mut bench);
    open(&bench, [false, false, false]);
    assert!(!bench.editor().scope().is_root(), "the group is still open");
    escape(&mut bench);
    assert!(bench.editor().scope().is_root(), "what is left goes to the command");
}

#[test]
fn a_click_brings_a_dialog_to_the_front() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    // What can be exported is found on another thread.
    bench.until("the settings", |bench| there(bench, "Checkpoints"));
    bench.rest();
    bench.press("Checkpoints");
    escape(&mut bench);
    open(&bench, [false, false, true]);
}

#[test]
fn a_menu_comes_before_the_dialog_in_front() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.press("File");
    assert!(there(&bench, "Save checkpoint…"));
    escape(&mut bench);
    assert!(!there(&bench, "Save checkpoint…"));
    open(&bench, [false, true, false]);
}

#[test]
fn a_field_comes_before_dialogs_and_commands_but_for_those_with_ctrl() {
    let mut bench = Bench::inside();
    let nodes = bench.document().clone();
    bench.select("pressure");
    bench.press("name");
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    open(&bench, [false, false, false]);
    bench.ctrl(Key::E);
    bench.rest();
    bench.write("x");
    bench.key(Key::X);
    bench.key(Key::Delete);
    open(&bench, [false, true, false]);
    escape(&mut bench);
    open(&bench, [false, true, false]);
    assert_eq!(*bench.document(), nodes, "X and Delete were typed, and Escape took it back");
    escape(&mut bench);
    open(&bench, [false, false, false]);
}

#[test]
fn a_name_that_is_typed_for_a_variant_comes_before_dialogs_and_commands() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.ctrl(Key::P);
    bench.write("Store as variant");
    bench.key(Key::Enter);
    bench.rest();
    assert!(there(&bench, "variant name"));
    let scope = bench.editor().scope().clone();
    escape(&mut bench);
    assert!(!there(&bench, "variant name"));
    open(&bench, [false, true, false]);
    assert_eq!(*bench.editor().scope(), scope);
}

#[test]
fn a_dialog_in_front_leaves_keys_that_it_does_not_use_to_commands() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.rest();
    bench.select("pressure");
    bench.key(Key::M);
    bench.rest();
    let muted = |bench: &Bench| bench.document().to_text().matches("muted: true").count();
    assert_eq!(muted(&bench), 1);
    open(&bench, [false, true, false]);
}

#[test]
fn the_pane_under_the_pointer_comes_before_commands() {
    let mut bench = Bench::smoke();
    bench.compiled();
    let nodes = bench.document().nodes.len();
    bench.select("pressure");
    bench.ctrl(Key::Num8);
    bench.rest();
    let curves = bench.position_of("Double-click a curve to add a key");
    bench.hover(curves);
    bench.key(Key::Delete);
    bench.rest();
    assert_eq!(bench.document().nodes.len(), nodes, "Delete was for the curves");
    let ground = bench.ground();
    bench.hover(ground);
    bench.key(Key::Delete);
    bench.rest();
    assert_eq!(bench.document().nodes.len(), nodes - 1, "over the canvas it is the command");
}

/// The window of a dialog on the screen.
#[track_caller]
fn dialog_rect(bench: &Bench, title: &str) -> Rect {
    let dialog = bench.seen().into_iter().find(|seen| seen.role == Role::Window && seen.name.starts_with(title));
    dialog.unwrap_or_else(|| panic!("no dialog `{title}` is open")).rect
}

#[test]
fn a_dialog_over_a_pane_keeps_its_keys_from_it() {
    let mut bench = Bench::smoke();
    bench.compiled();
    let nodes = bench.document().nodes.len();
    bench.select("pressure");
    bench.ctrl(Key::Num8);
    bench.rest();
    let curves = bench.position_of("Double-click a curve to add a key");
    bench.hover(curves);
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    let title = dialog_rect(&bench, "History").center_top() + vec2(0.0, 12.0);
    bench.drag(title, curves - vec2(0.0, 40.0));
    assert!(dialog_rect(&bench, "History").contains(curves), "the dialog covers the curves");
    bench.hover(curves);
    bench.rest();
    bench.key(Key::Delete);
    bench.rest();
    assert_eq!(bench.document().nodes.len(), nodes - 1, "Delete was the command, not for the curves below");
    escape(&mut bench);
    open(&bench, [false, false, false]);
}

#[test]
fn a_menu_comes_before_the_pane_and_commands_but_for_those_with_ctrl() {
    let mut bench = Bench::smoke();
    bench.compiled();
    let document = bench.document().clone();
    bench.select("pressure");
    bench.plays();
    bench.press("File");
    bench.key(Key::Space);
    plays(&mut bench, true);
    bench.key(Key::Delete);
    bench.key(Key::M);
    bench.rest();
    assert_eq!(*bench.document(), document, "Delete and M were no commands");
    assert!(there(&bench, "Save checkpoint…"));
    bench.ctrl(Key::E);
    bench.rest();
    open(&bench, [false, true, false]);
    escape(&mut bench);
    bench.key(Key::Space);
    plays(&mut bench, false);
}

#[test]
fn a_question_about_the_file_is_a_modal_dialog_in_front_of_the_others() {
    let mut bench = Bench::inside();
    bench.ctrl(Key::E);
    bench.ctrl(Key::N);
    bench.rest();
    assert!(there(&bench, "Start from"));
    bench.ctrl(Key::P);
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    open(&bench, [false, true, false]);
    escape(&mut bench);
    assert!(!there(&bench, "Start from"));
    open(&bench, [false, true, false]);
    escape(&mut bench);
    open(&bench, [false, false, false]);
    assert!(!bench.editor().scope().is_root(), "the group is still open");
}

/// An editor with [`COUNTING`] that plays, with its first image.
fn counting() -> Bench {
    let mut bench = Bench::from_text(COUNTING, WINDOW);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.until("the image", |bench| bench.find("image View").is_some());
    bench.plays();
    bench
}

/// Opens the text of a kernel that runs a node, in front of everything.
fn show_kernel(bench: &mut Bench, node: &str) {
    bench.press("Plan pane");
    let row = bench.seen().into_iter().find(|seen| seen.name == node && seen.role == Role::Button);
    let row = row.unwrap_or_else(|| panic!("the plan has no row `{node}`")).rect.center();
    bench.click_with(row, PointerButton::Secondary, Modifiers::NONE);
    bench.press("WGSL of this kernel");
}

/// A place in the image of the view.
fn over_image(bench: &Bench) -> Pos2 {
    bench.position_of("image View")
}

/// Holds Space for some frames, with the pointer where it is. Returns how many of them the graph got it in.
fn hold_space(bench: &mut Bench) -> f32 {
    let count = |bench: &Bench| bench.editor().simulation().unwrap().read("held.value").unwrap().data[0];
    let before = count(bench);
    let event = |pressed| {
        let (key, modifiers) = (Key::Space, Modifiers::NONE);
        vec![Event::Key { key, physical_key: None, pressed, repeat: false, modifiers }]
    };
    bench.frame(event(true), Modifiers::NONE);
    for _ in 0..10 {
        bench.rest();
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    bench.frame(event(false), Modifiers::NONE);
    count(bench) - before
}

#[track_caller]
fn plays(bench: &mut Bench, expected: bool) {
    bench.rest();
    let before = bench.computed();
    (0..10).for_each(|_| bench.rest());
    assert_eq!(bench.computed() > before, expected, "whether it plays");
}

#[test]
fn the_graph_under_the_pointer_comes_before_the_pane_and_commands() {
    let mut bench = counting();
    let (image, ground) = (over_image(&bench), bench.ground());
    bench.hover(image);
    assert!(hold_space(&mut bench) > 0.0);
    plays(&mut bench, true);
    bench.hover(ground);
    assert_eq!(hold_space(&mut bench), 0.0);
    plays(&mut bench, false);
}

#[test]
fn a_dialog_in_front_leaves_keys_that_it_does_not_use_to_the_graph() {
    let mut bench = counting();
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    let image = over_image(&bench);
    bench.hover(image);
    assert!(hold_space(&mut bench) > 0.0);
    open(&bench, [false, false, true]);
}

#[test]
fn a_field_comes_before_the_graph() {
    let mut bench = counting();
    bench.select("look");
    bench.press("name");
    let image = over_image(&bench);
    bench.hover(image);
    assert_eq!(hold_space(&mut bench), 0.0);
    plays(&mut bench, true);
}

#[test]
fn a_menu_comes_before_the_graph() {
    let mut bench = counting();
    bench.press("File");
    let image = over_image(&bench);
    bench.hover(image);
    assert_eq!(hold_space(&mut bench), 0.0);
    assert!(there(&bench, "Save checkpoint…"));
}

#[test]
fn a_modal_dialog_comes_before_the_graph() {
    let mut bench = counting();
    let image = over_image(&bench);
    bench.hover(image);
    // A button that was pressed in the image keeps the pointer there.
    bench.pointer_button(image, PointerButton::Primary, true, Modifiers::NONE);
    bench.ctrl(Key::N);
    bench.rest();
    assert!(there(&bench, "Start from"));
    assert_eq!(hold_space(&mut bench), 0.0);
    plays(&mut bench, true);
    bench.pointer_button(image, PointerButton::Primary, false, Modifiers::NONE);
}

#[test]
fn a_menu_of_the_canvas_comes_before_the_graph() {
    let mut bench = counting();
    let title = bench.title("look");
    bench.click_with(title, PointerButton::Secondary, Modifiers::NONE);
    assert!(there(&bench, "Duplicate"));
    let image = over_image(&bench);
    bench.hover(image);
    assert_eq!(hold_space(&mut bench), 0.0);
    plays(&mut bench, true);
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    open(&bench, [false, false, false]);
    escape(&mut bench);
    assert!(!there(&bench, "Duplicate"));
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    open(&bench, [false, false, true]);
}

#[test]
fn a_drag_of_a_wire_and_a_stroke_come_before_dialogs_and_commands() {
    let mut bench = Bench::smoke();
    let document = bench.document().clone();
    bench.select("pressure");
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    let (port, ground) = (bench.position_of("output divergence.divergence"), bench.ground());
    let drags = [(port, PointerButton::Primary, Modifiers::NONE), (ground, PointerButton::Secondary, Modifiers::CTRL)];
    for (from, button, modifiers) in drags {
        let modifiers = if modifiers.ctrl { modifiers | Modifiers::COMMAND } else { modifiers };
        bench.frame(vec![Event::PointerMoved(from)], modifiers);
        bench.pointer_button(from, button, true, modifiers);
        let to = from - vec2(60.0, 30.0);
        bench.frame(vec![Event::PointerMoved(to)], modifiers);
        bench.hover(to - vec2(5.0, 5.0));
        bench.key(Key::M);
        bench.key(Key::Escape);
        open(&bench, [false, false, true]);
        bench.pointer_button(to, button, false, Modifiers::NONE);
        bench.rest();
        assert_eq!(*bench.document(), document, "M was no command, and Escape was for the drag");
    }
    bench.key(Key::M);
    bench.rest();
    assert_ne!(*bench.document(), document);
    escape(&mut bench);
    open(&bench, [false, false, false]);
}

#[test]
fn a_handle_that_is_dragged_comes_before_dialogs_and_commands() {
    let mut bench = Bench::smoke();
    bench.until("the image", |bench| bench.find("image View").is_some());
    bench.select("jet");
    bench.rest();
    let document = bench.document().clone();
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    let handle = bench.position_of("handle jet.center");
    bench.hover(handle);
    bench.pointer_button(handle, PointerButton::Primary, true, Modifiers::NONE);
    (1..=4).for_each(|step| bench.hover(handle + vec2(15.0 * step as f32, 0.0)));
    bench.key(Key::M);
    assert_ne!(*bench.document(), document);
    bench.key(Key::Escape);
    assert_eq!(*bench.document(), document, "M was no command, and Escape was for the handle");
    open(&bench, [false, false, true]);
    bench.pointer_button(handle, PointerButton::Primary, false, Modifiers::NONE);
    bench.rest();
    escape(&mut bench);
    open(&bench, [false, false, false]);
}

#[test]
fn a_list_of_the_comparison_comes_before_dialogs_and_commands() {
    let mut bench = Bench::smoke();
    bench.key_with(Modifiers::SHIFT, Key::C);
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    bench.press("compared wire");
    let entries = |bench: &Bench| bench.seen().iter().filter(|seen| seen.name == "density.value").count();
    let listed = entries(&bench);
    assert!(listed > 0);
    bench.ctrl(Key::E);
    bench.rest();
    open(&bench, [false, false, true]);
    escape(&mut bench);
    assert!(entries(&bench) < listed);
    open(&bench, [false, false, true]);
    escape(&mut bench);
    open(&bench, [false, false, false]);
}

#[test]
fn the_text_of_a_kernel_is_a_dialog_in_the_order_of_the_others() {
    let mut bench = Bench::inside();
    bench.compiled();
    let (scope, document) = (bench.editor().scope().clone(), bench.document().clone());
    show_kernel(&mut bench, "look");
    assert!(shows_dialog(&bench, "WGSL of "));
    bench.key_with(Modifiers::ALT, Key::H);
    bench.rest();
    escape(&mut bench);
    assert!(shows_dialog(&bench, "WGSL of "));
    open(&bench, [false, false, false]);
    escape(&mut bench);
    assert!(!shows_dialog(&bench, "WGSL of "));
    assert_eq!((bench.editor().scope(), bench.document()), (&scope, &document), "the group is still open");
}

#[test]
fn the_text_of_a_kernel_keeps_keys_from_the_graph_below() {
    let mut bench = counting();
    show_kernel(&mut bench, "count");
    let at = bench.position_of("Copy");
    let image = over_image(&bench);
    // Over the image.
    bench.drag(at - vec2(0.0, 26.0), image);
    let at = bench.position_of("Copy");
    assert!(bench.find("image View").unwrap().contains(at));
    bench.hover(at);
    assert_eq!(hold_space(&mut bench), 0.0);
    bench.reopen();
    assert!(!shows_dialog(&bench, "WGSL of "), "it is of the graph that was open before");
}
