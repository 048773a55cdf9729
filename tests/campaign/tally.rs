//! What came of a target: counts, costs and findings.

use std::fmt::Write;

use super::meter;
use super::options::Options;

pub struct Finding {
    pub index: u64,
    /// `panic`, `time`, `memory`, `stalled`, `signal`, `lost`, `failed`
    pub kind: String,
    pub cause: String,
    /// How often the same was found.
    pub times: u64,
}

#[derive(Default)]
pub struct Tally {
    pub name: String,
    pub cases: u64,
    /// By the wall clock \[s\].
    pub seconds: f64,
    /// How many cases got how far, with what each level is called.
    pub levels: Vec<(&'static str, u64)>,
    /// Processor time \[us\] and index of the case that took longest.
    pub slowest: (u64, u64),
    /// Memory \[bytes\] and index of the case that held most.
    pub largest: (usize, u64),
    /// Panics of naga that the compiler caught.
    pub caught: u64,
    pub findings: Vec<Finding>,
    /// Besides, in words.
    pub note: String,
}

impl Tally {
    pub fn new(name: &str, levels: &[&'static str]) -> Tally {
        Tally { name: name.into(), levels: levels.iter().map(|level| (*level, 0)).collect(), ..Tally::default() }
    }

    /// Adds a finding; true where it is the first of its kind.
    pub fn find(&mut self, index: u64, kind: &str, cause: &str) -> bool {
        // Numbers differ from case to case.
        let shape = |text: &str| text.chars().filter(|c| !c.is_ascii_digit()).take(100).collect::<String>();
        match self.findings.iter_mut().find(|earlier| earlier.kind == kind && shape(&earlier.cause) == shape(cause)) {
            Some(earlier) => earlier.times += 1,
            None => {
                self.findings.push(Finding { index, kind: kind.into(), cause: cause.into(), times: 1 });
                return true;
            }
        }
        false
    }

    pub fn line(&self) -> String {
        let rate = self.cases as f64 / self.seconds.max(0.001);
        let found: u64 = self.findings.iter().map(|finding| finding.times).sum();
        let mut line = format!("{:<14} {:>9} {:>7.0} {:>8.1} {:>8}", self.name, self.cases, self.seconds, rate, found);
        match self.slowest {
            (0, _) => line.push_str("         -        -"),
            (time, _) => {
                let _ = write!(line, " {:>7.0} ms {:>5.0} MB", time as f64 / 1e3, self.largest.0 as f64 / 1e6);
            }
        }
        let total = self.cases.max(1) as f64;
        let levels = self.levels.iter().map(|(name, count)| format!("{name} {:.0} %", 100.0 * *count as f64 / total));
        let mut notes: Vec<String> = levels.collect();
        if self.caught > 0 {
            notes.push(format!("{} panics of naga caught", self.caught));
        }
        notes.extend((!self.note.is_empty()).then(|| self.note.clone()));
        format!("{line}  {}", notes.join(", ")).trim_end().to_string()
    }
}

/// All targets as a text, with their findings below.
pub fn table(options: &Options, rows: &[Tally]) -> String {
    let mut text = format!(
        "{:<14} {:>9} {:>7} {:>8} {:>8} {:>10} {:>8}  how far\n",
        "target", "cases", "seconds", "a second", "findings", "slowest", "memory"
    );
    rows.iter().for_each(|row| text.push_str(&format!("{}\n", row.line())));
    let seconds: f64 = rows.iter().map(|row| row.seconds).sum();
    let _ = writeln!(
        text,
        "seed {}, {:.0} s in all; limits of a case: {} s of processor time, {} MB",
        options.seed,
        seconds,
        meter::MAX_TIME.as_secs(),
        meter::MAX_MEMORY >> 20
    );
    for row in rows {
        for finding in &row.findings {
            let Finding { index, kind, cause, times } = finding;
            let _ = writeln!(text, "{} case {index}: {kind} ({times} times): {cause}", row.name);
        }
    }
    text
}
