//! `stagewright check`

use super::GraphArgs;
use super::report::{self, Failure};
use stagewright::plan::{PlanOptions, mebibytes};

pub fn run(args: &GraphArgs) -> Result<(), Failure> {
    let (document, library) = args.load()?;
    let options = PlanOptions { folder: args.folder(), ..PlanOptions::default() };
    let plan = args.compile(&document, &library, &options)?;
    report::print(&format!(
        "{}: no problems, {} dispatches a frame, {} of GPU memory\n",
        args.graph.display(),
        plan.frame.len(),
        mebibytes(plan.memory)
    ));
    Ok(())
}
