//! Exports the values of a wire as OpenEXR files, one a frame.
//!
//! `cargo run --example export_exr`

use stagewright::{
    Access, Cancel, Document, Export, Exported, Fingerprint, Gpu, Graph, Item, Library, Plan, Simulation, format_named,
    run_export,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let document = Document::parse(&std::fs::read_to_string("graphs/stable_fluids.ron")?)?;
    let (library, files) = (Library::builtin(), Access::new("graphs", false));
    let exr = format_named("exr").ok_or("no such format")?;
    let folder = std::env::temp_dir().join("stagewright_exr");
    let mut export = Export::new(&folder, 10, vec![Item::grid("density.value", Exported::Grid2, exr)]);
    // Frames of an earlier run of the same graph stay; those that are missing are written.
    export.resume = true;

    let graph = Graph::build(&document, library)?;
    let plan = Plan::compile(&graph, &export.plan_options(&files))?;
    let mut simulation = Simulation::new(&Gpu::new(&Default::default())?, plan)?;
    let inputs = Fingerprint::of(&document, library, &files, &Cancel::default()).ok_or("cancelled")?;
    let (progress, ..) = run_export(&export, &inputs, &mut simulation, |_, _| true)?;
    println!("{}: {} written, {} kept", folder.display(), progress.written, progress.kept);
    Ok(())
}
