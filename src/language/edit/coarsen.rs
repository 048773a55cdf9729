//! Fewer cells, for a graph that is too heavy for a machine.

use crate::document::{Document, Domain, Node, NodeKind, Nodes, ParamValue};

/// A domain keeps at least so many cells along each axis.
const MIN_CELLS: u32 = 8;
/// Limit of halvings that are tried.
const MAX_HALVINGS: u32 = 8;

/// How much coarser a document should be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coarser {
    /// How often the cells along each axis are halved.
    pub halvings: u32,
    /// Cells along each axis of the largest domain after that.
    pub cells: Vec<u32>,
}

/// The least coarsening that makes frames `factor` times as fast, if their time is proportional to the cells of the largest domain; the
/// coarsest possible if none does. `None` where no domain can be coarser.
pub fn coarser(document: &Document, factor: f64) -> Option<Coarser> {
    let mut all = Vec::new();
    collect(&document.nodes, &mut all);
    let largest = all.into_iter().max_by_key(|cells| cells.iter().map(|n| u64::from(*n)).product::<u64>())?;
    let after = |halvings: u32| largest.iter().map(|n| n >> halvings).collect::<Vec<u32>>();
    let possible = (1..=MAX_HALVINGS).filter(|halvings| after(*halvings).iter().all(|n| *n >= MIN_CELLS));
    let enough = |halvings: &u32| f64::from(*halvings * largest.len() as u32).exp2() >= factor;
    let halvings = possible.clone().find(enough).or(possible.max())?;
    Some(Coarser { halvings, cells: after(halvings) })
}

/// Halves the cells of all domains so many times along each axis, also inside groups. Resolutions that are expressions stay, since they
/// follow from others.
pub fn coarsen(document: &mut Document, halvings: u32) {
    coarsen_nodes(&mut document.nodes, halvings);
}

fn coarsen_nodes(nodes: &mut Nodes, halvings: u32) {
    for Node { kind, .. } in nodes.values_mut() {
        match kind {
            NodeKind::Domain(domain) => {
                if let Some(cells) = domain.cells() {
                    let fewer = |n: u32| ParamValue::Number(f64::from((n >> halvings).max(MIN_CELLS.min(n))));
                    domain.resolution = cells.into_iter().map(fewer).collect();
                }
            }
            NodeKind::Group(group) => coarsen_nodes(&mut group.nodes, halvings),
            _ => {}
        }
    }
}

fn collect(nodes: &Nodes, all: &mut Vec<Vec<u32>>) {
    for Node { kind, .. } in nodes.values() {
        match kind {
            NodeKind::Domain(domain) => all.extend(Domain::cells(domain)),
            NodeKind::Group(group) => collect(&group.nodes, all),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(resolutions: &str) -> Document {
        Document::parse(&format!("(version: 1, nodes: {{{resolutions}}})")).unwrap()
    }

    #[test]
    fn as_few_halvings_as_needed_are_proposed_and_leave_cells_enough() {
        let flat = document(
            r#""a": (domain: (resolution: (512, 256), width: 1)), "b": (domain: (resolution: (64, 32), width: 1))"#,
        );
        let proposed = |factor| coarser(&flat, factor).map(|c| (c.halvings, c.cells));
        assert_eq!(proposed(3.0), Some((1, vec![256, 128])));
        assert_eq!(proposed(5.0), Some((2, vec![128, 64])));
        assert_eq!(proposed(1e9), Some((5, vec![16, 8])), "the coarsest that is possible");
        let solid = document(r#""a": (domain: (resolution: (64, 64, 64), width: 1))"#);
        assert_eq!(coarser(&solid, 5.0), Some(Coarser { halvings: 1, cells: vec![32; 3] }), "an eighth of the cells");
        assert_eq!(coarser(&document(r#""a": (domain: (resolution: (12, 12), width: 1))"#), 4.0), None);
        assert_eq!(coarser(&document(r#""n": (number: 1)"#), 4.0), None);
    }

    #[test]
    fn all_domains_get_coarser_but_those_that_follow_from_others() {
        let mut graph = document(
            r#""a": (domain: (resolution: (64, 48), width: 1)), "b": (domain: (resolution: (10, 64), width: 1)),
            "c": (domain: (resolution: ("a.resolution.x / 2", 32), width: 1)),
            "g": (group: (nodes: {"d": (domain: (resolution: (32, 32), width: 1))}))"#,
        );
        coarsen(&mut graph, 2);
        let text = graph.to_text();
        for expected in ["(16, 12)", "(8, 16)", "(\"a.resolution.x / 2\", 32)", "resolution: (8, 8)"] {
            assert!(text.contains(expected), "{expected} in {text}");
        }
    }
}
