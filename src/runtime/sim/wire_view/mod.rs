//! Views of wires: an image of any wire, its statistics, and the value under the pointer, all computed on the GPU where
//! the wire is. Nothing blocks; statistics and values arrive some frames later. A wire has to be kept for this:
//! [`View::keep`] gives what to put into [`crate::plan::Keep::Wires`].
//!
//! A view is one submit: range, histogram, sums, image, and the element under the pointer. The range of the colours never leaves the
//! GPU, so it is that of the frame on display. Wires are read as words, so the same few kernels serve all types. Sums are compensated and
//! completed in f64 on the CPU. NaN is magenta and infinity is cyan, whatever the colour map.

mod source;
mod statistics;

use std::sync::Arc;

use crate::gpu::wire_view::{Lens, Loaded, Params, Source, found, show};
use crate::gpu::{Gpu, Reading};
use crate::graph::Graph;
use crate::problem::Problem;

use super::Simulation;
use super::camera::Orbit;
use super::host_copy::HostCopy;
use source::Inputs;

pub use crate::gpu::wire_view::ViewImage;
pub use source::ports;
pub use statistics::{Sample, Statistics};

/// Which wire is shown, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct View {
    /// `node.port`; `node.port.attribute` for one attribute of particles; `node` where the node has one output. A
    /// particle set shows its `velocity`, or else the first attribute that is not the position. A field is shown by its values
    /// at the cell centres of the domain around it, or of another one: `node.port@domain`.
    pub wire: String,
    /// What is shown of each element.
    pub show: Show,
    /// The colours of a scalar.
    pub map: ColorMap,
    /// Values of the first and the last colour. When `None`, they follow from the data in each frame: minimum to
    /// maximum; symmetric about zero for [`ColorMap::Signed`]; from zero for lengths; 0 to 1 for colours.
    pub range: Option<(f64, f64)>,
    /// How a three-dimensional grid becomes an image.
    pub volume: Volume,
    /// Camera for a volume or for particles in 3D; the whole domain is visible when `None`.
    pub camera: Option<Orbit>,
    /// Maximum size \[pixels\]. When `None`, a grid has one pixel a cell, and other images have 512 along their longer
    /// side.
    pub size: Option<(u32, u32)>,
}

/// What is shown of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Show {
    /// Numbers by the colour map; vectors of grids by direction, those of particles by length; `Grid<vec4f>` as
    /// colours.
    #[default]
    Auto,
    /// One component, counted from 0.
    Component(u8),
    /// Length of the vector.
    Magnitude,
    /// Hue is the direction in the xy plane, lightness is the square root of the length, as in the stage `view/vector`.
    Direction,
    /// Linear RGB, unchanged.
    Color,
}

impl Show {
    /// Whether the colour map is used. Directions and colours do not use it.
    pub fn is_mapped(self) -> bool {
        !matches!(self, Show::Direction | Show::Color)
    }
}

/// The colour maps of the stage `view/color_map`, in its order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColorMap {
    /// Matplotlib's viridis.
    #[default]
    Viridis = 0,
    /// Matplotlib's magma.
    Magma = 1,
    /// Matplotlib's inferno.
    Inferno = 2,
    /// Matplotlib's plasma.
    Plasma = 3,
    /// Blue, white, red.
    Signed = 4,
    /// Black to white.
    Grey = 5,
}

impl ColorMap {
    /// All maps in the order of their numbers.
    pub const ALL: [ColorMap; 6] =
        [ColorMap::Viridis, ColorMap::Magma, ColorMap::Inferno, ColorMap::Plasma, ColorMap::Signed, ColorMap::Grey];

    /// The name as in the editor and on the command line.
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

/// An axis of a domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The axis to the right.
    X = 0,
    /// The axis upwards.
    Y = 1,
    /// The axis of depth.
    Z = 2,
}

/// How a three-dimensional grid becomes an image. Seen along z, an image has x to the right and y up; along y: x and z;
/// along x: z and y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Volume {
    /// One layer of cells; position 0 to 1 from the first to the last.
    Slice {
        /// The axis across the slice.
        axis: Axis,
        /// Position from 0 to 1 along the axis.
        position: f64,
    },
    /// The maximum along an axis; for [`ColorMap::Signed`] the value farthest from zero.
    Maximum(Axis),
    /// The maximum along the rays of the camera; for [`ColorMap::Signed`] the value farthest from zero.
    Orbit,
}

impl Default for Volume {
    fn default() -> Volume {
        Volume::Slice { axis: Axis::Z, position: 0.5 }
    }
}

impl View {
    /// A wire with default settings.
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

    /// What a plan has to keep for this view. For an attribute, this is the particle set that it belongs to.
    pub fn keep(&self) -> String {
        let end = self.wire.match_indices('.').nth(1).map_or(self.wire.len(), |(at, _)| at);
        self.wire.get(..end).unwrap_or(&self.wire).to_string()
    }
}

/// The views' state on the device: the image of a wire, its statistics and the value under the pointer. One for each
/// view on the screen.
pub struct Viewer {
    lens: Lens,
    pointer: Option<[f32; 2]>,
    inputs: Option<(View, Inputs)>,
    shown: Option<Show>,
    /// Number of the current wire and settings. Results with another number are discarded.
    tag: u64,
    statistics: Option<Statistics>,
    sample: Option<Sample>,
    /// Values that were shown last of those that no simulation holds.
    loaded: Option<(Arc<HostCopy>, Loaded)>,
}

