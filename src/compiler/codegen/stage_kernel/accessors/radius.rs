//! Accessors that hold a stage to the radius that its header declares, where the text does not prove it.
//!
//! ```wgsl
//! fn field(_asked: vec2i) -> f32 { let _cell = clamp(_asked, _at - 2, _at + 2); .. }
//! ```

use crate::codegen::stage_kernel::context::{Context, Instance};
use crate::ir::WireValue;
use crate::stage::header::{Direction, Port, Radius};
use crate::stage::types::EdgeRule;
use crate::stage::{IterationSource, Stage};

/// The radius that a port's accessor has to hold, for the text alone does not prove it. Around a periodic axis it is not held.
pub(crate) fn held(cx: &Context<'_>, stage: &Stage, port: &Port, value: &WireValue) -> Option<String> {
    let (radius, proven) = match port.direction {
        Direction::In if port.radius.is_none() => return None,
        Direction::In => {
            let around = stage.footprint(&port.name, value.dim)?;
            (around.radius.clone(), around.proven)
        }
        _ => stage.radius(port).map(|(cells, proven)| (Radius::Cells(cells), proven))?,
    };
    let holds = !proven && !cx.edges(port, value).has(EdgeRule::Wrap) && stage.source() == IterationSource::Cells;
    holds.then(|| match radius {
        Radius::Cells(cells) => cells.to_string(),
        Radius::Param(name) => format!("params.{name}"),
    })
}

/// Whether an accessor has to know the cell that is computed.
pub(crate) fn is_held(cx: &Context<'_>) -> bool {
    let of_stage = |of: Instance<'_>| {
        let read = cx.reads(of.index).filter_map(|r| Some((of.stage.inputs().nth(r.port)?, cx.value(r.value)?)));
        let written = cx.writes_of(of.index).map(|written| (written.port, written.value));
        let mut grids = read.chain(written).filter(|(port, _)| port.ty.is_grid());
        grids.any(|(port, value)| held(cx, of.stage, port, value).is_some())
    };
    cx.instances().any(of_stage)
}

/// The cell nearest to the one that is asked for, no more than a radius from the computed one.
pub(crate) fn nearest(radius: &str) -> String {
    format!("clamp(_asked, _at - {radius}, _at + {radius})")
}
