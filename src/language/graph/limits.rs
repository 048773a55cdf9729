//! Limits on the size of a graph. Each is far above what a user draws, and low enough to compile within a second and
//! without gigabytes of memory; `docs/architecture.md` has the table.

/// Nodes, including those inside groups.
pub const NODES: usize = 20_000;
/// Depth of nested groups. Anything deeper is a mistake, or a library group that contains itself.
pub const NESTING: usize = 16;
/// Domains, including those that stages request.
pub const DOMAINS: usize = 1_000;
/// Inputs of a group; the same limit holds for outputs.
pub const GROUP_PORTS: usize = 1_000;
/// Length of a node's path \[bytes\]. Labels of values, plans and messages repeat it.
pub const PATH: usize = 1_000;
/// Length of the name of a port or a parameter \[bytes\].
pub const PORT_NAME: usize = 250;
/// Pairs of a number and a value of the plan that depends on it.
pub const SHAPES: usize = 100_000;
/// Nodes of a path that a message lists.
pub const LISTED: usize = 20;
/// Names that a message offers to choose from.
const LISTED_NAMES: usize = 60;

/// The beginning of a name that is too long to be shown.
pub fn shortened(name: &str) -> String {
    let mut short: String = name.chars().take(40).collect();
    if short.len() < name.len() {
        short.push_str("...");
    }
    short
}

/// A path through a graph, as `a -> b -> a`, without the middle of a long one.
pub fn way(names: &[String]) -> String {
    if names.len() <= LISTED {
        return names.join(" -> ");
    }
    let (begin, end) = (&names[..LISTED / 2], &names[names.len() - LISTED / 2..]);
    let between = names.len() - LISTED;
    format!("{} -> ({between} more) -> {}", begin.join(" -> "), end.join(" -> "))
}

/// Names separated by commas; only the first of many.
pub fn list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let mut names = names.into_iter();
    let shown: Vec<String> = names.by_ref().take(LISTED_NAMES).map(|n| n.as_ref().to_string()).collect();
    let more = names.count();
    let end = if more > 0 { format!(", and {more} more") } else { String::new() };
    shown.join(", ") + &end
}

/// The name, shortened if it is too long.
pub(super) fn shortened_beyond(name: &str) -> String {
    if name.len() > PORT_NAME { shortened(name) } else { name.to_string() }
}