impl Viewer {
    /// # Errors
    /// A driver that refuses the shaders.
    pub fn new(gpu: &Gpu) -> Result<Viewer, Problem> {
        let lens = Lens::new(gpu)?;
        let pointer = None;
        let inputs = None;
        let shown = None;
        let statistics = None;
        let sample = None;
        let loaded = None;
        Ok(Viewer { lens, pointer, inputs, shown, tag: 0, statistics, sample, loaded })
    }

    /// Updates the view from a wire as the last frame left it: one submit, no wait. For a State, that is the value that
    /// the next frame starts from.
    ///
    /// # Errors
    /// An unknown wire, one that was not kept, or one that cannot be shown this way. The last image stays.
    pub fn update(&mut self, simulation: &Simulation, view: &View) -> Result<(), Problem> {
        self.collect(false);
        let (inputs, params) = source::find(simulation, view)?;
        let source = inputs.source(simulation).ok_or_else(|| source::absent(&view.wire))?;
        self.show(&source, inputs, params, view)
    }

    /// Updates the view from values that were taken from a simulation, with the settings of a view, whose wire is ignored. Values that are
    /// shown again are not copied again.
    ///
    /// # Errors
    /// As [`Viewer::update`]; no memory on the device for the values.
    pub fn update_taken(&mut self, gpu: &Gpu, copy: &Arc<HostCopy>, view: &View) -> Result<(), Problem> {
        self.collect(false);
        let (inputs, params) = source::describe(copy.found(), &copy.domains, view)?;
        let (copied, loaded) = match self.loaded.take() {
            Some((copied, loaded)) if Arc::ptr_eq(&copied, copy) => (Some(copied), loaded),
            other => (None, load(gpu, copy, other.map(|(_, loaded)| loaded))?),
        };
        let shown = self.show(&loaded.source(), inputs, params, view);
        self.loaded = Some((copied.unwrap_or_else(|| copy.clone()), loaded));
        shown
    }

    fn show(&mut self, source: &Source<'_>, inputs: Inputs, mut params: Params, view: &View) -> Result<(), Problem> {
        if let Some(at) = self.pointer {
            (params.asked, params.pointer) = (1, at);
        }
        // Statistics belong to the wire and to what is shown of it; a sample also to its position.
        let same_values = self
            .inputs
            .as_ref()
            .is_some_and(|(before, memory)| before.wire == view.wire && before.show == view.show && *memory == inputs);
        if !same_values {
            (self.statistics, self.sample) = (None, None);
            self.tag += 1;
        }
        self.lens.compute(source, &params, self.tag)?;
        self.inputs = Some((view.clone(), inputs));
        self.shown = Some(shown(&params));
        Ok(())
    }

    /// What the last image shows of each element; never [`Show::Auto`], but what was chosen for it.
    pub fn shown(&self) -> Option<Show> {
        self.shown
    }

    /// How many numbers a cell has, where they are shown one by one.
    pub fn several(&self) -> Option<usize> {
        self.inputs.as_ref().filter(|(_, inputs)| inputs.array).map(|(_, inputs)| inputs.numbers)
    }

    /// The image, on the simulation's device.
    pub fn image(&self) -> Option<ViewImage<'_>> {
        self.lens.image()
    }

    /// Requests the image without waiting; [`super::Image::new`] converts its words.
    pub fn image_async(&self) -> Option<Reading> {
        self.lens.image_async()
    }

    /// The latest statistics that have arrived.
    pub fn statistics(&mut self) -> Option<&Statistics> {
        self.collect(false);
        self.statistics.as_ref()
    }

    /// Sets the pointer's position in the image, 0..1 from the lower left. Every update then requests the value there.
    pub fn set_pointer(&mut self, at: Option<[f32; 2]>) {
        self.pointer = at;
        if at.is_none() {
            self.sample = None;
        }
    }

    /// The latest value under the pointer that has arrived; `None` where there is none.
    pub fn picked(&mut self) -> Option<&Sample> {
        self.collect(false);
        self.sample.as_ref()
    }

    /// Blocks until everything that was requested has arrived.
    pub fn wait(&mut self) {
        self.collect(true);
    }

    /// Number of bind groups on the device: at most two, however long the view exists.
    pub fn bindings(&self) -> usize {
        self.lens.bindings()
    }

    fn collect(&mut self, wait: bool) {
        for arrived in self.lens.arrived(wait) {
            let Some((_, inputs)) = self.inputs.as_ref().filter(|_| arrived.tag == self.tag) else { continue };
            self.statistics = Statistics::from_words(&arrived.words);
            let picked = arrived.words.get(found::PICKED..found::WORDS).filter(|_| self.pointer.is_some());
            self.sample = picked.and_then(|words| inputs.sample(words));
        }
    }
}

/// Copies values to the device, into the same buffers as before if they fit.
///
/// # Errors
/// When there is no memory for them.
fn load(gpu: &Gpu, copy: &HostCopy, before: Option<Loaded>) -> Result<Loaded, Problem> {
    let (values, count) = (copy.wire.layout().pack(&copy.words), [copy.live.unwrap_or_default()]);
    let parts = [values.as_slice(), &count, &copy.places];
    let loaded = match before.filter(|loaded| loaded.fits(parts)) {
        Some(loaded) => loaded,
        None => Loaded::new(gpu, parts)?,
    };
    loaded.write(gpu, parts);
    Ok(loaded)
}

/// One wire of every node on a level of the graph, to keep for thumbnails: `node.port` of the first output that has
/// memory. `group` is the path of the group that is open. Fields, numbers and nodes that only run at the start are left
/// out.
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
    /// The parameters for an image of this size, at least one pixel.
    fn sized(self, [width, height]: [u32; 2]) -> Params {
        Params { size: [width.max(1), height.max(1)], ..self }
    }
}
