//! `stagewright check`: everything that `render`, `export`, `record` and `test` would find before their first frame.

use std::path::Path;

use super::GraphArgs;
use super::report::{self, Failure};
use super::run::check_frames;
use stagewright_base::printable;
use stagewright_base::problem::{Problem, Problems, Severity};
use stagewright_compiler::{Plan, PlanOptions, mebibytes};
use stagewright_export::place::Folder;
use stagewright_export::preset;
use stagewright_language::document::Document;
use stagewright_language::graph::{Graph, variants};
use stagewright_language::library::Library;
use stagewright_runtime::bake::playing;
use stagewright_runtime::sim::files;

/// What was found in a graph.
#[derive(Default)]
struct Checked {
    /// The plan of its images, where there is one.
    plan: Option<Plan>,
    problems: Problems,
}

pub fn run(args: &GraphArgs) -> Result<(), Failure> {
    let (document, library) = args.load()?;
    let Checked { plan, mut problems } = check(args, &document, &library);
    // Without a choice, every variant has to run as well.
    if args.source.variant.is_none() {
        let varied = variants::check_with(&document, &mut |document| check(args, document, &library).problems);
        varied.0.into_iter().for_each(|problem| problems.push(problem));
    }
    let Some(plan) = plan.filter(|_| !problems.has_errors()) else {
        return Err(Failure::graph(&document, &library, problems));
    };
    report::warn(&problems);
    args.strict.check()?;
    report::print(&summary(args, &document, &plan));
    Ok(())
}

fn summary(args: &GraphArgs, document: &Document, plan: &Plan) -> String {
    let count = if args.source.variant.is_some() { 0 } else { document.variants.len() };
    let variants = match count {
        0 => String::new(),
        1 => ", and none in its variant".to_string(),
        count => format!(", and none in its {count} variants"),
    };
    let found = match report::warnings() {
        0 => "no problems".to_string(),
        1 => "no errors, 1 warning".to_string(),
        warnings => format!("no errors, {warnings} warnings"),
    };
    format!(
        "{}: {found}{variants}, {} dispatches per frame, {} of GPU memory\n",
        args.graph.display(),
        plan.frame.len(),
        mebibytes(plan.memory)
    )
}

/// All problems of a graph as it is, without its other variants.
fn check(args: &GraphArgs, document: &Document, library: &Library) -> Checked {
    let graph = match Graph::build(document, library) {
        Ok(graph) => graph,
        Err(problems) => return Checked { plan: None, problems },
    };
    let mut found = Checked::default();
    let mut add = |problems: Problems| problems.0.into_iter().for_each(|problem| found.problems.push(problem));
    // The graph runs without them, but `test` fails.
    let invalid: Vec<&Problem> = graph.expectations.iter().filter_map(|e| e.as_ref().err()).collect();
    let severe = |p: &Problem| match invalid.contains(&p) {
        true => Problem { severity: Severity::Error, ..p.clone() },
        false => p.clone(),
    };
    add(Problems(graph.warnings.0.iter().map(severe).collect()));
    add(presets(document, &graph));
    let access = args.access();
    let bakes = playing(&graph, &access);
    add(bakes.problems.clone());
    let options = args.options();
    let memory_budget = options.memory_budget.or_user(args.memory.memory);
    let options = PlanOptions { played: bakes.played(), memory_budget, ..options };
    let plan = Plan::compile(&graph, &options);
    let rest = Plan::unneeded(&graph, &options);
    add(rest.problems);
    for plan in plan.as_ref().ok().into_iter().chain(&rest.read) {
        add(files::check(plan).err().unwrap_or_default());
    }
    for (node, plans) in &rest.unread_files {
        add(files::check_unread(node, plans).err().unwrap_or_default());
    }
    match plan {
        Ok(plan) => Checked { plan: Some(plan), ..found },
        Err(problems) => {
            add(problems);
            found
        }
    }
}

/// What is wrong with the export presets of a graph.
fn presets(document: &Document, graph: &Graph) -> Problems {
    let mut found = Problems::default();
    for (name, preset) in &document.exports {
        let folder = Folder::plain(Path::new("frames"), "graph");
        let rows = preset::rows(preset, &folder, document, graph).into_iter().filter_map(Result::err);
        let (first, last) = preset.frames;
        let frames = check_frames(&(first..=last)).err().map(|cause| Problem::new("", "", cause, ""));
        let named =
            |p: Problem| Problem { cause: format!("export preset `{}`: {}", printable::name(name), p.cause), ..p };
        rows.chain(frames).map(named).for_each(|problem| found.push(problem));
    }
    found
}
