//! A parameter of a node inside that stands on the group too.

use eframe::egui::accesskit::Role;
use eframe::egui::{Key, Modifiers, PointerButton};
use stagewright_language::document::ParamValue;

use super::bench::Bench;

impl Bench {
    /// Chooses from the menu of a value in the inspector.
    #[track_caller]
    pub fn of_value(&mut self, name: &str, entry: &str) {
        let named = format!("param {name}");
        let seen = self.seen();
        let bar = seen.iter().find(|seen| seen.role == Role::Slider && seen.name == named);
        let at = bar.unwrap_or_else(|| panic!("the inspector has no `{name}`")).rect.center();
        self.click_with(at, PointerButton::Secondary, Modifiers::NONE);
        self.press(entry);
    }

    fn runs_with(&self, path: &str) -> Option<f64> {
        self.editor().simulation()?.value(path)?.first().copied()
    }
}

#[test]
fn a_parameter_inside_is_shown_on_the_group_and_drives_the_node() {
    let mut bench = Bench::inside();
    let before = bench.document().clone();
    bench.select("pressure");
    bench.of_value("relaxation", "Expose on group");
    let targets = bench.group().params.get("relaxation").map(|links| links.iter().map(ToString::to_string).collect());
    assert_eq!(targets, Some(vec!["pressure.relaxation".to_string()]));
    bench.press("graph");
    bench.rest();
    bench.compiled();
    assert_eq!(bench.selected(), "group");
    bench.set_number("relaxation", 1.2);
    bench.compiled();
    assert_eq!(bench.document().nodes["group"].params.get("relaxation"), Some(&ParamValue::Number(1.2)));
    assert_eq!(
        bench.group().nodes["pressure"].params.get("relaxation"),
        None,
        "the node itself has no value of its own"
    );
    let driven = bench.runs_with("group/pressure.relaxation").or_else(|| bench.runs_with("group.relaxation"));
    assert_eq!(driven, Some(1.2));
    assert_eq!(bench.problems(), Vec::<String>::new());

    bench.of_value("relaxation", "Hide from group");
    bench.compiled();
    assert!(bench.group().params.is_empty());
    let inner = bench.group().nodes["pressure"].params.get("relaxation");
    assert_eq!(inner, Some(&ParamValue::Number(1.2)), "what it was set to stays, inside");
    assert_eq!(bench.runs_with("group/pressure.relaxation"), Some(1.2));
    for _ in 0..3 {
        bench.ctrl(Key::Z);
    }
    assert_eq!(*bench.document(), before, "hiding, setting and showing are a step each");
    for _ in 0..2 {
        bench.ctrl(Key::Y);
    }
    assert_eq!(bench.document().nodes["group"].params.get("relaxation"), Some(&ParamValue::Number(1.2)));
    bench.compiled();
    bench.plays();
}
