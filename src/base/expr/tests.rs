use super::functions::{curve, noise, random as random_of};
use super::*;

fn context(time: f64) -> ExprContext {
    ExprContext { time, mouse: [0.25, 0.75], seed: 7, frame: 30.0, ..ExprContext::default() }
}

fn value(text: &str) -> Vec<f64> {
    match Expression::parse(text).and_then(|e| e.eval(&context(0.5))) {
        Ok(number) => number.as_slice().to_vec(),
        Err(error) => panic!("{text}: {error}"),
    }
}

fn fault(text: &str) -> String {
    match Expression::parse(text).and_then(|e| e.eval(&context(0.5))) {
        Ok(number) => panic!("{text} gives {number:?}"),
        Err(error) => error.to_string(),
    }
}

#[track_caller]
fn close(text: &str, expected: &[f64]) {
    let got = value(text);
    let near = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
    assert!(got.len() == expected.len() && got.iter().zip(expected).all(near), "{text}: {got:?}, not {expected:?}");
}

#[test]
fn every_number_is_a_float() {
    close("1/2", &[0.5]);
    close("7 % 2.5", &[2.0]);
    close("7 / 2 * 2", &[7.0]);
    close("2 ** -1", &[0.5]);
    close("2 ** 3 ** 2 - 3 ** 2", &[503.0]);
    close("1e3 + 1.5e-1 + .5 + 2.", &[1002.65]);
    close("99999999999999999999 / 1e20", &[1.0]);
    close("1<-1 || 3 > - -2", &[1.0]);
    close("-(2 ** 2) + (-2) ** 2", &[0.0]);
}

#[test]
fn vectors_work_componentwise_and_scalars_spread() {
    close("[1, 2] * 2 + vec(1, 1)", &[3.0, 5.0]);
    close("10 / [1, 2, 4]", &[10.0, 5.0, 2.5]);
    close("-[1, 2] % 2", &[-1.0, -0.0]);
    close("[1, 2, 3, 4].w + vec(5, 6).y", &[10.0]);
    close("[4, 9] ** 0.5", &[2.0, 3.0]);
    close("mouse", &[0.25, 0.75]);
    close("mouse.x + mouse.y * 2 - mouse_velocity.x", &[1.75]);
    close("sqrt([4, 9]) + min([1, 5], 3) + max(2, [1, 5])", &[5.0, 11.0]);
    close("clamp([-1, 0.5, 9], 0, [1, 1, 2])", &[0.0, 0.5, 2.0]);
    close("mix([0, 0], [2, 4], 0.5)", &[1.0, 2.0]);
    close("[\n  1,\n  2,\n]", &[1.0, 2.0]);
}

#[test]
fn functions_have_the_values_of_mathematics() {
    close("sin(pi / 2) + cos(tau)", &[2.0]);
    close("atan2(1, 1) * 4 - pi + atan(0) + asin(0) + acos(1) + tan(0)", &[0.0]);
    close("floor(-0.5) + ceil(0.2) + round(1.6) + fract(-0.25)", &[2.75]);
    close("exp(log(3)) + pow(2, 10) + abs(-1)", &[1028.0]);
    close("cosh(1) ** 2 - sinh(1) ** 2 + tanh(1000)", &[2.0]);
    close("[sign(-3), sign(0), sign(2)]", &[-1.0, 0.0, 1.0]);
    close("step(0.5, 0.5) + smoothstep(0, 1, 0.5) + smoothstep(1, 1, 0.9)", &[1.5]);
    close("length([3, 4]) + dot([1, 2], [3, 4]) + length(-2)", &[18.0]);
    close("normalize([3, 4])", &[0.6, 0.8]);
    close("normalize(mouse_velocity)", &[0.0, 0.0]);
    close("clamp(0.5, 2, 1)", &[1.0]);
    close("[pulse(0.1, 1, 0.25), pulse(2.3, 1, 0.25), pulse(-0.9, 1, 0.25)]", &[1.0, 0.0, 1.0]);
}

#[test]
fn conditions_choose_values() {
    close("if time > 0.4 { 1 } else { 2 }", &[1.0]);
    close("if time > 1 { 1 } else if frame == 30 { [1, 2] } else { 3 }", &[1.0, 2.0]);
    close("if time < 1 { 1 } else { 2 } - 3", &[-2.0]);
    close("2 * if true && !false { if time == 0.5 {5} else {6} } else { 0 }", &[10.0]);
    close("time >= 0.5", &[1.0]);
    close("(time > 0.4) * 3", &[3.0]);
}

