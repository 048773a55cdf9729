//! How large a graph may be. Each limit is far above what a person draws, and below what would take a second to compile or
//! gigabytes to hold; `docs/architecture.md` has the table.

/// Nodes, with those inside of groups.
pub const NODES: usize = 20_000;
/// Groups in groups in groups: deeper than this is a mistake, or a library group that holds itself.
pub const NESTING: usize = 16;
pub const DOMAINS: usize = 1_000;
/// Inputs of a group, and as many outputs.
pub const GROUP_PORTS: usize = 1_000;
/// Bytes of a node's path through the groups around it. Labels of values, plans and messages repeat it.
pub const PATH: usize = 1_000;
/// Bytes of the name of a port or a parameter.
pub const PORT_NAME: usize = 250;
/// Pairs of a number and of what the plan is made with that follows from it.
pub const SHAPES: usize = 100_000;
/// Nodes on a way that a message lists.
pub const LISTED: usize = 20;
/// Names to choose from that a message lists.
const LISTED_NAMES: usize = 60;

/// The beginning of a name that is too long to be shown.
pub fn shortened(name: &str) -> String {
    let mut short: String = name.chars().take(40).collect();
    if short.len() < name.len() {
        short.push_str("...");
    }
    short
}

/// A way through a graph, as `a -> b -> a`, without the middle of a long one.
pub fn way(names: &[String]) -> String {
    if names.len() <= LISTED {
        return names.join(" -> ");
    }
    let (begin, end) = (&names[..LISTED / 2], &names[names.len() - LISTED / 2..]);
    let between = names.len() - LISTED;
    format!("{} -> ({between} more) -> {}", begin.join(" -> "), end.join(" -> "))
}

/// Names with commas between them, the first of many.
pub fn list<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> String {
    let mut names = names.into_iter();
    let shown: Vec<String> = names.by_ref().take(LISTED_NAMES).map(|n| n.as_ref().to_string()).collect();
    let more = names.count();
    let end = if more > 0 { format!(", and {more} more") } else { String::new() };
    shown.join(", ") + &end
}
