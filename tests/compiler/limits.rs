//! Graphs at the limit: they compile, or are refused with the number, in CPU time that does not grow faster than they do.

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use stagewright_compiler::{Plan, PlanOptions};
use stagewright_language::document::Document;
use stagewright_language::graph::Graph;
use stagewright_language::library::Library;

use super::problems;

/// What a family may take here, unoptimised: several times what it takes, and a small part of what it took when it was quadratic.
const LIMIT: Duration = Duration::from_secs(8);

const DOMAIN: &str = r#""domain": (domain: (resolution: (8, 8), width: 1, edge: "wall")), "s": (state: "Grid<f32>"), "#;

fn output_nodes(wire: &str) -> String {
    format!(
        r#""look": (stage: "view/color_map", inputs: {{"field": "{wire}"}}), "o": (output: (), inputs: {{"image": "look"}}),"#
    )
}

/// CPU time of the process, where the system says it; a busy machine does not count.
fn cpu(since: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let ticks: Vec<u64> =
        text.rsplit(')').next().unwrap_or("").split_whitespace().filter_map(|w| w.parse().ok()).collect();
    // After the name and the state: 11 fields, then user and system time in hundredths of a second.
    match (ticks.get(10), ticks.get(11)) {
        (Some(user), Some(system)) => Duration::from_millis(10 * (user + system)),
        _ => since.elapsed(),
    }
}

/// What is said of a graph, in the time that it may take.
#[track_caller]
fn said(name: &str, nodes: &str) -> String {
    let (start, before) = (Instant::now(), cpu(Instant::now()));
    let said = problems(nodes);
    let took = cpu(start).saturating_sub(before);
    println!("{name}: {took:?}: {}", said.lines().next().unwrap_or("").chars().take(160).collect::<String>());
    assert!(took < LIMIT, "{name} took {took:?}");
    said
}

#[track_caller]
fn refused(name: &str, nodes: &str, words: &[&str]) {
    let said = said(name, nodes);
    for word in words {
        assert!(said.contains(word), "{name}: no `{word}` in {}", said.chars().take(400).collect::<String>());
    }
    assert!(said.len() < 1 << 20, "{name}: a message of {} bytes", said.len());
}

fn each(count: usize, node: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, i| {
        let _ = writeln!(text, "{},", node(i));
        text
    })
}

/// The node before, or the State.
fn before(kind: &str, i: usize) -> String {
    if i == 0 { "s".into() } else { format!("{kind}{}", i - 1) }
}

#[test]
fn repeats_of_groups_in_groups() {
    let empty = r#""g": (iterations: 1000, group: (inputs: {"x": "Grid<f32>"}, outputs: {"x": "in.x"}, nodes: {}), inputs: {"x": "in.x"})"#;
    let nodes = format!(
        r#"{DOMAIN} "top": (iterations: 1000, group: (inputs: {{"x": "Grid<f32>"}}, outputs: {{"x": "g.x"}}, nodes: {{{empty}}}), inputs: {{"x": "s"}}), {}"#,
        output_nodes("top")
    );
    refused("a thousand times a thousand", &nodes, &["top/g.iterations", "more than 200000 iterations"]);
    let one = nodes.replacen("iterations: 1000", "iterations: 10", 1);
    assert_eq!(said("ten times a thousand", &one), "no problems");
}

#[test]
fn fields_that_grow_with_every_repeat() {
    let field = r#""f": (custom: "//! F\n//! @in a: Field<f32>\n//! @out b: Field<f32>\nfn stage(position: Vec) -> f32 { return a(position); }", inputs: {"a": "in.x"})"#;
    let nodes = format!(
        r#"{DOMAIN} "sphere": (stage: "shape/sphere"),
        "top": (iterations: 10000, group: (inputs: {{"x": "Field<f32>"}}, outputs: {{"x": "g.x"}}, nodes: {{
            "g": (iterations: 10000, group: (inputs: {{"x": "Field<f32>"}}, outputs: {{"x": "f.b"}}, nodes: {{{field}}}), inputs: {{"x": "in.x"}})}}), inputs: {{"x": "sphere"}}),
        "grid": (stage: "grid/from_field", inputs: {{"field": "top.x"}}), {}"#,
        output_nodes("grid")
    );
    refused("fields in repeats", &nodes, &["top/g.iterations", "200000"]);
}

#[test]
fn a_group_that_may_stop_ten_thousand_times() {
    let nodes = format!(
        r#"{DOMAIN} "top": (iterations: 10000, until: (number: "n", below: -1, every: 1), group: (inputs: {{"x": "Grid<f32>"}},
            outputs: {{"x": "b.field", "n": "m.largest"}}, nodes: {{
            "b": (stage: "filter/binomial", inputs: {{"field": "in.x"}}), "m": (stage: "grid/largest", inputs: {{"field": "b.field"}})}}),
            inputs: {{"x": "s"}}), {}"#,
        output_nodes("top.x")
    );
    assert_eq!(said("ten thousand tests", &nodes), "no problems");
}