#[test]
fn every_listed_function_and_variable_exists() {
    for usage in FUNCTIONS {
        let name = usage.split('(').next().unwrap_or("");
        let tried = ["0.5", "0.5, 0.6", "0.5, 0.6, 0.7", "[1, 2], [3, 4]", "0.5, [[0, 0], [1, 1]]"]
            .map(|arguments| Expression::parse(&format!("{name}({arguments})")).is_ok());
        assert!(tried.contains(&true), "{usage}");
        assert!(Expression::parse(&format!("{name}()")).is_err(), "{usage}");
    }
    for name in VARIABLES {
        let expression = Expression::parse(name).unwrap();
        assert_eq!(expression.variables(), [*name]);
        assert!(!expression.is_constant());
    }
}

#[test]
fn random_depends_on_its_argument_and_the_seed_only() {
    let random = Expression::parse("random(3)").unwrap();
    let with = |seed, time| random.eval(&ExprContext { seed, time, ..ExprContext::default() }).unwrap().v[0];
    assert_eq!(with(1, 0.0), with(1, 9.0));
    assert_ne!(with(1, 0.0), with(2, 0.0));
    assert_eq!(random.variables(), ["seed"]);
    assert_eq!(value("random(0)"), value("random(-0)"));
    let draws: Vec<f64> = (0..4096).map(|n| random_of(5, f64::from(n))).collect();
    assert!(draws.iter().all(|x| (0.0..1.0).contains(x)));
    // The mean of n uniform numbers has a standard deviation of 1 / sqrt(12 n); five times that does not occur by
    // chance.
    let mean = draws.iter().sum::<f64>() / 4096.0;
    assert!((mean - 0.5).abs() < 5.0 / (12.0 * 4096.0_f64).sqrt(), "mean {mean}");
}

#[test]
fn noise_is_bounded_and_smooth() {
    let step = 1.0 / 1024.0;
    // Values at integers differ by at most 2, and the quintic's slope is at most 15/8 a unit.
    let steepest = 2.0 * 15.0 / 8.0 * step;
    for i in -8192..8192 {
        let (a, b) = (noise(f64::from(i) * step), noise(f64::from(i + 1) * step));
        assert!(a.abs() <= 1.0 && (a - b).abs() <= steepest * (1.0 + 1e-9), "at {i}: {a} {b}");
    }
    assert!(noise(1e300).is_finite() && noise(-1e300).is_finite());
    assert_eq!(value("noise(1.25)"), [noise(1.25)]);
}

#[test]
fn curve_passes_its_keys_without_overshoot() {
    close("curve(-1, [[0, 3], [1, 5]])", &[3.0]);
    close("curve(9, [[0, 3], [1, 5]])", &[5.0]);
    close("curve(0.5, [[0, 3], [1, 5]])", &[4.0]);
    close("curve(time, [[1, 5], [0, 3], [0.5, 4.5]])", &[4.5]);
    close("curve(0.3, [[0, 7]])", &[7.0]);
    let keys = [[0.0, 0.0], [1.0, 0.1], [1.2, 0.9], [3.0, 1.0], [4.0, 0.2]].map(Number::pair);
    let mut before = 0.0;
    for i in 0..=3000 {
        let y = curve(f64::from(i) * 1e-3, &keys).unwrap();
        assert!(y >= before - 1e-12 && y <= 1.0 + 1e-12, "falls at {i}: {before} {y}");
        before = y;
    }
    assert!((before - 1.0).abs() < 1e-12);
}

#[test]
fn constants_are_known_to_be_constant() {
    for (text, constant) in
        [("2 * pi", true), ("[1, 2]", true), ("noise(3)", true), ("time", false), ("random(1)", false)]
    {
        assert_eq!(Expression::parse(text).unwrap().is_constant(), constant, "{text}");
    }
    assert_eq!(Expression::parse("mouse.x + time * mouse.y").unwrap().variables(), ["mouse", "time"]);
}

