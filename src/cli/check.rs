//! `stagewright check`

use super::GraphArgs;
use super::report::{self, Failure};
use stagewright::plan::{PlanOptions, mebibytes};

pub fn run(args: &GraphArgs) -> Result<(), Failure> {
    let (_, plan) = args.compile(&PlanOptions::default())?;
    report::print(&format!(
        "{}: no problems, {} dispatches a frame, {} of GPU memory\n",
        args.graph.display(),
        plan.frame.len(),
        mebibytes(plan.memory)
    ));
    Ok(())
}
