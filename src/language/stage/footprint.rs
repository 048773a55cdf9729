//! The stencil footprint of a stage: the cells around the computed one at which it reads its inputs.

use std::collections::BTreeMap;

use super::bounded::dimension_constant;
use super::definition::{IterationSource, Stage, StageError};
use super::header::{Direction, Header, Port, Radius};
use super::loops::window::{Window, windows};
use super::proven::Footprint;
use super::reach::Reach;
use super::syntax::{Token, calls};
use super::types::PortType;

/// Limit of parameter values that are tried one by one.
const MAX_VALUES: i64 = 128;

impl Stage {
    /// The footprint of an input in a space of `dim` dimensions (2 or 3); `None` where neither text nor header bounds
    /// it.
    pub fn footprint(&self, port: &str, dim: u32) -> Option<&Footprint> {
        self.found.footprints.get(dim, |dim| self.all_footprints(dim)).get(port)
    }

    /// Whether the footprint of some input [is wide](Footprint::is_wide).
    pub fn has_wide_footprint(&self, dim: u32) -> bool {
        self.inputs().any(|port| self.footprint(&port.name, dim).is_some_and(Footprint::is_wide))
    }

    fn all_footprints(&self, dim: u32) -> BTreeMap<String, Footprint> {
        let fits = |p: &&Port| p.direction == Direction::In && matches!(p.ty, PortType::Grid(_)) && !p.table;
        let cells = self.runs == IterationSource::Cells;
        let inputs = self.inputs().filter(fits).filter(|p| cells && !self.calls(&format!("{}_at", p.name)));
        inputs.filter_map(|port| Some((port.name.clone(), self.read_footprint(port, dim)?))).collect()
    }

    fn read_footprint(&self, port: &Port, dim: u32) -> Option<Footprint> {
        let axes = |cells: u32| [0, 1, 2].map(|axis| if axis < dim { cells } else { 0 });
        let proven = |window: Window| Footprint {
            radius: Radius::Cells(window.cells.into_iter().max().unwrap_or(0)),
            along: window.cells,
            proven: true,
            dense: is_dense(&window),
        };
        let trusted = |radius: &Radius, along| Footprint { radius: radius.clone(), along, proven: false, dense: true };
        match (self.reach(&port.name), &port.radius) {
            (Reach::Own, _) => Some(proven(Window::default())),
            (Reach::Faces, _) => Some(proven(Window { cells: axes(1), taps: 0 })),
            (Reach::Anywhere, None) => self.window(port, dim, &|_| None).map(proven),
            (Reach::Anywhere, Some(radius @ Radius::Cells(cells))) => {
                let window = self.window(port, dim, &|_| None).filter(|w| w.cells.iter().all(|c| c <= cells));
                Some(window.map_or_else(|| trusted(radius, axes(*cells)), proven))
            }
            (Reach::Anywhere, Some(radius @ Radius::Param(name))) => {
                let window = self.window_by(port, dim, name);
                let proven_by_param = |window: Window| Footprint {
                    radius: radius.clone(),
                    along: window.cells.map(|cells| cells.min(1)),
                    proven: true,
                    dense: is_dense(&window),
                };
                Some(window.map_or_else(|| trusted(radius, axes(1)), proven_by_param))
            }
        }
    }

    /// The window at the largest value of a parameter, if at each value it is no wider than the parameter.
    fn window_by(&self, port: &Port, dim: u32, param: &str) -> Option<Window> {
        let (low, high) = self.whole_range(param)?;
        let mut last = None;
        for value in (high - low < MAX_VALUES).then_some(low..=high)? {
            let window = self.window(port, dim, &|name| (name == param).then_some((value, value)))?;
            window.cells.iter().all(|cells| i64::from(*cells) <= value).then_some(())?;
            last = Some(window);
        }
        last
    }

    /// The window that the text proves; parameters take any value in their range unless `fixed` narrows it.
    fn window(&self, port: &Port, dim: u32, fixed: &dyn Fn(&str) -> Option<(i64, i64)>) -> Option<Window> {
        let params = |name: &str| fixed(name).or_else(|| self.whole_range(name));
        let found = windows(&self.source, &[port.name.as_str()], &|name| dimension_constant(name, dim), &params);
        let mut window = found.get(port.name.as_str()).copied()?;
        window.cells.iter_mut().skip(dim as usize).for_each(|cells| *cells = 0);
        Some(window)
    }
}

/// Whether at least half of a window's cells are read.
fn is_dense(window: &Window) -> bool {
    let all = window.cells.iter().fold(1u64, |all, cells| all.saturating_mul(2 * u64::from(*cells) + 1));
    window.taps.saturating_mul(2) >= all
}

/// Rejects a `radius` that could have no effect.
pub(super) fn check(header: &Header, tokens: &[Token<'_>], runs: IterationSource, errors: &mut Vec<StageError>) {
    let inputs = header.ports.iter().filter(|p| p.direction == Direction::In);
    for (port, radius) in inputs.filter_map(|p| Some((p, p.radius.as_ref()?))) {
        let at = format!("{}_at", port.name);
        let message = match runs {
            IterationSource::Cells if calls(tokens).any(|(_, name)| name == at) => {
                format!("`radius {radius}` counts cells, and `{at}` is called with a position; remove one of them")
            }
            IterationSource::Cells => continue,
            _ => format!("`radius {radius}` of `{}` needs a stage that runs over cells", port.name),
        };
        errors.push(StageError::new(port.line, 1, message));
    }
}