fn numbers(of: &[(&str, &[f64])]) -> Numbers {
    of.iter().map(|(name, value)| (name.to_string(), Number::vector(value).unwrap())).collect()
}

#[test]
fn numbers_are_variables() {
    // Keywords of other languages are ordinary names.
    let variables = numbers(&[
        ("spacing", &[0.1]),
        ("wind", &[1.0, 2.0]),
        ("let", &[3.0]),
        ("n0", &[4.0]),
        ("something_else", &[5.0]),
    ]);
    let value = |text: &str| {
        let expression = Expression::parse_with(text, &variables).unwrap_or_else(|e| panic!("{text}: {e}"));
        expression.eval_with(&context(0.5), &variables).unwrap_or_else(|e| panic!("{text}: {e}")).as_slice().to_vec()
    };
    assert_eq!(value("2 * spacing"), [0.2]);
    assert_eq!(value("[spacing, 0] + 2 * wind * time"), [1.1, 2.0]);
    assert_eq!(value("wind.y + length(wind * 0)"), [2.0]);
    assert_eq!(value("let * n0 + (something_else)"), [17.0]);
    assert_eq!(value("if spacing < 0.2 { wind } else { [0, 0] }"), [1.0, 2.0]);
}

#[test]
fn an_expression_of_numbers_follows_them() {
    let at = |spacing| numbers(&[("spacing", &[spacing])]);
    let expression = Expression::parse_with("1 / spacing + spacing", &at(0.0)).expect("may be defined later");
    assert!(!expression.is_constant() && expression.variables().is_empty());
    assert_eq!(expression.numbers(), ["spacing"]);
    assert_eq!(expression.eval_with(&context(0.0), &at(2.0)).unwrap().as_slice(), [2.5]);
    assert!(expression.eval_with(&context(0.0), &at(0.0)).unwrap_err().to_string().contains("inf"));
}

#[test]
fn names_of_the_language_come_first_and_unknown_ones_list_the_numbers() {
    let variables = numbers(&[("time", &[9.0]), ("sin", &[9.0]), ("pi", &[9.0]), ("wind", &[1.0, 2.0])]);
    let eval = |text: &str| Expression::parse_with(text, &variables)?.eval_with(&context(0.5), &variables);
    assert_eq!(eval("time + sin(0) + 0 * pi").unwrap().as_slice(), [0.5]);
    let fault = |text: &str| eval(text).unwrap_err().to_string();
    assert_eq!(fault("sin + 1"), "`sin` is a function; write it as sin(x) (column 1)");
    assert_eq!(fault("2 * wind(3)"), "`wind` is a number; write `*` between it and the bracket (column 5)");
    assert_eq!(fault("wind.z"), "a vector of 2 has no .z (column 5)");
    assert_eq!(
        fault("2 * wynd"),
        "there is no variable `wynd`; there are wind, time, dt, frame, seed, mouse, mouse_velocity, \
         buttons, keys, pi and tau (column 5)"
    );
    let many: Numbers = (0..40).map(|i| (format!("a{i:02}"), Number::scalar(0.0))).collect();
    let fault = Expression::parse_with("x", &many).unwrap_err().to_string();
    assert!(fault.contains("a00, a01") && fault.contains("a15, .., time"), "{fault}");
}

#[test]
fn names_are_found_and_renamed_in_any_text() {
    let text = "h * h.x + 1e3 * sin(h) + wind.h + 2*h2 + h_ +\n h";
    assert_eq!(names(text).into_iter().collect::<Vec<_>>(), ["h", "h2", "h_", "wind"]);
    assert_eq!(rename(text, "h", "pitch"), "pitch * pitch.x + 1e3 * sin(pitch) + wind.h + 2*h2 + h_ +\n pitch");
    assert!(mentions(text, "wind") && mentions("dt*2", "dt") && !mentions("2 * wind.h + sin(h)", "sin"));
    assert!(names("1 + é · \"").is_empty() && names("time + sin(pi)").is_empty());
    for (name, good) in
        [("h", true), ("_h2", true), ("2h", false), ("a-b", false), ("é", false), ("time", false), ("", false)]
    {
        assert_eq!(usable(name), good, "{name}");
    }
}

