//! The graph: a document flattened, typed and checked. A `Graph` is always valid, so later steps need not check again.

pub mod balance;
mod blocks;
mod borders;
pub mod bypass;
mod carry;
mod checked;
mod domain;
pub mod dynamics;
mod edges;
pub mod expect;
pub mod field_samples;
mod file;
pub mod fits;
mod fixed;
mod flatten;
pub mod formula;
mod groups;
pub mod initial_values;
mod iterated_numbers;
pub mod limits;
mod links;
pub mod measurement;
mod moving;
pub mod numbers;
pub mod outputs;
pub mod partial;
mod particle_count;
pub mod ports;
pub mod precision;
mod resolve;
mod scope;
mod sequence;
mod sets;
mod specialize;
mod track;
mod track_file;
mod unknown_fields;
pub mod upstream;
pub mod values;
pub mod variants;
pub mod wires;

use crate::document::Document;
use crate::library::Library;
use crate::problem::Problems;

pub use crate::document::sequence::Pattern;
pub use blocks::takes_where;
pub use checked::{Blocks, Graph, Group, Input, Kind, Node, NodeId, ParticleSet, REPEATS, Shapes, Source, Until};
pub use domain::{Domain, DomainId, Finer, Sliced};
pub use edges::edges;
pub use file::{File, FileOutput, ImageFit, MAX_POINTS, MeshPoints};
pub use numbers::{NamedNumber, Table};
pub use particle_count::{COUNT_NUMBERS, COUNT_WORDS, count_words};
pub use sequence::{Beyond, Sequence};
pub use track::Track;
pub use values::{Setting, fit};

impl Graph {
    /// Flattens and checks a document.
    ///
    /// # Errors
    /// Every problem found, each with node, port, cause and remedy.
    pub fn build(document: &Document, library: &Library) -> Result<Graph, Problems> {
        crate::threads::deep_stack(|| {
            let mut problems = Problems::default();
            let library = library.with_shared_of(document);
            let (mut graph, numbers) = flatten::flatten(document, &library, &mut problems);
            resolve::resolve(&mut graph, &numbers, &mut problems);
            if problems.has_errors() {
                return Err(problems);
            }
            moving::check(&graph, &numbers, &mut problems);
            graph.expectations = expect::check(document, &graph);
            graph.expectations.iter().filter_map(|e| e.as_ref().err()).for_each(|e| problems.push(e.clone()));
            graph.warnings = problems;
            Ok(graph)
        })
    }

    /// The numbers of a document, which may contain errors, with their values at time zero.
    pub fn numbers_of(document: &Document, library: &Library) -> Table {
        crate::threads::deep_stack(|| {
            flatten::flatten(document, &library.with_shared_of(document), &mut Problems::default()).1
        })
    }
}
