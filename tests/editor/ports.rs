//! What goes into a group and comes out of it, wired from inside.

use eframe::egui::{Key, vec2};

use super::bench::Bench;

impl Bench {
    /// Smoke with its group open.
    pub fn inside() -> Bench {
        let mut bench = Bench::grouped();
        let title = bench.title("group");
        bench.double_click(title);
        bench
    }

    /// Lets a wire go over the block of inputs or outputs, beside its ports.
    #[track_caller]
    fn onto_block(&mut self, port: &str, block: &str) {
        let (from, to) = (self.position_of(port), self.title(block));
        self.drag(from, to + vec2(20.0, 0.0));
    }

    fn leave(&mut self) {
        self.press("graph");
        self.rest();
    }
}

#[test]
fn a_wire_let_go_over_the_outputs_makes_one_of_its_name() {
    let mut bench = Bench::inside();
    let before = bench.document().clone();
    bench.onto_block("output pressure.pressure", "out");
    let link = bench.group().outputs.get("pressure").map(ToString::to_string);
    assert_eq!(link.as_deref(), Some("pressure.pressure"));
    bench.compiled();
    assert!(bench.find("input out.pressure").is_some(), "the block shows it");
    bench.leave();
    assert!(bench.find("output group.pressure").is_some(), "so does the group");
    // It carries what its source does, so it fits what takes a grid of numbers.
    bench.connect("output group.pressure", "input look.field");
    assert_eq!(bench.link("look", "field").as_deref(), Some("group.pressure"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    bench.plays();
    bench.ctrl(Key::Z);
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before);
}

#[test]
fn a_wire_let_go_over_the_inputs_makes_one_of_its_type() {
    let mut bench = Bench::inside();
    bench.onto_block("input pressure.pressure", "in");
    assert_eq!(bench.group().inputs.get("pressure").map(String::as_str), Some("Grid<f32>"));
    let inner = bench.group().nodes["pressure"].inputs.get("pressure").map(ToString::to_string);
    assert_eq!(inner.as_deref(), Some("in.pressure"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new(), "not wired outside, it starts from its default as before");
    bench.leave();
    bench.connect("output density.value", "input group.pressure");
    assert_eq!(bench.link("group", "pressure").as_deref(), Some("density.value"));
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    // A wire of another type is refused with a sentence, and changes nothing.
    let before = bench.document().clone();
    bench.connect("output look.image", "input group.pressure");
    assert_eq!(*bench.document(), before);
    bench.plays();
}

#[test]
fn a_port_is_renamed_from_inside_and_wires_outside_follow() {
    let mut bench = Bench::inside();
    let before = bench.document().clone();
    bench.select("out");
    bench.set_text("port velocity", "calm");
    assert_eq!(bench.group().outputs.keys().collect::<Vec<_>>(), ["calm"]);
    assert_eq!(bench.link("carried", "velocity").as_deref(), Some("group.calm"));
    assert_eq!(bench.link("velocity", "next").as_deref(), Some("group.calm"));
    bench.select("in");
    bench.set_text("port velocity", "wild");
    assert_eq!(bench.link("group", "wild").as_deref(), Some("advect.result"));
    assert_eq!(bench.group().nodes["divergence"].inputs["velocity"].to_string(), "in.wild");
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
    // A name that can't be one is refused with a sentence.
    let renamed = bench.document().clone();
    bench.set_text("port wild", "a.b");
    assert_eq!(*bench.document(), renamed);
    assert!(bench.seen().iter().any(|seen| seen.name.contains("a.b is not a valid")), "a sentence says why not");
    bench.ctrl(Key::Z);
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before);
}

#[test]
fn a_port_is_removed_from_inside_with_its_wires() {
    let mut bench = Bench::inside();
    bench.onto_block("output pressure.pressure", "out");
    let before = bench.document().clone();
    bench.select("out");
    bench.press("remove pressure");
    assert_eq!(bench.group().outputs.keys().collect::<Vec<_>>(), ["velocity"]);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new(), "nothing read it");
    bench.press("remove velocity");
    assert!(bench.group().outputs.is_empty());
    bench.compiled();
    assert_eq!(bench.link("carried", "velocity"), None, "the wires outside are gone with it");
    let wrong = bench.problems();
    assert!(wrong.iter().any(|problem| problem.contains("carried")), "what is missing is said: {wrong:?}");
    bench.plays();
    bench.ctrl(Key::Z);
    bench.ctrl(Key::Z);
    assert_eq!(*bench.document(), before);
    bench.compiled();
    assert_eq!(bench.problems(), Vec::<String>::new());
}