#[test]
fn errors_are_sentences_with_a_column() {
    for (text, sentence) in [
        ("", "the expression is empty; write a number such as 0.5"),
        ("1 +", "a number is missing at the end (column 4)"),
        ("1 +* 2", "a number is missing before this (column 4)"),
        ("2x", "`2` is followed by a name; write `*` between them (column 1)"),
        ("1 2", "an operator or a comma is missing here (column 3)"),
        ("(1", "this bracket has no matching `)` (column 1)"),
        ("1)", "no bracket is open that `)` could close (column 2)"),
        ("[1, 2)", "`]` is expected before this (column 6)"),
        (
            "1, 2",
            "a comma must be inside brackets; write a number with a point, such as 0.8, and a vector as [1, 2] (column 2)",
        ),
        ("sine(3)", "there is no function `sine` (column 1)"),
        ("sin", "`sin` is a function; write it as sin(x) (column 1)"),
        ("1 +\n  sin(1, 2)", "write it as sin(x); here it has (number, number) (line 2, column 3)"),
        ("random()", "write it as random(n); here it has () (column 1)"),
        ("random(random(1), 2)", "write it as random(n); here it has (number, number) (column 1)"),
        ("1.50 + clamp(1, 2)", "write it as clamp(x, low, high); here it has (number, number) (column 8)"),
        ("frame = 3", "an expression cannot assign; compare with `==` (column 7)"),
        ("let x = 3", "an expression has no `let`; it only gives a value (column 1)"),
        ("while true { }", "an expression has no `while`; it only gives a value (column 1)"),
        ("\"a\" * 3", "an expression has no text in quotes (column 1)"),
        ("2 * é", "`é` is not allowed in an expression (column 5)"),
        ("1 // c", "an expression has no comments (column 3)"),
        ("1e999", "this number is too large (column 1)"),
        ("mouse.q", "after a vector and `.` comes x, y, z or w (column 6)"),
        ("mouse.z", "a vector of 2 has no .z (column 6)"),
        ("mouse[0]", "take a part of a vector with .x .y .z .w (column 6)"),
        ("time.x", ".x .y .z .w are parts of a vector, and this is not a vector (column 5)"),
        ("[1, 2] + [1, 2, 3]", "`+` cannot combine a vector of 2 with one of 3 (column 8)"),
        ("mouse > 1", "`>` compares two numbers or two conditions; of a vector take .x or length(v) (column 7)"),
        ("-2 ** 2", "write (-a) ** b or -(a ** b), whichever is meant (column 4)"),
        ("if time > 0 { 1 }", "an `if` needs an `else`: if a > b { x } else { y } (column 1)"),
        ("if time { 1 } else { 2 }", "a condition such as time > 1 is needed here (column 4)"),
        ("{ 1 }", "braces only follow `if` and `else` (column 1)"),
        ("[1, 2, 3, 4, 5]", "the result needs a vector of 1 to 4 numbers, not this list"),
        ("curve(1, [])", "`curve` needs a key: curve(x, [[0, 0], [1, 1]]) (column 1)"),
        ("curve(1, [[0, 1], [0, 2]])", "`curve` has two keys at x = 0 at time 0 s (column 1)"),
        ("pulse(time, 0, 1)", "`pulse` needs a period above 0, not 0, at time 0.5 s (column 1)"),
        ("1 / 0", "the expression gives inf at time 0 s"),
        ("log(time - 1)", "the expression gives NaN at time 0.5 s"),
    ] {
        assert_eq!(fault(text), sentence, "{text}");
    }
    assert!(fault("foo").starts_with("there is no variable `foo`; there are time, dt,"));
    for text in ["()", "vec(1)", "switch 1 { }", "|a| a", "time ? 1 : 2", "print(1)", "eval(1)", "type_of(1)", "1..2"] {
        fault(text);
    }
}

#[test]
fn a_value_that_fails_only_now_names_the_time() {
    let expression = Expression::parse("1 / time + log(time)").unwrap();
    assert_eq!(expression.eval(&context(0.0)).unwrap_err().to_string(), "the expression gives NaN at time 0 s");
    assert!(expression.eval(&context(1.0)).is_ok());
}

