//! `stagewright check`

use super::GraphArgs;
use super::report::{self, Failure};
use stagewright::plan::mebibytes;
use stagewright::sim::files;

pub fn run(args: &GraphArgs) -> Result<(), Failure> {
    let (document, library) = args.load()?;
    let plan = args.compile(&document, &library, &args.options())?;
    files::check(&plan)?;
    report::print(&format!(
        "{}: no problems, {} dispatches per frame, {} of GPU memory\n",
        args.graph.display(),
        plan.frame.len(),
        mebibytes(plan.memory)
    ));
    Ok(())
}
