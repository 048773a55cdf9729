//! Numbers written over images, and images side by side.

use stagewright_language::document::ParamValue;
use stagewright_solver_support::harness::*;
use stagewright_solver_support::reference::{EdgeRule, Grid};

/// What `view/number` draws, rows from the top.
const CHARACTERS: [(char, [&str; 7]); 13] = [
    ('0', [" ### ", "#   #", "#  ##", "# # #", "##  #", "#   #", " ### "]),
    ('1', ["  #  ", " ##  ", "  #  ", "  #  ", "  #  ", "  #  ", " ### "]),
    ('2', [" ### ", "#   #", "    #", "   # ", "  #  ", " #   ", "#####"]),
    ('3', ["#####", "   # ", "  #  ", "   # ", "    #", "#   #", " ### "]),
    ('4', ["   # ", "  ## ", " # # ", "#  # ", "#####", "   # ", "   # "]),
    ('5', ["#####", "#    ", "#### ", "    #", "    #", "#   #", " ### "]),
    ('6', ["  ## ", " #   ", "#    ", "#### ", "#   #", "#   #", " ### "]),
    ('7', ["#####", "    #", "   # ", "  #  ", " #   ", " #   ", " #   "]),
    ('8', [" ### ", "#   #", "#   #", " ### ", "#   #", "#   #", " ### "]),
    ('9', [" ### ", "#   #", "#   #", " ####", "    #", "   # ", " ##  "]),
    ('.', ["     ", "     ", "     ", "     ", "     ", " ##  ", " ##  "]),
    ('-', ["     ", "     ", "     ", "#####", "     ", "     ", "     "]),
    ('e', ["     ", "     ", " ### ", "#   #", "#####", "#    ", " ### "]),
];

/// Squares of two cells; the text begins in cell (4, 7).
const NUMBER: &str = r#"
    "domain": (domain: (resolution: (300, 28), width: 300, edge: "clamp")),
    "ground": (stage: "image/constant", on: "domain", params: {"color": (0.5, 0.5, 0.5, 1)}),
    "n": (number: 1),
    "write": (stage: "view/number", inputs: {"image": "ground.image", "value": "n"},
              params: {"digits": $digits, "height": 0.5, "place": (0.0133333333, 0.25), "shade": 0.5}),
"#;

/// The characters in an image, until a place is empty.
fn decoded(image: &[f64]) -> String {
    let lit = |x: usize, y: usize| image[4 * (y * 300 + x)] > 0.75;
    let mut text = String::new();
    for place in 0..24 {
        let rows: Vec<String> = (0..7)
            .map(|row| {
                let y = 7 + 2 * (6 - row);
                (0..5).map(|column| if lit(4 + 2 * (6 * place + column), y) { '#' } else { ' ' }).collect()
            })
            .collect();
        if rows.iter().all(|row| row.trim().is_empty()) {
            break;
        }
        let character = CHARACTERS.iter().find(|(_, shape)| rows.iter().zip(shape).all(|(row, wanted)| row == wanted));
        text.push(character.unwrap_or_else(|| panic!("no character:\n{}", rows.join("\n"))).0);
    }
    text
}

/// So many significant digits; powers of ten below 0.01 and from 100000.
fn expected(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits - 1);
    let exponent: i32 = scientific.split_once('e').unwrap().1.parse().unwrap();
    if value == 0.0 {
        return "0".into();
    }
    match exponent {
        -2..5 => format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize),
        _ => scientific,
    }
}

#[test]
fn numbers_are_written_with_their_digits() {
    for digits in [1, 3, 5] {
        let mut sim = start(60.0, NUMBER, &[("$digits", &digits.to_string())]);
        for value in [
            0.0, 1.0, 2.671, -6.92, 1.0534e-4, 0.012_34, 0.009_996, 0.999_96, 9.9996, 42.0, 123.45, 12_345.0, 99_999.7,
            -123_456.0, 8.07e9, -3.3e-12, 3.1e38, 2.2e-36, 1000.0, 0.1, 5e-5,
        ] {
            let value = f64::from(value as f32);
            sim.set_param("n.value", ParamValue::Number(value)).unwrap();
            step(&mut sim, 1);
            assert_eq!(decoded(&read(&sim, "write.result")), expected(value, digits), "{value:e}, {digits} digits");
        }
    }
}

