//! `stagewright check`

use super::GraphArgs;
use super::report::{self, Failure};
use stagewright::graph::variants;
use stagewright::plan::mebibytes;
use stagewright::sim::files;

pub fn run(args: &GraphArgs) -> Result<(), Failure> {
    let (document, library) = args.load()?;
    let plan = args.compile(&document, &library, &args.options())?;
    files::check(&plan)?;
    // Without a choice, every variant has to compile as well.
    let varied = if args.variant.is_some() { Default::default() } else { variants::check(&document, &library) };
    if !varied.is_empty() {
        return Err(Failure::graph(&document, &library, varied));
    }
    let count = if args.variant.is_some() { 0 } else { document.variants.len() };
    let variants = match count {
        0 => String::new(),
        1 => ", and none in its variant".to_string(),
        count => format!(", and none in its {count} variants"),
    };
    report::print(&format!(
        "{}: no problems{variants}, {} dispatches per frame, {} of GPU memory\n",
        args.graph.display(),
        plan.frame.len(),
        mebibytes(plan.memory)
    ));
    Ok(())
}
