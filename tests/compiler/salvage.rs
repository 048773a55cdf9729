//! What is kept of damaged graph files.

use std::ops::Range;

use stagewright_language::document::{Document, Salvaged, salvage};

use super::shipped;

/// Where each node of a saved file stands: lines of eight spaces and a name, after the line that begins the nodes.
fn places(text: &str) -> Vec<(String, Range<usize>)> {
    let mut places: Vec<(String, Range<usize>)> = Vec::new();
    let mut at = text.find("\n    nodes: {").map_or(0, |line| line + 1);
    for line in text[at..].split_inclusive('\n') {
        if let Some(name) = line.strip_prefix("        \"").and_then(|rest| rest.split_once("\": (")) {
            places.push((name.0.to_string(), at..at));
        }
        at += line.len();
        if let Some((_, place)) = places.last_mut() {
            place.end = at;
        }
    }
    places
}

fn kept(damaged: &str) -> Option<Document> {
    let Salvaged { document, lost } = salvage(damaged);
    assert!(!lost.is_empty() && lost.iter().all(|line| line.starts_with("line ")), "{lost:?}");
    document
}

/// Every node that does not lie within `except` is as it was.
fn survives(whole: &Document, places: &[(String, Range<usize>)], except: Range<usize>, damaged: &str, how: &str) {
    if Document::parse(damaged).is_ok() {
        return;
    }
    let kept = kept(damaged);
    for (name, place) in places {
        // The end of a line belongs to the node after it too, whose name it sets apart.
        let touched = place.start <= except.end && except.start < place.end;
        let node = kept.as_ref().and_then(|document| document.nodes.get(name));
        assert!(touched || node == whole.nodes.get(name), "{how}: `{name}` is lost");
    }
}

fn byte(text: &str, at: usize, with: &str) -> String {
    let mut end = at + 1;
    while !text.is_char_boundary(end) {
        end += 1;
    }
    format!("{}{with}{}", &text[..at], &text[end..])
}

#[test]
fn untouched_nodes_survive_damage_at_any_byte() {
    let mut count = 0;
    for (name, text) in shipped() {
        let whole = Document::parse(&text).unwrap();
        let places = places(&text);
        assert_eq!(places.len(), whole.nodes.len(), "{name}");
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)).step_by(1201) {
            for with in ["", "\"", "(", ")", "}", "x", "\n", "\\"] {
                let how = format!("{name}, byte {at} is {with:?}");
                survives(&whole, &places, at..at + 1, &byte(&text, at, with), &how);
                count += 1;
            }
        }
    }
    println!("{count} damaged files");
}

#[test]
fn all_before_the_cut_survives() {
    let mut count = 0;
    for (name, text) in shipped() {
        let whole = Document::parse(&text).unwrap();
        let places = places(&text);
        for at in (0..text.len()).filter(|at| text.is_char_boundary(*at)).step_by(421) {
            survives(&whole, &places, at..text.len(), &text[..at], &format!("{name}, cut at byte {at}"));
            count += 1;
        }
    }
    println!("{count} cut files");
}

#[test]
fn a_damaged_node_keeps_its_whole_fields() {
    let text = r#"(
    version: 1,
    name: "damaged",
    fps: 3O,
    nodes: {
        "a": (stage: "fluid/advect", inputs: {"field" "b"}, at: (1, 2)),
        "b": (group: (
            outputs: {"x": "c.x"},
            nodes: {
                "c": (number: 1),
                "d": (number: ),
            },
        ), inputs: {"q": "a"}),
        "e": (number: 2),
        "e": (number: 3),
        "f": inputs,
    },
)
"#;
    let Salvaged { document, lost } = salvage(text);
    insta::assert_snapshot!(format!("{}\n{}", lost.join("\n"), document.unwrap().to_text()));
}

#[test]
fn what_was_never_a_graph_gives_nothing() {
    for text in ["", "\0", "hello", "[1, 2]", "\u{feff}", "(((((", "\"\"\"", "r#", "(nodes: {", "}{"] {
        let Salvaged { document, lost } = salvage(text);
        assert_eq!(document, None, "{text:?}");
        assert!(!lost.is_empty(), "{text:?}");
    }
}

#[test]
fn hostile_text_takes_no_time() {
    let start = std::time::Instant::now();
    let nested = "(nodes:{\"a\":(group:".repeat(5_000);
    let unclosed = "        \"a\": (stage: (\n".repeat(5_000);
    let quotes = "\"".repeat(100_000);
    for text in [nested, format!("(nodes: {{\n{unclosed}"), quotes, "(".repeat(100_000)] {
        salvage(&text);
    }
    let elapsed = start.elapsed();
    assert!(elapsed < std::time::Duration::from_secs(10), "took {elapsed:?}");
}
