use std::path::Path;

use super::*;
use crate::document::Document;
use crate::library::Library;

const GRAPH: &str = r#"(version: 1, bakes: {"smoke": (frames: (1, 4))}, nodes: {
    "box": (domain: (resolution: (8, 8), width: 1, edge: "wall")),
    "gap": (number: 0.5),
    "smoke": (state: "Grid<f32>", inputs: {"next": "fade.field"}),
    "fade": (stage: "fluid/dissipate", inputs: {"field": "smoke.value"}, params: {"rate": "gap * 2"}),
    "look": (stage: "view/color_map", inputs: {"field": "fade.field"}, params: {"high": 1}),
    "screen": (output: (), inputs: {"image": "look.image"}),
})"#;

fn status(text: &str, folder: &Path) -> Status {
    let graph = Graph::build(&Document::parse(text).unwrap(), Library::builtin()).unwrap();
    playing(&graph, &Access::new(folder, false)).all.remove(0)
}

#[test]
fn a_change_before_the_wires_makes_a_cache_stale_and_one_after_them_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let before = status(GRAPH, folder.path());
    assert_eq!((before.wires(), &before.condition), (vec!["fade.field".to_string()], &Condition::Missing));
    let (writer, _) = crate::cache::Writer::begin(&before.folder, before.index("card", (1, 4)), false).unwrap();
    let words = vec![0; 64];
    for frame in 1..=3 {
        writer.write(frame, 0.0, &[&words]).unwrap();
    }
    drop(writer);
    let now = status(GRAPH, folder.path());
    assert_eq!((now.condition, now.frames), (Condition::Fresh, Some(1..=3)));
    for (from, to, says) in [
        ("\"high\": 1", "\"high\": 3", None),
        ("number: 0.5", "number: 0.25", Some("gap.value was 0.5 and is 0.25")),
        ("gap * 2", "gap * 3", Some("fade.rate was \"gap * 2\" and is \"gap * 3\"")),
        (
            "\"smoke\": (state: \"Grid<f32>\"",
            "\"smoke\": (state: \"Grid<f32>\", params: {\"value\": 1}",
            Some("smoke.value was 0 and is 1"),
        ),
        ("version: 1,", "version: 1, fps: 30,", Some("the frames per second changed")),
    ] {
        let changed = status(&GRAPH.replace(from, to), folder.path()).condition;
        match says {
            None => assert_eq!(changed, Condition::Fresh, "{to}"),
            Some(says) => assert_eq!(changed, Condition::Stale(vec![says.into()]), "{to}"),
        }
    }
    let graph =
        Graph::build(&Document::parse(&GRAPH.replace("(1, 4)", "(4, 1)")).unwrap(), Library::builtin()).unwrap();
    let problems = playing(&graph, &Access::new(folder.path(), false)).problems.to_string();
    assert!(problems.contains("has the frames 4 to 1, which are none"), "{problems}");
    let other = GRAPH
        .replace("\"next\": \"fade.field\"", "\"next\": \"more.field\"")
        .replace("\"gap\": ", "\"more\": (stage: \"fluid/dissipate\", inputs: {\"field\": \"fade.field\"}), \"gap\": ");
    let Condition::Stale(why) = status(&other, folder.path()).condition else { panic!("it is stale") };
    assert_eq!(why, ["more is new", "smoke.next read fade.field and reads more.field"]);
    let Condition::Unfit(why) = status(&GRAPH.replace("(8, 8)", "(16, 8)"), folder.path()).condition else {
        panic!("it does not fit")
    };
    assert!(why.iter().any(|why| why.starts_with("the domain box had 8 x 8 x 1 cells")), "{why:?}");
}