#[test]
fn a_number_that_is_none_is_three_dashes() {
    for operation in ["0x7fc00000u", "0x7f800000u", "0xff800000u"] {
        let bad = format!(
            "\"bad\": (custom: r#\"//! Bad\n//! @over once\n//! @in zero: f32\n//! @out value: f32\n
            fn stage() -> f32 {{ return bitcast<f32>({operation} | u32(zero())); }}\"#, inputs: {{\"zero\": \"n\"}}),"
        );
        let nodes =
            NUMBER.replace("\"value\": \"n\"", "\"value\": \"bad.value\"").replace("(number: 1)", "(number: 0)") + &bad;
        let mut sim = start(60.0, &nodes, &[("$digits", "3")]);
        step(&mut sim, 1);
        assert_eq!(decoded(&read(&sim, "write.result")), "---", "{operation}");
    }
}

#[test]
fn only_the_text_and_a_shade_behind_it_change() {
    let mut sim = start(60.0, NUMBER, &[("$digits", "3")]);
    step(&mut sim, 1);
    let image = read(&sim, "write.result");
    for (i, pixel) in image.chunks(4).enumerate() {
        // "1.00" is 4 characters of 6 squares, without the last column; a square more to each side, two to the left.
        let (x, y) = (i % 300, i / 300);
        let behind = (0..4 + 2 * 25).contains(&x) && (3..7 + 2 * 9).contains(&y);
        let wanted: &[f64] = if behind { &[0.25, 1.0] } else { &[0.5] };
        assert!(wanted.contains(&pixel[0]) && pixel[3] == 1.0, "{pixel:?} at {x}, {y}");
    }
}

#[test]
fn quarters_show_four_images_whole() {
    let quarters = r#"
        "small": (domain: (resolution: (12, 10), width: 2.4, edge: "clamp")),
        "domain": (domain: (resolution: (24, 20), width: 2.4, edge: "clamp")),
        "a": (state: "Grid<vec4f>", on: "small"),
        "b": (state: "Grid<vec4f>", on: "small"),
        "c": (state: "Grid<vec4f>", on: "small"),
        "all": (stage: "image/quarters", on: "domain", params: {"gap": $gap, "color": (9, 9, 9, 1)},
                inputs: {"upper_left": "a", "upper_right": "b", "lower_left": "c"}),
    "#;
    let grid = Grid::new(&[12, 10], 2.4, EdgeRule::Clamp);
    let images: Vec<Vec<f32>> = (0..3).map(|seed| random(4 * grid.cell_count(), seed)).collect();
    let states: Vec<(&str, &[f32])> = ["a", "b", "c"].into_iter().zip(images.iter().map(Vec::as_slice)).collect();
    for gap in ["0", "0.11"] {
        let mut sim = start(60.0, quarters, &[("$gap", gap)]);
        let result = run(&mut sim, &states, 1, "all.image");
        let mut error = 0.0f64;
        for (i, pixel) in result.chunks(4).enumerate() {
            let (x, y) = (i % 24, i / 24);
            // A gap of 0.11 of 2 m: cells whose centre is within 0.11 m of the middle.
            let line = gap != "0" && ((11..13).contains(&x) || (9..11).contains(&y));
            let which = [2, 3, 0, 1][usize::from(x >= 12) + 2 * usize::from(y >= 10)];
            let at = [(x % 12) as f64, (y % 10) as f64].map(|v| (v + 0.5) * 0.2);
            for (c, value) in pixel.iter().enumerate() {
                let exact = match images.get(which) {
                    _ if line => [9.0, 9.0, 9.0, 1.0][c],
                    Some(image) => {
                        let channel: Vec<f64> = image.iter().skip(c).step_by(4).map(|v| f64::from(*v)).collect();
                        grid.sample([at[0], at[1], 0.0], |cell| grid.read(&channel, cell))
                    }
                    None => 0.0,
                };
                error = error.max((value - exact).abs());
            }
        }
        within(
            &format!("quarters with a gap of {gap}"),
            error,
            12.0 * 4.0 * 2.0 * U + 10.0 * U,
            "place and interpolation",
        );
    }
}
