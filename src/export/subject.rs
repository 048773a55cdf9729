//! What pictures are of: an Output of the graph, or any wire.

use crate::gpu::Reading;
use crate::plan::{Keep, Outputs, PlanOptions};
use crate::problem::Problem;
use crate::sim::Simulation;
use crate::sim::probe::{Probe, Statistics, View};

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

    /// The picture of the last frame, on its way, and its size \[pixels\].
    pub fn picture(&mut self, simulation: &Simulation) -> Result<(Reading, [u32; 2]), Problem> {
        match self {
            FrameSource::Wire(probe, view) => {
                probe.update(simulation, view)?;
                let size = probe.picture().map(|picture| picture.size);
                let remedy = "choose a wire of a grid or of particles";
                let found = probe.picture_async().zip(size);
                found.ok_or_else(|| Problem::new("", &view.wire, "this wire cannot be shown as an image", remedy))
            }
            FrameSource::Output(output) => {
                let picture = simulation.find_picture(*output)?;
                Ok((simulation.picture_async(*output)?, [picture.width, picture.height]))
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
