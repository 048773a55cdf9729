//! The plan as text: for reading, and for snapshot tests.

use std::fmt::Write;

use crate::data::{Dispatch, Over, Plan, mebibytes};
use crate::graph::DomainId;
use crate::stage::types::Precision;

impl Plan {
    /// The plan as stable text.
    pub fn to_text(&self) -> String {
        plan(self)
    }

    /// The plan as text with every kernel's WGSL.
    pub fn to_text_with_wgsl(&self) -> String {
        plan_with_wgsl(self)
    }

    /// What a dispatch runs over, in words: `cells of box (512 x 512)`.
    pub fn over(&self, dispatch: &Dispatch) -> String {
        over(self, dispatch)
    }

    /// A dispatch as in the plan's text.
    pub fn line(&self, dispatch: &Dispatch) -> String {
        line(self, dispatch)
    }
}

pub(super) fn plan(plan: &Plan) -> String {
    let mut out = format!("plan of \"{}\"\n", plan.name);
    let once = if plan.invariant.is_empty() { String::new() } else { format!("{} once, ", plan.invariant.len()) };
    let _ = writeln!(
        out,
        "{} dispatches a frame, {once}{} on reset, {} kernels, {} buffers, {}",
        plan.frame.len(),
        plan.reset.len(),
        plan.kernels.len(),
        plan.buffers.len(),
        mebibytes(plan.memory)
    );
    if let Some(why) = &plan.apart {
        let _ = writeln!(out, "stages do not share dispatches, for that did not compile: {why}");
    }
    if !plan.edited.is_empty() {
        let _ = writeln!(out, "kept apart while its text is edited: {}", plan.edited.join(", "));
    }
    out.push_str("\ndomains\n");
    for domain in &plan.domains {
        let cells: Vec<String> = domain.resolution.iter().take(domain.dim as usize).map(u32::to_string).collect();
        let edges: Vec<String> = domain.edges().iter().take(domain.dim as usize).map(f64::to_string).collect();
        let edges = if domain.slices() > 1 { edges.join(" x ") } else { domain.cell_size.to_string() };
        let name = &domain.name;
        let cells = cells.join("x");
        let edge = domain.edge;
        let _ = writeln!(out, "  {name}: {cells} cells of {edges} m, edge {edge}");
    }
    out.push_str("\nbuffers\n");
    for (index, buffer) in plan.buffers.entries() {
        let others = buffer.wires().into_iter().filter(|wire| *wire != buffer.label);
        let others: Vec<String> = others.map(|wire| stored(plan, wire)).collect();
        let shared = if others.is_empty() { String::new() } else { format!(", also {}", others.join(", ")) };
        let _ = writeln!(out, "  b{index}: {} ({} bytes){shared}", stored(plan, &buffer.label), buffer.bytes);
    }
    out.push_str("\nstates\n");
    for state in &plan.states {
        let swap = plan.swaps.iter().find(|(a, _)| *a == state.buffer);
        let swap = swap.map_or(", in place".to_string(), |(_, other)| format!(", swaps with b{other}"));
        let _ = writeln!(out, "  {}: b{}{swap}", state.node, state.buffer);
    }
    section(&mut out, plan, "reset", &plan.reset);
    if !plan.invariant.is_empty() {
        section(&mut out, plan, "once, and when a parameter changes", &plan.invariant);
    }
    section(&mut out, plan, "frame", &plan.frame);
    out.push_str("\nparameters\n");
    for slot in &plan.settings {
        let aliases = set_by(slot.paths.iter().skip(1).chain(slot.uses.values()));
        let path = slot.paths.first().map_or("", String::as_str);
        let _ = writeln!(out, "  {path}: {} at {:?}{aliases}", slot.ty.name(), slot.offsets);
    }
    if !plan.numbers.is_empty() {
        out.push_str("\nnumbers\n");
    }
    for number in &plan.numbers {
        let by = set_by(number.paths.iter().skip(1).chain(number.uses.values()));
        let shapes = plan.shapes.get(number.path()).map_or_else(String::new, |s| format!(", shapes {}", s.join(", ")));
        let _ = writeln!(out, "  {}{by}{shapes}", number.path());
    }
    out.push_str("\npictures\n");
    for picture in &plan.outputs {
        let _ = writeln!(out, "  {}: {}x{} in b{}", picture.node, picture.width, picture.height, picture.buffer);
    }
    if !plan.alarms.is_empty() {
        let alarms: Vec<String> =
            plan.alarms.iter().map(|a| format!("{} ({:?})", a.node, a.cause).to_lowercase()).collect();
        let _ = writeln!(out, "\nalarms\n  {}", alarms.join(", "));
    }
    for watch in plan.watches.iter().filter(|watch| watch.range != (None, None)) {
        let side = |v: Option<f64>| v.map_or_else(String::new, |v| v.to_string());
        let (low, high) = (side(watch.range.0), side(watch.range.1));
        let _ = writeln!(out, "\nwatched\n  {}.{}: b{} in {low}..{high}", watch.node, watch.port, watch.buffer);
    }
    out
}

/// A wire, and its precision unless it is `f32`.
fn stored(plan: &Plan, wire: &str) -> String {
    match plan.wires.get(wire).map(|w| w.precision).filter(|p| *p != Precision::F32) {
        Some(precision) => format!("{wire} as {}", precision.name()),
        None => wire.to_string(),
    }
}

