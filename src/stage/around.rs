//! How far around the computed cell a stage reads its inputs.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use super::header::{Direction, Header, Port, Radius};
use super::lex::Token;
use super::loops::window::{Window, windows};
use super::types::PortType;
use super::{IterationSource, Reach, Stage, StageError, called};

/// Values of a parameter that are gone through one by one.
const MAX_VALUES: i64 = 128;

/// The cells around the computed one that an input is read at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Around {
    /// No read is farther along any axis.
    pub radius: Radius,
    /// Cells on either side along each axis; where a parameter is the radius, whether it goes along the axis (1) or not (0).
    pub along: [u32; 3],
    /// Whether the text proves it; else accessors hold it.
    pub proven: bool,
    /// Whether as far as known most of these cells are read.
    pub dense: bool,
}

impl Around {
    /// Whether a cell is read by so many others that it had better be loaded once for all of them.
    pub fn is_wide(&self) -> bool {
        let wide = match self.radius {
            Radius::Cells(_) => self.along.iter().any(|cells| *cells > 1),
            Radius::Param(_) => self.along.iter().any(|axis| *axis > 0),
        };
        wide && self.dense
    }

    /// Cells on either side along each axis, where a parameter says `limit`.
    pub fn cells(&self, limit: u32) -> [u32; 3] {
        match self.radius {
            Radius::Cells(_) => self.along,
            Radius::Param(_) => self.along.map(|axis| axis * limit),
        }
    }
}

/// By input, in two and in three dimensions, worked out when first asked for. Like loops it follows from the text alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Cached([OnceLock<BTreeMap<String, Around>>; 2]);

impl PartialEq for Cached {
    fn eq(&self, _: &Cached) -> bool {
        true
    }
}

impl Stage {
    /// How far around the computed cell an input is read in a space of `dim` dimensions (2 or 3); nothing where neither text nor
    /// header say.
    pub fn around(&self, port: &str, dim: u32) -> Option<&Around> {
        let [flat, deep] = &self.around.0;
        let (kept, dim) = if dim == 3 { (deep, 3) } else { (flat, 2) };
        kept.get_or_init(|| self.all_around(dim)).get(port)
    }

    /// Whether some input is read by many cells.
    pub fn looks_around(&self, dim: u32) -> bool {
        self.inputs().any(|port| self.around(&port.name, dim).is_some_and(Around::is_wide))
    }

    fn all_around(&self, dim: u32) -> BTreeMap<String, Around> {
        let fits = |p: &&Port| p.direction == Direction::In && matches!(p.ty, PortType::Grid(_));
        let cells = self.runs == IterationSource::Cells;
        let asked = self.inputs().filter(fits).filter(|p| cells && !self.calls(&format!("{}_at", p.name)));
        asked.filter_map(|port| Some((port.name.clone(), self.look_around(port, dim)?))).collect()
    }

    fn look_around(&self, port: &Port, dim: u32) -> Option<Around> {
        let axes = |cells: u32| [0, 1, 2].map(|axis| if axis < dim { cells } else { 0 });
        let proven = |window: Window| Around {
            radius: Radius::Cells(window.cells.into_iter().max().unwrap_or(0)),
            along: window.cells,
            proven: true,
            dense: is_dense(&window),
        };
        let trusted = |radius: &Radius, along| Around { radius: radius.clone(), along, proven: false, dense: true };
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
                let known = |window: Window| Around {
                    radius: radius.clone(),
                    along: window.cells.map(|cells| cells.min(1)),
                    proven: true,
                    dense: is_dense(&window),
                };
                Some(window.map_or_else(|| trusted(radius, axes(1)), known))
            }
        }
    }

    /// The window at the largest value of a parameter, where it is no wider than the parameter says at each of its values.
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

    /// The window that the text proves, with parameters in their ranges unless `fixed` knows more.
    fn window(&self, port: &Port, dim: u32, fixed: &dyn Fn(&str) -> Option<(i64, i64)>) -> Option<Window> {
        let params = |name: &str| fixed(name).or_else(|| self.whole_range(name));
        let found = windows(&self.source, &[port.name.as_str()], &|name| super::known(name, dim), &params);
        let mut window = found.get(port.name.as_str()).copied()?;
        window.cells.iter_mut().skip(dim as usize).for_each(|cells| *cells = 0);
        Some(window)
    }
}

/// Whether at least every other cell of a window is read.
fn is_dense(window: &Window) -> bool {
    let all = window.cells.iter().fold(1u64, |all, cells| all.saturating_mul(2 * u64::from(*cells) + 1));
    window.taps.saturating_mul(2) >= all
}

/// Finds radii that nothing could come of.
pub(super) fn check(header: &Header, tokens: &[Token<'_>], runs: IterationSource, errors: &mut Vec<StageError>) {
    let inputs = header.ports.iter().filter(|p| p.direction == Direction::In);
    for (port, radius) in inputs.filter_map(|p| Some((p, p.radius.as_ref()?))) {
        let at = format!("{}_at", port.name);
        let message = match runs {
            IterationSource::Cells if called(tokens).any(|(_, name)| name == at) => {
                format!("`radius {radius}` counts cells, and `{at}` is called with a position; remove one of them")
            }
            IterationSource::Cells => continue,
            _ => format!("`radius {radius}` of `{}` needs a stage that runs over cells", port.name),
        };
        errors.push(StageError::new(port.line, 1, message));
    }
}