/// Runs on a thread with a small stack, where an overflow would abort the process.
fn on_small_stack(text: String) -> Result<Number, ExprError> {
    let started = std::time::Instant::now();
    let shown: String = text.chars().take(24).collect();
    let thread = std::thread::Builder::new().stack_size(1 << 20);
    let run = move || Expression::parse(&text).and_then(|e| e.eval(&context(0.5)));
    let outcome = thread.spawn(run).unwrap().join().unwrap();
    assert!(started.elapsed().as_millis() < 1000, "{shown} takes {:?}", started.elapsed());
    outcome
}

#[test]
fn hostile_text_fails_quickly_on_a_small_stack() {
    let units =
        ["(", "[", "{", "-", "- ", "!", "sin(", "mouse.", "if true {", "if true {1} else ", "9", "a", "\0", "🦀"];
    let chains = ["1+", "1<", "2**", "true&&", "[1]+", "- ", "time*"];
    let mut texts = vec!["1".repeat(MAX_TEXT + 1), format!("[{}1]", "1,".repeat(2000))];
    texts.push(format!("mouse{}", ".x".repeat(2000)));
    texts.extend(units.map(|unit| unit.repeat(MAX_TEXT / unit.len())));
    texts.extend(chains.map(|unit| format!("{}{{1}}", unit.repeat(4000 / unit.len()))));
    texts.extend(["1<", "2**", "true&&"].map(|unit| format!("{}1", unit.repeat(4000 / unit.len()))));
    texts.extend(units.map(|unit| format!("{}1{}", unit.repeat(500), ")".repeat(500))));
    for text in texts {
        let shown: String = text.chars().take(24).collect();
        let error = on_small_stack(text).expect_err(&shown).to_string();
        assert!(error.len() < 200, "{error}");
    }
}

#[test]
fn depth_and_length_pass() {
    let keys: Vec<String> = (0..400).map(|i| format!("[{i},{i}]")).collect();
    for (text, expected) in [
        (format!("{}time", "1 + ".repeat(50)), 50.5),
        (format!("{}time{}", "(".repeat(16), ")".repeat(16)), 0.5),
        (format!("{}time{}", "max(1, ".repeat(16), ")".repeat(16)), 1.0),
        (format!("{}{{ 9 }}", "if time > 1 { 1 } else ".repeat(170)), 9.0),
        (format!("curve(time, [{}])", keys.join(",")), 0.5),
        (format!("{}1", "1+".repeat(2000)), 2001.0),
        (format!("{}[1]", "[1]+".repeat(1000)), 1001.0),
        (format!("{}2", "1**".repeat(1300)), 1.0),
        (format!("{}1", "- ".repeat(2000)), 1.0),
        (format!("{}true", "!".repeat(4000)), 1.0),
        (format!("{}true", "true&&".repeat(680)), 1.0),
    ] {
        assert_eq!(on_small_stack(text.clone()).unwrap().as_slice(), [expected], "{text}");
    }
}

#[test]
fn comparisons_forgive_rounding_and_sides_that_decide_end_a_condition() {
    close("0.1 + 0.2 == 0.3 && 0.3 >= 0.1 + 0.2 && !(0.1 + 0.2 > 0.3)", &[1.0]);
    close("1 / 0 > 5 && -1 / 0 < 5 && 1 / 0 == 2 / 0 && sin(pi) == 0 && 0 / 0 != 0 / 0", &[1.0]);
    close("true || mouse > 1", &[1.0]);
    close("false && mouse > 1 || (time > 0) == true", &[1.0]);
    assert_eq!(fault("true && mouse"), "a condition such as time > 1 is needed here (column 9)");
    assert_eq!(
        fault("(time > 1) == 1"),
        "`==` compares two numbers or two conditions; of a vector take .x or length(v) (column 12)"
    );
}

#[test]
fn numbers_can_be_given_by_their_places() {
    let variables = numbers(&[("spacing", &[0.5]), ("wind", &[1.0, 2.0])]);
    let expression = Expression::parse_with("wind * spacing", &variables).unwrap();
    assert_eq!(expression.numbers(), ["wind", "spacing"]);
    let values = [Number::pair([4.0, 6.0]), Number::scalar(0.5)];
    let value = expression.eval_by(&context(0.0), &|place| values.get(place).copied());
    assert_eq!(value.unwrap().as_slice(), [2.0, 3.0]);
    assert_eq!(expression.eval(&context(0.0)).unwrap_err().to_string(), "this number has no value (column 1)");
}
