//! Seeing any wire: a picture of it, its statistics, and the value under the pointer, all made on the GPU where the wire is.
//! Nothing waits; statistics and values come some frames later. A wire has to be kept for it: [`View::keep`] says what to put
//! into [`crate::plan::Keep::Wires`].
//!
//! NaN is magenta, infinity cyan, whatever the colour map.

mod source;
mod statistics;

use crate::gpu::wire_view::{Lens, Params, found, show};
use crate::gpu::{Gpu, Reading};
use crate::graph::Graph;
use crate::problem::Problem;

use super::Simulation;
use super::camera::Orbit;
use source::Looked;

pub use crate::gpu::wire_view::Picture;
pub use source::ports;
pub use statistics::{Sample, Statistics};

/// Which wire is shown, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// `node.port`; `node.port.attribute` for one attribute of particles, `node` where the node has one output. A set of particles
    /// shows its `velocity`, or else the first attribute that is not the position.
    pub wire: String,
    pub show: Show,
    pub map: ColorMap,
    /// Values of the first and the last colour; found from the data when absent, frame by frame: least to greatest, about zero
    /// for [`ColorMap::Signed`], from zero for lengths, 0 to 1 for colours.
    pub range: Option<(f64, f64)>,
    /// How a grid of three dimensions becomes a picture.
    pub volume: Volume,
    /// Where a volume or particles in 3D are looked at from; the whole domain is in view when absent.
    pub camera: Option<Orbit>,
    /// Most pixels. A grid has one a cell when absent, other pictures 512 along their longer side.
    pub size: Option<(u32, u32)>,
}

/// What of an element is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Numbers by the colour map; vectors on grids by direction, those of particles by length; `Grid<vec4f>` as colours.
    #[default]
    Auto,
    /// One component from 0.
    Component(u8),
    /// Length.
    Magnitude,
    /// Hue is the direction in the xy plane, lightness the square root of the length, as the stage `view/vector` has it.
    Direction,
    /// Linear RGB as it is.
    Color,
}

impl Show {
    /// Whether the colour map says how it looks; directions and colours have colours of their own.
    pub fn is_mapped(self) -> bool {
        !matches!(self, Show::Direction | Show::Color)
    }
}

/// The colour maps of the stage `view/color_map`, in its order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorMap {
    #[default]
    Viridis = 0,
    Magma = 1,
    Inferno = 2,
    Plasma = 3,
    /// Blue, white, red.
    Signed = 4,
    Grey = 5,
}

impl ColorMap {
    pub const ALL: [ColorMap; 6] =
        [ColorMap::Viridis, ColorMap::Magma, ColorMap::Inferno, ColorMap::Plasma, ColorMap::Signed, ColorMap::Grey];

    pub fn name(self) -> &'static str {
        match self {
            ColorMap::Viridis => "viridis",
            ColorMap::Magma => "magma",
            ColorMap::Inferno => "inferno",
            ColorMap::Plasma => "plasma",
            ColorMap::Signed => "diverging",
            ColorMap::Grey => "grey",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    X = 0,
    Y = 1,
    Z = 2,
}

/// How a grid of three dimensions becomes a picture. Along z a picture has x to the right and y upwards, along y x and z, along x
/// z and y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Volume {
    /// One layer of cells; position 0 to 1 from the first to the last.
    Slice { axis: Axis, position: f64 },
    /// The greatest value along an axis; for [`ColorMap::Signed`] the one farthest from zero.
    Maximum(Axis),
    /// The same along the rays of the camera.
    Orbit,
}

impl Default for Volume {
    fn default() -> Volume {
        Volume::Slice { axis: Axis::Z, position: 0.5 }
    }
}

impl View {
    /// A wire as it is shown when nobody has said how.
    pub fn new(wire: &str) -> View {
        View {
            wire: wire.into(),
            show: Show::default(),
            map: ColorMap::default(),
            range: None,
            volume: Volume::default(),
            camera: None,
            size: None,
        }
    }

    /// What a plan has to keep for this view: with an attribute, the set that it belongs to.
    pub fn keep(&self) -> String {
        let end = self.wire.match_indices('.').nth(1).map_or(self.wire.len(), |(at, _)| at);
        self.wire.get(..end).unwrap_or(&self.wire).to_string()
    }
}

/// A view and what it has found out. One for each picture on the screen.
pub struct Probe {
    lens: Lens,
    asked: Option<[f32; 2]>,
    looked: Option<(View, Looked)>,
    shown: Option<Show>,
    /// Goes with what is looked at: what comes back of another wire is let go.
    tag: u64,
    statistics: Option<Statistics>,
    sample: Option<Sample>,
}

