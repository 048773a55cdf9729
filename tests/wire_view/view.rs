//! Views a wire and waits for the result.

use stagewright_runtime::sim::wire_view::{Sample, Show, Statistics, View, Viewer};
use stagewright_runtime::sim::{Image, Simulation};
use stagewright_solver_support::harness::gpu;

/// What a viewer returns for one view of a wire.
pub struct Observation {
    pub statistics: Statistics,
    pub image: Image,
    pub sample: Option<Sample>,
    /// What it says that it shows.
    pub shown: Option<Show>,
}

impl Observation {
    /// RGBA of a pixel, from the lower left.
    pub fn pixel(&self, x: u32, y: u32) -> [u8; 4] {
        let at = 4 * ((self.image.height - 1 - y) * self.image.width + x) as usize;
        self.image.rgba[at..at + 4].try_into().unwrap()
    }
}

pub fn observe(simulation: &Simulation, view: &View) -> Observation {
    observe_at(simulation, view, None)
}

/// With the pointer somewhere, 0..1 from the lower left.
pub fn observe_at(simulation: &Simulation, view: &View, at: Option<[f32; 2]>) -> Observation {
    let mut viewer = Viewer::new(gpu()).unwrap();
    viewer.set_pointer(at);
    viewer.update(simulation, view).unwrap_or_else(|e| panic!("{e}"));
    viewer.wait();
    let [width, height] = viewer.image().unwrap().size;
    let words = viewer.image_async().unwrap().wait().unwrap();
    let faults = gpu().take_faults();
    assert!(faults.is_empty(), "{faults:?}");
    let statistics = viewer.statistics().expect("statistics arrived").clone();
    let (sample, shown) = (viewer.picked().cloned(), viewer.shown());
    Observation { statistics, image: Image::new(width, height, &words), sample, shown }
}
