//! Seeds of random tests. A run begins at another seed each day, so that each day tries new cases, and a failure prints the command
//! that repeats its case.

/// A number from the environment.
pub fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|e| panic!("{name}: {e}")))
}

/// The first seed of a run: `STAGEWRIGHT_SEED`; or else the day's, 1000 times `STAGEWRIGHT_DAY`, which `scripts/test` sets; or else 1.
pub fn first() -> u64 {
    let day = || number("STAGEWRIGHT_DAY").map(|day| 1000 * day);
    number("STAGEWRIGHT_SEED").or_else(day).unwrap_or(1)
}

/// The cases of today, every so many days one: tests that take long try all of theirs in that time. `STAGEWRIGHT_DAYS=1` tries all at once.
pub fn today<T>(cases: impl IntoIterator<Item = T>, days: u64) -> impl Iterator<Item = T> {
    let days = number("STAGEWRIGHT_DAYS").unwrap_or(days).max(1);
    let day = number("STAGEWRIGHT_DAY").unwrap_or(0) % days;
    cases.into_iter().skip(day as usize).step_by(days as usize)
}

/// The seed of a single generator that must not begin with 0: the first seed with its bits spread.
pub fn spread() -> u64 {
    first().wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1
}

/// The command that repeats so many cases from a seed on, of the tests with this part in their names.
pub fn repeat(seed: u64, count: u64, test: &str) -> String {
    format!("repeat with STAGEWRIGHT_SEED={seed} STAGEWRIGHT_COUNT={count} scripts/test {test}")
}

/// A case under way. Where it panics, the command that repeats it is printed.
pub struct Case(u64, &'static str);

impl Case {
    /// The case of a seed, in a test with this part in its name.
    pub fn begin(seed: u64, test: &'static str) -> Case {
        Case(seed, test)
    }
}

impl Drop for Case {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("{}", repeat(self.0, 1, self.1));
        }
    }
}