#[test]
fn chains_of_reroutes_and_bypassed_nodes() {
    let chain =
        |count: usize| each(count, |i| format!(r#""n{i}": (reroute: (), inputs: {{"value": "{}"}})"#, before("n", i)));
    let nodes = format!("{DOMAIN}{}{}", chain(10_000), output_nodes("n9999"));
    assert_eq!(said("10,000 reroutes", &nodes), "no problems");
    let muted = each(4_000, |i| {
        format!(r#""m{i}": (stage: "fluid/dissipate", muted: true, inputs: {{"field": "{}"}})"#, before("m", i))
    });
    assert_eq!(said("4,000 muted nodes", &format!("{DOMAIN}{muted}{}", output_nodes("m3999"))), "no problems");
    let circle = nodes.replace(r#"{"value": "s"}"#, r#"{"value": "n9999"}"#);
    refused("a circle of 10,000 reroutes", &circle, &["form a cycle: n0 -> n1 -> n2", "(9981 more)"]);
}

#[test]
fn wide_and_deep() {
    let wide = |ports: usize, iterations: usize| {
        let list = |f: &dyn Fn(usize) -> String| (0..ports).map(f).collect::<Vec<_>>().join(", ");
        let inputs = list(&|i| format!(r#""x{i}": "Grid<f32>""#));
        let outputs = list(&|i| format!(r#""x{i}": "in.x{}""#, (i + 1) % ports));
        let wires = list(&|i| format!(r#""x{i}": "s""#));
        format!(
            r#"{DOMAIN} "g": (iterations: {iterations}, group: (inputs: {{{inputs}}}, outputs: {{{outputs}}}, nodes: {{}}), inputs: {{{wires}}}), {}"#,
            output_nodes("g.x0")
        )
    };
    refused("10,000 ports", &wide(10_000, 2), &["g: the group has 10000 inputs and 10000 outputs; at most 1000"]);
    refused("1,000 ports, 900 repeats", &wide(1_000, 900), &["g: the inputs of this group", "more than 300000 times"]);
    assert_eq!(said("1,000 ports, 10 repeats", &wide(1_000, 10)), "no problems");
    let nested = (0..14).fold(r#"{"x": (stage: "fluid/dissipate", inputs: {"field": "in.x"})}"#.to_string(), |inner, _| {
        format!(
            r#"{{"x": (iterations: 3, group: (inputs: {{"x": "Grid<f32>"}}, outputs: {{"x": "x"}}, nodes: {inner}), inputs: {{"x": "in.x"}})}}"#
        )
    });
    let nodes = format!(
        r#"{DOMAIN} "g": (group: (inputs: {{"x": "Grid<f32>"}}, outputs: {{"x": "x"}}, nodes: {nested}), inputs: {{"x": "s"}}), {}"#,
        output_nodes("g")
    );
    refused("three to the fourteenth", &nodes, &["more than 100000 dispatches"]);
}

#[test]
fn many_nodes_states_domains_and_numbers() {
    let nodes = each(100_000, |i| format!(r#""c{i}": (stage: "fluid/dissipate", inputs: {{"field": "s"}})"#));
    refused("100,000 nodes", &format!("{DOMAIN}{nodes}"), &["the graph has more than 20000 nodes"]);
    let domains = each(10_000, |i| format!(r#""d{i}": (domain: (resolution: (8, 8), width: 1, edge: "wall"))"#));
    refused("10,000 domains", &format!("{DOMAIN}{domains}"), &["the graph has more than 1000 domains"]);
    let states =
        each(10_000, |i| format!(r#""t{i}": (state: "Grid<f32>", inputs: {{"next": "t{}"}})"#, (i + 1) % 10_000));
    assert_eq!(said("10,000 States", &format!("{DOMAIN}{states}{}", output_nodes("t0"))), "no problems");
    let numbers =
        each(10_000, |i| format!(r#""n{i}": (number: "{}")"#, if i == 0 { "1".into() } else { format!("n{}", i - 1) }));
    let shaped = each(1_000, |i| {
        format!(
            r#""c{i}": (stage: "fluid/pressure_jacobi", inputs: {{"divergence": "s", "pressure": "s"}}, iterations: "n9999")"#
        )
    });
    refused(
        "numbers behind iterations",
        &format!("{DOMAIN}{numbers}{shaped}{}", output_nodes("c0")),
        &["in more than 100000 ways"],
    );
}

#[test]
fn what_is_wrong_a_hundred_thousand_times_is_reported_a_thousand_times() {
    let wrong = each(19_000, |i| {
        format!(r#""c{i}": (stage: "fluid/dissipate", inputs: {{"field": "c{i}.zz", "u": "k"}}, params: {{"zz": 1}})"#)
    });
    let said = said("19,000 wrong nodes", &format!("{DOMAIN}{wrong}"));
    assert!(said.contains("only the first 1000 errors are listed"), "{}", said.len());
    assert_eq!(said.lines().filter(|line| line.starts_with('c')).count(), 1_000);
    let missing = each(19_000, |i| format!(r#""c{i}": (stage: "no/such{i}")"#));
    refused("19,000 stages that are not there", &format!("{DOMAIN}{missing}"), &["only the first 1000 errors"]);
    let states = each(3_000, |i| format!(r#""t{i}": (state: "Grid<f32>", inputs: {{"init": "c2999"}})"#));
    let chain =
        each(3_000, |i| format!(r#""c{i}": (stage: "fluid/dissipate", inputs: {{"field": "{}"}})"#, before("c", i)));
    refused("3,000 starts behind 3,000 stages", &format!("{DOMAIN}{chain}{states}"), &["needs the State `s`"]);
}

#[test]
fn names_of_a_megabyte() {
    let long = "n".repeat(1 << 20);
    let state = format!(r#"{DOMAIN} "{long}": (state: "Grid<f32>"), {}"#, output_nodes("s"));
    refused("a node's name", &state, &["the node's path has 1048576 bytes; at most 1000"]);
    let port = format!(
        r#"{DOMAIN} "g": (group: (inputs: {{"{long}": "f32"}}, outputs: {{}}, nodes: {{}})), {}"#,
        output_nodes("s")
    );
    refused("a port's name", &port, &["a port's name has 1048576 bytes; at most 250"]);
}

#[test]
fn groups_that_hand_each_other_on() {
    let chain = each(5_000, |i| {
        format!(
            r#""g{i}": (group: (inputs: {{"x": "Grid<T>"}}, outputs: {{"x": "in.x"}}, nodes: {{}}), inputs: {{"x": "{}"}})"#,
            before("g", i)
        )
    });
    assert_eq!(said("5,000 groups in a row", &format!("{DOMAIN}{chain}{}", output_nodes("g4999"))), "no problems");
    let circle = chain.replace(r#"{"x": "s"}"#, r#"{"x": "g4999"}"#);
    refused(
        "5,000 groups in a circle",
        &format!("{DOMAIN}{circle}{}", output_nodes("g0")),
        &["feeds its own input with no stage in between"],
    );
}

#[test]
fn a_compilation_that_is_cancelled_ends() {
    let nodes = each(3_000, |i| {
        format!(
            r#""c{i}": (custom: "//! Add\n//! @in a: Grid<f32>\n//! @out b: Grid<f32>\nfn stage(cell: Cell) -> f32 {{ return a(cell) + {i}.0; }}", inputs: {{"a": "{}"}})"#,
            before("c", i)
        )
    });
    let text = format!("(version: 1, nodes: {{ {DOMAIN} {nodes} {} }})", output_nodes("c2999"));
    let graph = Graph::build(&Document::parse(&text).unwrap(), Library::builtin()).unwrap();
    let options = PlanOptions::default();
    options.cancel.cancel();
    let start = Instant::now();
    let said = Plan::compile(&graph, &options).map(|_| ()).expect_err("nobody waits").to_string();
    let at_once = start.elapsed();
    assert_eq!(said, "compilation was cancelled");
    // In the middle of it, from another thread. What the first one has analysed, later ones find, so they are sooner done.
    let start = Instant::now();
    Plan::compile(&graph, &PlanOptions::default()).unwrap_or_else(|e| panic!("{e}"));
    let whole = start.elapsed();
    let cancelled = [4, 16, 64, 256].into_iter().find_map(|part| {
        let options = PlanOptions::default();
        let cancel = options.cancel.clone();
        let waits = std::thread::spawn(move || {
            std::thread::sleep(whole / part);
            cancel.cancel();
            Instant::now()
        });
        let said = Plan::compile(&graph, &options).map(|_| ());
        let late = waits.join().unwrap().elapsed();
        println!("cancelled before: {at_once:?}; ends {late:?} after it was cancelled");
        said.err().map(|said| (said.to_string(), late))
    });
    let (said, late) = cancelled.expect("none was done before it was cancelled");
    assert_eq!(said, "compilation was cancelled");
    assert!(late < Duration::from_secs(5), "{late:?}");
}