fn set_by<'a>(paths: impl Iterator<Item = &'a String>) -> String {
    let paths: Vec<&str> = paths.map(String::as_str).collect();
    if paths.is_empty() { String::new() } else { format!(", set by {}", paths.join(", ")) }
}

/// Iterations of a node that do the same between the same buffers are one line. Dispatches count from 1.
fn section(out: &mut String, plan: &Plan, title: &str, dispatches: &[Dispatch]) {
    let _ = writeln!(out, "\n{title}");
    let lines: Vec<String> = dispatches.iter().map(|d| line(plan, d)).collect();
    let mut index = 0;
    while index < lines.len() {
        let (period, repeats) = repetition(&lines[index..]);
        for offset in 0..period {
            let count = if repeats > 1 { format!(" x{repeats}") } else { String::new() };
            let number = index + offset + 1;
            let number = if repeats > 1 { format!("{number}..") } else { number.to_string() };
            let _ = writeln!(out, "  {number:>6} {}{count}", lines[index + offset]);
        }
        index += period * repeats;
    }
}

/// The shortest period in 1..=64 with which the lines repeat, and how often.
fn repetition(lines: &[String]) -> (usize, usize) {
    for period in 1..=64 {
        let Some(head) = lines.get(..period) else { break };
        let repeats = lines.chunks(period).take_while(|chunk| *chunk == head).count();
        if repeats > 1 {
            return (period, repeats);
        }
    }
    (1, 1)
}

pub(super) fn line(plan: &Plan, dispatch: &Dispatch) -> String {
    let Some(kernel) = plan.kernels.get(dispatch.kernel) else { return String::new() };
    let buffers = kernel.bindings.iter().zip(&dispatch.buffers).map(|(binding, buffer)| {
        let arrow = if binding.writes { ">" } else { "<" };
        format!("{}{arrow}b{buffer}", binding.name)
    });
    let buffers: Vec<String> = buffers.collect();
    // The iteration's own number would make equal lines different.
    let part = dispatch.part.split(' ').filter(|p| !p.contains('/')).collect::<Vec<_>>().join(" ");
    let part = if part.is_empty() { part } else { format!(" {part}") };
    let living = dispatch.indirect.map_or(String::new(), |indirect| match indirect.living {
        true => format!(", as b{} says", indirect.buffer),
        false => format!(" while b{} is open", indirect.buffer),
    });
    let with = if dispatch.with.is_empty() { String::new() } else { format!(" after {}", dispatch.with.join(", ")) };
    let [x, y, z] = dispatch.groups;
    let [wx, wy, wz] = kernel.workgroup;
    let shaped = match &dispatch.shape {
        Some((shape, sweeps)) if *sweeps > 1 => format!(", {} cells each in tiles, {sweeps} sweeps", shape.cells),
        Some((shape, _)) if shape.cells > 1 => format!(", {} cells each", shape.cells),
        _ => String::new(),
    };
    let around = match dispatch.shape.map_or(0, |(shape, _)| shape.halo) {
        0 => String::new(),
        halo => format!(", inputs in tiles with {halo} cells around"),
    };
    format!(
        "{}{part}{with}  [{}]  {}  over {}, groups {x}x{y}x{z} of {wx}x{wy}x{wz}{shaped}{around}{living}, uniforms {}",
        dispatch.node,
        kernel.name,
        buffers.join(" "),
        over(plan, dispatch),
        dispatch.uniform
    )
}

pub(super) fn over(plan: &Plan, dispatch: &Dispatch) -> String {
    let domain = |index: DomainId, faces: bool| {
        let Some(domain) = plan.domains.get(index) else { return String::new() };
        let resolution = if faces { domain.face_resolution() } else { domain.resolution };
        let cells: Vec<String> = resolution.iter().take(domain.dim as usize).map(u32::to_string).collect();
        format!("{} ({})", domain.name, cells.join(" x "))
    };
    match dispatch.over {
        Over::Once => "once".into(),
        Over::Cells(index) if dispatch.indirect.is_some_and(|i| i.living) => {
            format!("blocks of cells of {}", domain(index, false))
        }
        Over::Cells(index) => format!("cells of {}", domain(index, false)),
        Over::Faces(index) => format!("faces of {}", domain(index, true)),
        Over::Particles(count) if dispatch.indirect.is_some_and(|i| i.living) => {
            format!("living particles (up to {count})")
        }
        Over::Particles(count) => format!("particles ({count})"),
        Over::Words(count) => format!("words ({count})"),
        Over::Partials(count) => format!("partial results ({count})"),
        Over::Pixels(width, height) => format!("pixels ({width} x {height})"),
        Over::Turns(count) => format!("what {count} small dispatches run over, in one workgroup"),
    }
}

pub(super) fn plan_with_wgsl(plan: &Plan) -> String {
    let mut out = self::plan(plan);
    for (index, kernel) in plan.kernels.iter().enumerate() {
        let loops = if kernel.finite { "loops proven finite" } else { "loops with a budget" };
        let _ = writeln!(out, "\n======== kernel {index}: {}, {loops}\n{}", kernel.name, kernel.wgsl);
    }
    out
}
