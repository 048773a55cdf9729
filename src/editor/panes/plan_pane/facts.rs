//! Facts about a row as a whole, computed once for every plan, not in every frame.

use std::collections::BTreeSet;

use eframe::egui::Color32;

use super::figures;
use super::rows::{self, Row, Shape};
use crate::model::session::Session;
use crate::plan::{BufferId, Dispatch, KernelId, Plan};
use crate::toolkit::theme::Look;

#[derive(Clone, Debug)]
pub(super) struct Facts {
    /// Memory that it reads or writes \[bytes\].
    pub bytes: u64,
    /// The colour of its node.
    pub color: Color32,
    /// Which repeat it is, or how many there are; a helper task, a colour of a checkerboard.
    pub part: String,
    pub stage: String,
    pub over: String,
}

impl Facts {
    pub(super) fn new(plan: &Plan, session: &Session, look: &Look, row: &Row, items: &[usize]) -> Facts {
        let all = rows::dispatches(plan, row.list);
        let dispatches: Vec<&Dispatch> = items.iter().filter_map(|item| all.get(*item)).collect();
        let buffers: BTreeSet<BufferId> =
            dispatches.iter().flat_map(|dispatch| dispatch.buffers.iter().copied()).collect();
        let outer = row.path.split('/').next().unwrap_or_default();
        let node = session.document().node(&row.path).or_else(|| session.document().node(outer));
        let mut facts = Facts {
            bytes: buffers.iter().filter_map(|b| plan.buffers.get(*b)).map(|b| b.bytes).sum(),
            color: node.map_or(look.faint, |node| look.kind(&node.kind)),
            part: String::new(),
            stage: String::new(),
            over: String::new(),
        };
        let Some(first) = dispatches.first().filter(|_| row.shape != Shape::Section) else { return facts };
        let kernels: BTreeSet<KernelId> = dispatches.iter().map(|dispatch| dispatch.kernel).collect();
        facts.stage = match kernels.len() {
            1 => plan.kernels.get(first.kernel).map_or_else(String::new, |kernel| kernel.name.clone()),
            many => figures::count(many, "kernel", "kernels"),
        };
        if dispatches.iter().all(|dispatch| dispatch.over == first.over) {
            facts.over = plan.over(first);
        }
        facts.part = if row.shape == Shape::Dispatch { part(first) } else { repeats(&dispatches) };
        facts
    }
}

/// `3 of 20 red`
fn part(dispatch: &Dispatch) -> String {
    match repeat(&dispatch.part) {
        Some((number, of)) => {
            let rest = dispatch.part.split_once(' ').map_or("", |(_, rest)| rest);
            format!("{number} of {of} {rest}")
        }
        None => dispatch.part.clone(),
    }
}

/// How often a node runs, if these are dispatches of one node.
fn repeats(all: &[&Dispatch]) -> String {
    let same = all.windows(2).all(|pair| pair[0].node == pair[1].node);
    let most = all.iter().filter_map(|dispatch| repeat(&dispatch.part)).map(|(_, of)| of).max();
    most.filter(|_| same).map_or_else(String::new, |of| figures::count(of, "repeat", "repeats"))
}

/// `3/20` at the beginning of a part: which repeat, and of how many.
fn repeat(part: &str) -> Option<(usize, usize)> {
    let (number, of) = part.split(' ').next()?.split_once('/')?;
    Some((number.parse().ok()?, of.parse().ok()?))
}