impl Probe {
    /// # Errors
    /// A driver that refuses the shaders.
    pub fn new(gpu: &Gpu) -> Result<Probe, Problem> {
        let lens = Lens::new(gpu)?;
        Ok(Probe { lens, asked: None, looked: None, shown: None, tag: 0, statistics: None, sample: None })
    }

    /// Looks at a wire as the last frame left it: one submit, no wait. For a State, that is what the next frame starts from.
    ///
    /// # Errors
    /// An unknown wire, one that was not kept, one that can't be shown so. The last picture stays.
    pub fn update(&mut self, simulation: &Simulation, view: &View) -> Result<(), Problem> {
        self.collect(false);
        let (looked, mut params) = source::find(simulation, view)?;
        if let Some(at) = self.asked {
            (params.asked, params.pointer) = (1, at);
        }
        // Statistics belong to what is shown; a sample also to where.
        let same_values = self
            .looked
            .as_ref()
            .is_some_and(|(before, memory)| before.wire == view.wire && before.show == view.show && *memory == looked);
        if !same_values {
            (self.statistics, self.sample) = (None, None);
            self.tag += 1;
        }
        let source = looked.source(simulation).ok_or_else(|| source::absent(&view.wire))?;
        self.lens.look(&source, &params, self.tag)?;
        self.looked = Some((view.clone(), looked));
        self.shown = Some(shown(&params));
        Ok(())
    }

    /// What the last picture shows of each value; never [`Show::Auto`], but what that came to.
    pub fn shown(&self) -> Option<Show> {
        self.shown
    }

    /// The picture, on the device of the simulation.
    pub fn picture(&self) -> Option<Picture<'_>> {
        self.lens.picture()
    }

    /// Asks for the picture without waiting; [`super::Image::new`] takes its words.
    pub fn picture_async(&self) -> Option<Reading> {
        self.lens.picture_async()
    }

    /// The latest statistics that have arrived.
    pub fn statistics(&mut self) -> Option<&Statistics> {
        self.collect(false);
        self.statistics.as_ref()
    }

    /// Where the pointer is in the picture, 0..1 from the lower left: every update then asks for the value there.
    pub fn ask(&mut self, at: Option<[f32; 2]>) {
        self.asked = at;
        if at.is_none() {
            self.sample = None;
        }
    }

    /// The latest value under the pointer that has arrived; `None` where nothing is.
    pub fn answer(&mut self) -> Option<&Sample> {
        self.collect(false);
        self.sample.as_ref()
    }

    /// Waits until all that was asked for has arrived.
    pub fn wait(&mut self) {
        self.collect(true);
    }

    /// Bind groups that it holds on the device: two at most, however long it looks.
    pub fn bindings(&self) -> usize {
        self.lens.bindings()
    }

    fn collect(&mut self, wait: bool) {
        for arrived in self.lens.arrived(wait) {
            let Some((_, looked)) = self.looked.as_ref().filter(|_| arrived.tag == self.tag) else { continue };
            self.statistics = Statistics::from_words(&arrived.words);
            let picked = arrived.words.get(found::PICKED..found::WORDS).filter(|_| self.asked.is_some());
            self.sample = picked.and_then(|words| looked.sample(words));
        }
    }
}

/// One wire of every node on a level of the graph, to keep for thumbnails: `node.port` of its first output that has memory. `group` is
/// the path of the group whose inside is on show. Fields and numbers are not among them, nor nodes that only a start needs.
pub fn thumbnails(graph: &Graph, group: Option<&str>) -> Vec<String> {
    let inside = group.and_then(|path| graph.node(path));
    if group.is_some() && inside.is_none() {
        return Vec::new();
    }
    let start_only = graph.start_only();
    let level = graph.nodes.entries().zip(start_only);
    let level = level.filter(|((_, node), start)| node.group == inside && !start).map(|(node, _)| node);
    level.filter_map(|(index, _)| ports(graph, index).next()).collect()
}

fn shown(params: &Params) -> Show {
    match params.show {
        show::MAGNITUDE => Show::Magnitude,
        show::DIRECTION => Show::Direction,
        show::COLOR => Show::Color,
        _ => Show::Component(params.component as u8),
    }
}

impl Params {
    /// With a picture of so many pixels, at least one.
    fn sized(self, [width, height]: [u32; 2]) -> Params {
        Params { size: [width.max(1), height.max(1)], ..self }
    }
}
