//! Prefix sums that become States and go through groups: a sum has room for its total, and what it is passed on to has too.

use super::loops::frames;

/// A sum of 1, 2, 3 .. 8 over the cells; of a wire and those; a wire and one more.
const STAGES: &str = r#"
    "sum": (custom: "//! S\n//! @out r: Grid<u32>, scan\nfn stage(cell: Cell) -> u32 { return u32(cell.x + 4 * cell.y) + 1u; }"),
    "more": (custom: "//! M\n//! @in x: Grid<u32>\n//! @out r: Grid<u32>, scan\nfn stage(cell: Cell) -> u32 { return x(cell) & 7u; }", inputs: {"x": "WIRE"}),
    "up": (custom: "//! U\n//! @inout x: Grid<u32>\nfn stage(cell: Cell) -> u32 { return x(cell) + 1u; }", inputs: {"x": "WIRE"}),
"#;

const SUM: [u32; 8] = [0, 1, 3, 6, 10, 15, 21, 28];

/// `more` of these numbers.
fn more(of: &[u32]) -> Vec<u32> {
    of.iter().scan(0, |sum, x| Some(std::mem::replace(sum, *sum + (x & 7)))).collect()
}

/// `up` of these numbers.
fn up(of: &[u32]) -> Vec<u32> {
    of.iter().map(|x| x + 1).collect()
}

/// The State `s` after each of two frames, of nodes that read `WIRE`.
#[track_caller]
fn held(wire: &str, nodes: &str) -> [Vec<u32>; 2] {
    frames(&format!("{}{nodes}", STAGES.replace("WIRE", wire)), "s")
}

fn state(inputs: &str) -> String {
    format!(r#""s": (state: "Grid<u32>", inputs: {{{inputs}}}, params: {{"value": 3}}),"#)
}

#[test]
fn a_state_becomes_a_sum_and_starts_from_one() {
    let (sum, threes) = (SUM.to_vec(), vec![3; 8]);
    let next = |frame: &[u32]| more(frame);
    assert_eq!(held("s", &state(r#""next": "sum""#)), [sum.clone(), sum.clone()]);
    assert_eq!(held("s", &state(r#""init": "sum""#)), [sum.clone(), sum.clone()]);
    assert_eq!(held("s", &state(r#""init": "sum", "next": "sum""#)), [sum.clone(), sum.clone()]);
    assert_eq!(held("s", &state(r#""next": "more""#)), [next(&threes), next(&next(&threes))]);
    assert_eq!(held("s", &state(r#""init": "sum", "next": "more""#)), [next(&sum), next(&next(&sum))]);
    assert_eq!(held("s", &state(r#""init": "sum", "next": "up""#)), [up(&sum), up(&up(&sum))]);
    assert_eq!(held("sum", &state(r#""next": "up""#)), [up(&sum), up(&sum)]);
    let other = r#""t": (state: "Grid<u32>", inputs: {"init": "more", "next": "s"}),"#;
    assert_eq!(held("sum", &(state(r#""init": "more", "next": "t""#) + other)), [next(&sum), next(&sum)]);
}

#[test]
fn a_sum_goes_round_a_group() {
    let group = |outputs: &str, rest: &str| {
        format!(
            r#"{} "g": (inputs: {{"a": "s", "b": "sum"}}, {rest}, group: (inputs: {{"a": "Grid<u32>", "b": "Grid<u32>"}}, outputs: {{{outputs}}}, nodes: {{
                "most": (custom: "//! P\n//! @in x: Grid<u32>\n//! @out r: f32, reduce max\nfn stage(cell: Cell) -> f32 {{ return f32(x(cell)); }}", inputs: {{"x": "again.r"}}),
                "again": (custom: "//! M\n//! @in x: Grid<u32>\n//! @out r: Grid<u32>, scan\nfn stage(cell: Cell) -> u32 {{ return x(cell) & 7u; }}", inputs: {{"x": "in.a"}}),
                "up": (custom: "//! U\n//! @inout x: Grid<u32>\nfn stage(cell: Cell) -> u32 {{ return x(cell) + 1u; }}", inputs: {{"x": "in.a"}}),
            }})),"#,
            state(r#""next": "g.a""#)
        )
    };
    let (sum, threes) = (SUM.to_vec(), vec![3; 8]);
    let twice = held("s", &group(r#""a": "in.b", "b": "again.r""#, "iterations: 3"));
    assert_eq!(twice, [more(&sum), more(&sum)], "two sums change places");
    assert_eq!(held("s", &group(r#""a": "again.r""#, "iterations: 2"))[0], more(&more(&threes)));
    let never = r#"iterations: 9, until: (number: "m", below: 0, every: 1)"#;
    let early = r#"iterations: 9, until: (number: "m", below: 1000000, every: 1)"#;
    for outputs in
        [r#""a": "again.r""#, r#""a": "up.x""#, r#""a": "in.b", "b": "again.r""#, r#""a": "in.b", "b": "up.x""#]
    {
        let [full, one] = [never, early].map(|rest| held("s", &group(&format!(r#"{outputs}, "m": "most""#), rest)));
        assert_eq!(full, held("s", &group(outputs, "iterations: 9")), "never stops: {outputs}");
        assert_eq!(one, held("s", &group(outputs, "iterations: 1")), "stops at once: {outputs}");
    }
}
