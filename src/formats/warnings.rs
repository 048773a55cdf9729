//! Sentences about what a file holds and a reader leaves out.

/// What warnings about numbers that are not finite end with.
pub const COUNT_AS_ZERO: &str = "count as 0";
/// Remedy of warnings about what is left out of a mesh.
pub const APPLY: &str = "apply it in the program that made the file, and export it again";

/// The first of many names, and how many follow.
pub(crate) fn listed(names: &[&str]) -> String {
    const LISTED: usize = 5;
    let short = |name: &&str| name.chars().take(60).collect::<String>();
    let first = names.iter().take(LISTED).map(short).collect::<Vec<_>>().join(", ");
    match names.len().checked_sub(LISTED) {
        None | Some(0) => first,
        Some(more) => format!("{first} and {more} more"),
    }
}

/// The warning about numbers that are not finite.
pub fn not_finite(strange: usize, what: &str) -> Option<String> {
    (strange > 0).then(|| format!("{strange} of {what} are infinite or none, and {COUNT_AS_ZERO}"))
}
