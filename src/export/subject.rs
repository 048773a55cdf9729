//! What pictures are of: an Output of the graph, or any wire.

use super::sink::Content;
use crate::gpu::Reading;
use crate::plan::{Keep, Outputs, PlanOptions};
use crate::problem::Problem;
use crate::sim::probe::{Probe, Statistics, View};
use crate::sim::{Image, Simulation};

/// What is on the pictures.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The picture of an Output node; of the first when absent.
    Output(Option<String>),
    Wire(View),
}

impl Subject {
    /// How the plan has to be compiled, so that it computes this and nothing else.
    pub(super) fn plan_options(&self, size: Option<(u32, u32)>) -> PlanOptions {
        match self {
            Subject::Output(output) => {
                let outputs = output.clone().map_or(Outputs::First, Outputs::One);
                PlanOptions { size, outputs, ..PlanOptions::default() }
            }
            Subject::Wire(view) => {
                let keep = Keep::Wires(vec![view.keep()]);
                PlanOptions { keep, outputs: Outputs::None, ..PlanOptions::default() }
            }
        }
    }
}

/// What a frame holds, on its way from the GPU.
pub(super) struct Pending {
    reading: Reading,
    /// \[pixels\]
    size: [u32; 2],
}

impl Pending {
    /// The content, if it is there yet, and `None` when the device failed; itself if it is not there. Does not block.
    pub fn try_take(self) -> Result<Option<Content>, Pending> {
        let [width, height] = self.size;
        let image = |words: Vec<u32>| Content::Image(Image::new(width, height, &words));
        match self.reading.try_take() {
            Ok(words) => Ok(words.map(image)),
            Err(reading) => Err(Pending { reading, ..self }),
        }
    }
}

/// What takes the pictures.
pub(super) enum FrameSource<'a> {
    Output(Option<&'a str>),
    Wire(Box<Probe>, &'a View),
}

impl<'a> FrameSource<'a> {
    /// # Errors
    /// No such Output, or a driver that refuses the shaders of views.
    pub fn new(simulation: &Simulation, subject: &'a Subject) -> Result<FrameSource<'a>, Problem> {
        match subject {
            Subject::Wire(view) => Ok(FrameSource::Wire(Box::new(Probe::new(simulation.gpu())?), view)),
            Subject::Output(output) => {
                simulation.find_picture(output.as_deref())?;
                Ok(FrameSource::Output(output.as_deref()))
            }
        }
    }

    /// The size of the pictures \[pixels\], where it is known before the first frame.
    pub fn size(&self, simulation: &Simulation) -> Option<[u32; 2]> {
        let FrameSource::Output(output) = self else { return None };
        simulation.find_picture(*output).ok().map(|picture| [picture.width, picture.height])
    }

    /// What the last frame holds, on its way.
    pub fn read(&mut self, simulation: &Simulation) -> Result<Pending, Problem> {
        match self {
            FrameSource::Wire(probe, view) => {
                probe.update(simulation, view)?;
                let size = probe.picture().map(|picture| picture.size);
                let remedy = "choose a wire of a grid or of particles";
                let found = probe.picture_async().zip(size);
                let found = found.map(|(reading, size)| Pending { reading, size });
                found.ok_or_else(|| Problem::new("", &view.wire, "this wire cannot be shown as an image", remedy))
            }
            FrameSource::Output(output) => {
                let picture = simulation.find_picture(*output)?;
                Ok(Pending { reading: simulation.picture_async(*output)?, size: [picture.width, picture.height] })
            }
        }
    }

    /// What the last frame of a wire holds.
    pub fn statistics(&mut self) -> Option<Statistics> {
        let FrameSource::Wire(probe, _) = self else { return None };
        probe.wait();
        probe.statistics().cloned()
    }
}
