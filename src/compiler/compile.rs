//! Compiles a checked graph to a plan: lowering, passes, memory, code generation and validation.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::budget::MemoryBudget;
use crate::check::validate::Checks;
use crate::codegen::variants::Writers;
use crate::codegen::writer;
use crate::data::{Plan, mebibytes};
use crate::graph::{Graph, NodeId};
use crate::ir::{self, Program, Task};
use crate::lower;
use crate::options::{Keep, PlanOptions, cancelled};
use crate::passes::allocate::{self, Allocation};
use crate::passes::{Context, PASSES, Pass, Phase, early_exit};
use crate::problem::{Problem, Problems};
use crate::tuning::{DefaultTuning, Tuning};

/// What a pass did to a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PassReport {
    /// The pass, or `lower`.
    pub name: &'static str,
    /// The part of the compiler that it belongs to.
    pub phase: &'static str,
    /// Why the pass runs at this position.
    pub place: &'static str,
    /// `fused 12 operations into 4`, `unchanged`, or why it did not run.
    pub summary: String,
    /// The operations of a frame after the pass, one a line.
    pub frame: String,
    /// The operations of a reset after the pass, one a line.
    pub reset: String,
}

impl Plan {
    /// Compiles a checked graph.
    ///
    /// # Errors
    /// WGSL that is not valid, with the user's own line; a plan that is too large, with its size;
    /// [`PlanOptions::cancel`] was set, in which case the result is of no interest.
    pub fn compile(graph: &Graph, options: &PlanOptions) -> Result<Plan, Problems> {
        crate::threads::deep_stack(|| {
            let graph = &*with_fields(graph, options);
            std::thread::scope(|scope| {
                // The validation threads start while operations are created. If this fails, they start when they are
                // needed.
                let _ = std::thread::Builder::new().spawn_scoped(scope, Checks::prepare);
                let writers = Writers::begin(scope, graph, &options.cancel);
                let plan = compile(graph, &writers, options, &options.tuning);
                if options.cancel.is_cancelled() {
                    return Err(cancelled());
                }
                let (Err(problems), true) = (&plan, options.tuning.fuse) else { return plan };
                // Where stages share a kernel, an error may not be at its own line; compiled separately, it is. A tile repeats a
                // stage's text for each of its sweeps, and may be too large where the stage is not.
                let shapes = BTreeMap::new();
                let tuning = Tuning { fuse: false, shapes, defaults: DefaultTuning::Plain, ..options.tuning.clone() };
                let apart = compile(graph, &writers, options, &tuning)?;
                Ok(Plan { apart: Some(problems.to_string()), ..apart })
            })
        })
    }

    /// The names of all passes, in the order in which they run.
    pub fn pass_names() -> impl Iterator<Item = &'static str> {
        PASSES.iter().map(|pass| pass.name)
    }

    /// The names of the passes that [`Tuning::without`] may name.
    pub fn optional_passes() -> impl Iterator<Item = &'static str> {
        PASSES.iter().filter(|pass| pass.is_optional()).map(|pass| pass.name)
    }

    /// What each pass does to the programs of a graph. No kernel is generated.
    ///
    /// # Errors
    /// As [`Plan::compile`], except for errors in kernels.
    pub fn passes(graph: &Graph, options: &PlanOptions) -> Result<Vec<PassReport>, Problems> {
        crate::threads::deep_stack(|| {
            let mut reports = Vec::new();
            let graph = &*with_fields(graph, options);
            optimise(graph, options, &options.tuning, &mut |step, [frame, reset]| {
                let notes = frame.notes.clone();
                let [frame, reset] = [frame, reset].map(|program| ir::text(graph, program));
                let (name, phase, place) = match step {
                    Step::Lowered => ("lower", "lower", "groups, iterations and fields unrolled into operations"),
                    Step::Ran(pass) | Step::Skipped(pass) => (pass.name, pass.phase.name(), pass.place),
                };
                let before = reports.last().map(|before: &PassReport| [&before.frame, &before.reset]);
                let summary = match (step, before) {
                    (Step::Skipped(pass), _) if pass.is_left_out(&options.tuning) => "left out".to_string(),
                    (Step::Skipped(_), _) => "not for this target".to_string(),
                    (Step::Ran(pass), Some(before)) => std::iter::once(difference(pass.verb, before, [&frame, &reset]))
                        .chain(notes)
                        .collect::<Vec<_>>()
                        .join("; "),
                    _ => format!("{} operations, {} on reset", frame.lines().count(), reset.lines().count()),
                };
                reports.push(PassReport { name, phase, place, summary, frame, reset });
            })?;
            Ok(reports)
        })
    }
}

