//! Test results as JUnit XML, which CI servers read.

use std::fmt::Write;

use stagewright_base::quoting::xml;

/// The tests of a graph.
pub struct Suite {
    pub name: String,
    pub seconds: f64,
    pub cases: Vec<Case>,
}

/// One check.
pub struct Case {
    pub name: String,
    pub result: CaseResult,
}

pub enum CaseResult {
    Passed,
    Failed(String),
    Skipped(String),
    /// The check could not run.
    Error(String),
}

/// The text of the file.
pub fn to_text(suites: &[Suite]) -> String {
    let all = || suites.iter().flat_map(|suite| &suite.cases);
    let seconds: f64 = suites.iter().map(|suite| suite.seconds).sum();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(out, "<testsuites name=\"stagewright\"{} time=\"{seconds:.3}\">", counts(all()));
    for suite in suites {
        let (name, counts) = (xml(&suite.name), counts(suite.cases.iter()));
        let _ = writeln!(out, "  <testsuite name=\"{name}\"{counts} time=\"{:.3}\">", suite.seconds);
        for case in &suite.cases {
            let _ = write!(out, "    <testcase classname=\"{name}\" name=\"{}\"", xml(&case.name));
            let (tag, message) = match &case.result {
                CaseResult::Passed => {
                    out.push_str("/>\n");
                    continue;
                }
                CaseResult::Failed(message) => ("failure", message),
                CaseResult::Skipped(message) => ("skipped", message),
                CaseResult::Error(message) => ("error", message),
            };
            let _ = writeln!(out, "><{tag} message=\"{}\"/></testcase>", xml(message));
        }
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

fn counts<'c>(cases: impl Iterator<Item = &'c Case>) -> String {
    let [mut tests, mut failures, mut errors, mut skipped] = [0; 4];
    for case in cases {
        tests += 1;
        match &case.result {
            CaseResult::Passed => {}
            CaseResult::Failed(_) => failures += 1,
            CaseResult::Skipped(_) => skipped += 1,
            CaseResult::Error(_) => errors += 1,
        }
    }
    format!(" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_counted_and_escaped() {
        let case = |name: &str, result| Case { name: name.into(), result };
        let cases = vec![
            case("a < b & \"c\"", CaseResult::Passed),
            case("d", CaseResult::Failed("1\n\u{1b}[2J > 'x'".into())),
            case("e", CaseResult::Skipped("elsewhere".into())),
            case("f", CaseResult::Error("no driver".into())),
        ];
        let text = to_text(&[Suite { name: "g.ron".into(), seconds: 1.5, cases }]);
        let expected = r#"<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="stagewright" tests="4" failures="1" errors="1" skipped="1" time="1.500">
  <testsuite name="g.ron" tests="4" failures="1" errors="1" skipped="1" time="1.500">
    <testcase classname="g.ron" name="a &lt; b &amp; &quot;c&quot;"/>
    <testcase classname="g.ron" name="d"><failure message="1&#10;�[2J &gt; &apos;x&apos;"/></testcase>
    <testcase classname="g.ron" name="e"><skipped message="elsewhere"/></testcase>
    <testcase classname="g.ron" name="f"><error message="no driver"/></testcase>
  </testsuite>
</testsuites>
"#;
        assert_eq!(text, expected);
    }
}
