//! Grids in half precision: which nodes support it.

use super::{Graph, Kind, Node};
use crate::document;
use crate::problem::{Problem, Problems};
use crate::stage::header::Port;
use crate::stage::types::{Element, PortType, Precision, Scalar, ValueType, WireType};
use crate::stage::{IterationSource, Stage};

/// The precision that a node requests; an unknown name is reported.
pub(super) fn named(path: &str, node: &document::Node, problems: &mut Problems) -> Precision {
    let Some(name) = &node.precision else { return Precision::F32 };
    Precision::parse(name).unwrap_or_else(|| {
        let cause = format!("`{name}` is not a grid precision");
        problems.push(Problem::new(path, "precision", cause, "use f32 or f16"));
        Precision::F32
    })
}

/// Reports every node that requests half precision and does not support it.
pub(super) fn check(graph: &Graph, problems: &mut Problems) {
    for node in graph.nodes.iter().filter(|node| node.precision == Precision::F16) {
        if let Err((cause, remedy)) = suits(graph, node) {
            problems.push(Problem::new(&node.path, "precision", cause, remedy));
        }
    }
}

/// Cause and remedy.
type Refusal = (String, &'static str);

const LEAVE: &str = "remove `precision`";

fn suits(graph: &Graph, node: &Node) -> Result<(), Refusal> {
    match &node.kind {
        // Its errors are reported already.
        Kind::Broken => return Ok(()),
        Kind::Stage(stage) => of_stage(stage)?,
        Kind::State(_) if node.file.is_some() => {
            return Err((
                "the values of a file are stored as f32".into(),
                "remove `precision`, or copy it with grid/resample",
            ));
        }
        Kind::State(ty) => of_state(*ty)?,
        Kind::Group(_) => {
            return Err(("a group stores nothing itself".into(), "set the precision of the nodes inside"));
        }
        Kind::Number | Kind::Output { .. } => return Err(("the node stores no grid".into(), LEAVE)),
    }
    let Some(domain) = node.domain.and_then(|d| graph.domains.get(d)) else { return Ok(()) };
    let float = |ty: &WireType| matches!(ty, WireType::Grid(value) if value.scalar() == Scalar::F32 && *value != ValueType::Mat);
    if !node.outputs.is_empty() && !node.outputs.iter().any(float) {
        return Err(("it has no grid of floats, and only those are stored as f16".into(), LEAVE));
    }
    let cells = domain.resolution[0];
    if node.outputs.contains(&WireType::Grid(ValueType::F32)) && cells % 2 == 1 {
        let cause = format!("two cells of a row share a word, and `{}` has {cells} cells along x", domain.name);
        return Err((cause, "give the domain an even number of cells along x, or remove `precision`"));
    }
    Ok(())
}

/// Whether a State of a type can be stored in half precision.
///
/// # Errors
/// Cause and remedy.
pub fn of_state(ty: WireType) -> Result<(), Refusal> {
    match ty {
        WireType::Grid(value) if value.scalar() == Scalar::F32 && value != ValueType::Mat => Ok(()),
        _ => Err((format!("only grids of floats are stored as f16, the State holds {ty}"), LEAVE)),
    }
}

/// Whether what a stage writes can be stored in half precision.
///
/// # Errors
/// Cause and remedy.
pub fn of_stage(stage: &Stage) -> Result<(), Refusal> {
    for port in stage.outputs() {
        let (way, remedy) = match port {
            Port { scatter: Some(_), .. } => {
                ("is written at any cell", "remove `precision`, or store a copy as f16 with grid/resample")
            }
            Port { reduce: Some(_), .. } => ("is reduced to a number", LEAVE),
            Port { scan: true, .. } => ("is a prefix sum", LEAVE),
            Port { ty: PortType::FaceGrid, .. } => ("stores values on faces", LEAVE),
            _ => continue,
        };
        return Err((format!("a stage stores f16 cell by cell, and its `{}` {way}", port.name), remedy));
    }
    let float = |port: &Port| match port.ty {
        PortType::Grid(Element::Fixed(value)) => value.scalar() == Scalar::F32 && value != ValueType::Mat,
        PortType::Grid(Element::Generic(_)) => true,
        _ => false,
    };
    match stage.source() == IterationSource::Cells && stage.outputs().any(float) {
        true => Ok(()),
        false => Err(("it writes no grid of floats cell by cell, and only those are stored as f16".into(), LEAVE)),
    }
}