/// The graph with a grid for each field that is kept.
fn with_fields<'g>(graph: &'g Graph, options: &PlanOptions) -> Cow<'g, Graph> {
    match &options.keep {
        Keep::Wires(wires) => graph.sampled(wires),
        Keep::Needed | Keep::All | Keep::Versions => Cow::Borrowed(graph),
    }
}

/// What has just happened to the programs.
#[derive(Clone, Copy)]
enum Step {
    Lowered,
    Ran(&'static Pass),
    Skipped(&'static Pass),
}

/// The operations of a frame and of a reset, after all passes.
fn optimise(
    graph: &Graph,
    options: &PlanOptions,
    tuning: &Tuning,
    seen: &mut dyn FnMut(Step, [&Program; 2]),
) -> Result<[Program; 2], Problems> {
    let mut frame = lower::frame(graph, options)?;
    let mut reset = lower::reset(graph, &frame, options)?;
    frame.unrolled = tuning.defaults == DefaultTuning::Gpu;
    mark_edited(graph, options, [&mut frame, &mut reset]);
    let context =
        Context { graph, tuning, hoist: options.hoist, memory: options.memory_budget.bytes, pools: options.pools };
    verified(&context, None, [&frame, &reset]);
    seen(Step::Lowered, [&frame, &reset]);
    for pass in PASSES {
        if options.cancel.is_cancelled() {
            return Err(cancelled());
        }
        let runs = (pass.when)(&context) && !pass.is_left_out(tuning);
        frame.notes.clear();
        if runs {
            pass.run(&context, &mut frame, &mut reset)?;
            verified(&context, Some(pass), [&frame, &reset]);
        }
        seen(if runs { Step::Ran(pass) } else { Step::Skipped(pass) }, [&frame, &reset]);
    }
    for program in [&mut frame, &mut reset] {
        early_exit::tabulate(graph, program);
    }
    Ok([frame, reset])
}

/// Marks the dispatches of stages whose text is being edited.
fn mark_edited(graph: &Graph, options: &PlanOptions, programs: [&mut Program; 2]) {
    let edited: BTreeSet<NodeId> = options.edited.iter().filter_map(|path| graph.node(path)).collect();
    if edited.is_empty() {
        return;
    }
    for op in programs.into_iter().flat_map(|program| &mut program.ops) {
        op.edited = matches!(op.task, Task::Stage) && op.stages.iter().any(|stage| edited.contains(&stage.node));
    }
}

/// Refuses an invalid program, in debug builds with a panic: it would compute something else than the graph says.
fn valid(verified: Result<(), String>) -> Result<(), Problem> {
    debug_assert_eq!(verified, Ok(()));
    let fault = |cause| {
        Problem::new("", "", format!("the compiler made an invalid plan: {cause}"), "report this bug with the graph")
    };
    verified.map_err(fault)
}

/// Panics in debug builds after the first pass that leaves an invalid program.
fn verified(context: &Context, pass: Option<&Pass>, programs: [&Program; 2]) {
    let ordered = pass.is_some_and(|pass| matches!(pass.phase, Phase::Order | Phase::Store | Phase::Launch));
    let verify = if ordered { ir::verify_scheduled } else { ir::verify };
    for program in programs {
        debug_assert_eq!(verify(context.graph, program), Ok(()), "after {}", pass.map_or("lower", |pass| pass.name));
    }
}

fn compile<'g>(
    graph: &'g Graph,
    writers: &Writers<'g>,
    options: &PlanOptions,
    tuning: &Tuning,
) -> Result<Plan, Problems> {
    let on = || if options.cancel.is_cancelled() { Err(cancelled()) } else { Ok(()) };
    let [frame, reset] = optimise(graph, options, tuning, &mut |_, _| ())?;
    on()?;
    let memory = allocate::allocate(graph, &frame, &reset)?;
    for program in [&frame, &reset] {
        valid(ir::verify_scheduled(graph, program))?;
        valid(early_exit::verify(graph, program))?;
    }
    valid(allocate::verify(graph, &frame, &reset, &memory))?;
    check_memory(&memory, &options.memory_budget)?;
    let versions = allocate::versions(graph, &frame, &memory);
    on()?;
    let invariant = frame.invariant_count();
    let frame = Arc::new(frame);
    let reset = Arc::new(reset);
    let fields = writer::field_checks(&frame, &reset);
    let checks = Checks::start(fields.len())?;
    let mut writer = writer::Writer::new(graph, writers, checks, tuning.joined_buffers);
    let [(mut frame, of_operations), (reset, _)] =
        writer.dispatches([(&frame, &memory.frame), (&reset, &memory.reset)], fields)?;
    let (frame, invariant) = (frame.split_off(invariant), frame);
    on()?;
    let (plan, checks) = writer.finish(memory, writer::Dispatches { reset, invariant, frame, of_operations }, options);
    checks.finish()?;
    Ok(Plan { versions, ..plan })
}

/// The effect of a pass, from the programs' lines before and after it.
fn difference(verb: &str, before: [&String; 2], after: [&String; 2]) -> String {
    if before == after {
        return "unchanged".into();
    }
    let lines = |programs: [&String; 2]| {
        let mut lines = BTreeMap::<String, usize>::new();
        for line in programs.into_iter().flat_map(|program| program.lines()) {
            *lines.entry(line.to_string()).or_default() += 1;
        }
        lines
    };
    let (before, after) = (lines(before), lines(after));
    let only = |these: &BTreeMap<String, usize>, those: &BTreeMap<String, usize>| -> usize {
        these.iter().map(|(line, count)| count.saturating_sub(those.get(line).copied().unwrap_or(0))).sum()
    };
    match (only(&before, &after), only(&after, &before)) {
        (0, 0) => "another order".into(),
        (from, to) if from == to => format!("{verb} {}", operations(from)),
        (0, to) => format!("added {}", operations(to)),
        (from, 0) => format!("removed {}", operations(from)),
        (from, to) => format!("{verb} {} into {to}", operations(from)),
    }
}

fn operations(count: usize) -> String {
    format!("{count} operation{}", if count == 1 { "" } else { "s" })
}

/// Words of a buffer: kernels count them with signed 32-bit integers.
const MAX_WORDS: u64 = i32::MAX as u64;

fn check_memory(layout: &Allocation, budget: &MemoryBudget) -> Result<(), Problems> {
    let total = layout.buffers.iter().try_fold(0u64, |sum, b| sum.checked_add(b.bytes));
    if total.is_some_and(|total| total <= budget.bytes) {
        let Some(long) = layout.buffers.iter().find(|buffer| buffer.bytes / 4 > MAX_WORDS) else { return Ok(()) };
        let cause = format!(
            "the wire `{}` has {} words, more than the {MAX_WORDS} that can be numbered",
            long.label,
            long.bytes / 4
        );
        let remedy = "lower the resolution of its domain, or run its stages where something is (`where`)";
        return Err(Problem::new("", "", cause, remedy).into());
    }
    let largest = layout.buffers.iter().max_by_key(|b| b.bytes);
    let (label, bytes) = largest.map_or(("", 0), |b| (b.label.as_str(), b.bytes));
    let needs = total.map_or("over 16 EiB".to_string(), mebibytes);
    let cause = format!(
        "the graph needs {needs} of GPU memory, {budget}; the largest wire `{label}` alone takes {}",
        mebibytes(bytes)
    );
    let remedy = "lower the resolution of its domain, or raise the budget: --memory on the command line, \
                  the Memory list of the Plan pane in the editor";
    Err(Problem::new("", "", cause, remedy).into())
}
