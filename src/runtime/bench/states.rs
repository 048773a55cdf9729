//! Compares the States after the first frame between adapters.

use std::path::{Path, PathBuf};

use crate::files::{portable, read, write};
use crate::gpu::Gpu;
use crate::plan::Plan;
use crate::problem::{Problem, Problems};
use crate::sim::Simulation;

/// Limit of a State that is compared \[bytes\].
const MAX_STATE: u64 = 8 << 30;

/// How much a State differs from that of another adapter.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The State's name, as `node` or `node.attribute`.
    pub state: String,
    /// The largest absolute difference of two numbers.
    pub difference: f32,
    /// The largest absolute value in the reference.
    pub largest: f32,
}

/// Writes every State after one frame into a folder as raw 32-bit floats, one file each.
///
/// # Errors
/// As for a simulation's step; files that cannot be written.
pub fn dump(gpu: &Gpu, plan: Plan, name: &str, folder: &Path) -> Result<(), Problems> {
    write::create_folder(folder).map_err(|e| unusable(folder, &e.to_string()))?;
    for (state, words) in first_frame(gpu, plan)? {
        let file = file(folder, name, &state);
        write::replace(&file, bytemuck::cast_slice(&words)).map_err(|e| unusable(&file, &e.to_string()))?;
    }
    Ok(())
}

/// Compares every State after one frame with what [`dump`] has written.
///
/// # Errors
/// As for a simulation's step; files that cannot be read or have another size.
pub fn compare(gpu: &Gpu, plan: Plan, name: &str, folder: &Path) -> Result<Vec<Difference>, Problems> {
    let difference = |(state, ours): (String, Vec<u32>)| {
        let file = file(folder, name, &state);
        let theirs = read::bytes(&file, MAX_STATE).map_err(|e| unusable(&file, &e.to_string()))?;
        let theirs: Vec<u32> = bytemuck::pod_collect_to_vec(&theirs);
        if ours.len() != theirs.len() {
            let cause = format!("it holds {} numbers and the State {}", theirs.len(), ours.len());
            return Err(unusable(&file, &cause));
        }
        let pairs = ours.iter().zip(&theirs).map(|(a, b)| (f32::from_bits(*a), f32::from_bits(*b)));
        let (difference, largest) = pairs.fold((0f32, 0f32), |(d, m), (a, b)| (d.max((a - b).abs()), m.max(b.abs())));
        Ok(Difference { state, difference, largest })
    };
    first_frame(gpu, plan)?.into_iter().map(difference).collect()
}

fn first_frame(gpu: &Gpu, plan: Plan) -> Result<Vec<(String, Vec<u32>)>, Problems> {
    let mut simulation = Simulation::new(gpu, plan)?;
    let input = simulation.recorded_input();
    simulation.step(&input)?;
    let states = simulation.plan().states.clone();
    let words = states.into_iter().map(|state| Ok((state.node.clone(), simulation.read(&state.node)?.words)));
    words.collect()
}

/// The file of a State, which every system can have.
fn file(folder: &Path, name: &str, state: &str) -> PathBuf {
    let name = format!("{name}.{}.f32", state.replace('/', "."));
    let name: String = name.chars().map(|c| if portable::is_forbidden(c) { '_' } else { c }).collect();
    folder.join(if portable::is_device(&name) { format!("_{name}") } else { name })
}

fn unusable(path: &Path, cause: &str) -> Problems {
    let remedy = "name a folder that can be written, or dump the same graph at the same size first";
    Problem::new("", "", format!("{}: {cause}", path.display()), remedy).into()
}
