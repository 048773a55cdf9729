//! What the images show: an Output of the graph, or any wire.

use super::sink::Content;
use crate::gpu::Reading;
use crate::plan::{Keep, Outputs, PlanOptions};
use crate::problem::Problem;
use crate::sim::wire_view::{Statistics, View, Viewer};
use crate::sim::{Image, Simulation};

/// What the images show.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// The image of an Output node; of the first one when `None`.
    Output(Option<String>),
    /// A view of a wire.
    Wire(View),
}

impl Subject {
    /// The options to compile the plan with, so that it computes this and nothing else.
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

/// The contents of a frame on their way from the GPU.
pub(super) struct Pending {
    reading: Reading,
    /// \[pixels\]
    size: [u32; 2],
}

impl Pending {
    /// The content if it has arrived, `None` when the device failed; otherwise the request itself. Does not block.
    pub(super) fn try_take(self) -> Result<Option<Content>, Pending> {
        let [width, height] = self.size;
        let image = |words: Vec<u32>| Content::Image(Image::new(width, height, &words));
        match self.reading.try_take() {
            Ok(words) => Ok(words.map(image)),
            Err(reading) => Err(Pending { reading, ..self }),
        }
    }
}

/// Where the images come from.
pub(super) enum FrameSource<'a> {
    Output(Option<&'a str>),
    Wire(Box<Viewer>, &'a View),
}

impl<'a> FrameSource<'a> {
    /// # Errors
    /// No such Output, or a driver that rejects the shaders of views.
    pub(super) fn new(simulation: &Simulation, subject: &'a Subject) -> Result<FrameSource<'a>, Problem> {
        match subject {
            Subject::Wire(view) => Ok(FrameSource::Wire(Box::new(Viewer::new(simulation.gpu())?), view)),
            Subject::Output(output) => {
                simulation.find_output(output.as_deref())?;
                Ok(FrameSource::Output(output.as_deref()))
            }
        }
    }

    /// The size of the images \[pixels\], where it is known before the first frame.
    pub(super) fn size(&self, simulation: &Simulation) -> Option<[u32; 2]> {
        let FrameSource::Output(output) = self else { return None };
        simulation.find_output(*output).ok().map(|image| [image.width, image.height])
    }

    /// Requests the contents of the last frame.
    pub(super) fn read(&mut self, simulation: &Simulation) -> Result<Pending, Problem> {
        match self {
            FrameSource::Wire(viewer, view) => {
                viewer.update(simulation, view)?;
                let size = viewer.image().map(|image| image.size);
                let remedy = "choose a wire of a grid or of particles";
                let found = viewer.image_async().zip(size);
                let found = found.map(|(reading, size)| Pending { reading, size });
                found.ok_or_else(|| Problem::new("", &view.wire, "this wire cannot be shown as an image", remedy))
            }
            FrameSource::Output(output) => {
                let image = simulation.find_output(*output)?;
                Ok(Pending { reading: simulation.image_async(*output)?, size: [image.width, image.height] })
            }
        }
    }

    /// The statistics of a wire in the last frame.
    pub(super) fn statistics(&mut self) -> Option<Statistics> {
        let FrameSource::Wire(viewer, _) = self else { return None };
        viewer.wait();
        viewer.statistics().cloned()
    }
}
