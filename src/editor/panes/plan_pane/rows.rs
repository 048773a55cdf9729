//! A plan's dispatches as rows of a tree: consecutive dispatches of a node are one row, and so are those of a group.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::gpu::List;
use crate::plan::{Dispatch, Plan};

/// The lists in the order in which they run.
pub(super) const LISTS: [List; 3] = [List::Reset, List::Invariant, List::Frame];

pub(super) fn dispatches(plan: &Plan, list: List) -> &[Dispatch] {
    match list {
        List::Reset => &plan.reset,
        List::Invariant => &plan.invariant,
        List::Frame => &plan.frame,
    }
}

/// Identifies what is folded: a list and the dispatches of a row, or the list itself.
pub(super) type Fold = (List, Option<(usize, usize)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A whole list.
    Section,
    /// Consecutive dispatches of a node or a group.
    Run,
    Dispatch,
}

#[derive(Clone, Debug)]
pub(super) struct Row {
    pub list: List,
    pub shape: Shape,
    pub depth: usize,
    /// The node's or group's path.
    pub path: String,
    /// The part of the path that the rows above do not show.
    pub name: String,
    /// Positions in [`Rows::hits`] of the list.
    pub items: Range<usize>,
    pub fold: Fold,
    pub open: bool,
}

/// The rows that are shown.
#[derive(Debug, Default)]
pub(super) struct Rows {
    pub rows: Vec<Row>,
    /// Dispatches of each list that pass the filter.
    pub hits: [Vec<usize>; 3],
}

/// Settings of the rows.
pub(super) struct Wish<'a> {
    /// Lower case; all rows are unfolded while there is one.
    pub filter: &'a str,
    /// The time of each dispatch, to sort the longest first.
    pub times: Option<&'a dyn Fn(List, usize) -> f64>,
    /// Rows that are folded or unfolded differently from their initial state.
    pub turned: &'a BTreeSet<Fold>,
}

impl Rows {
    pub(super) fn new(plan: &Plan, wish: &Wish<'_>) -> Rows {
        let mut rows = Rows::default();
        for list in LISTS {
            let all = dispatches(plan, list);
            let hits = (0..all.len()).filter(|index| all.get(*index).is_some_and(|d| matches(plan, d, wish.filter)));
            let hits: Vec<usize> = hits.collect();
            if all.is_empty() {
                continue;
            }
            let items = 0..hits.len();
            if let Some(slot) = rows.hits.get_mut(list as usize) {
                *slot = hits;
            }
            let fold = (list, None);
            let (path, name) = (String::new(), title(list).to_string());
            let open = wish.open(fold, list == List::Frame);
            rows.rows.push(Row { list, shape: Shape::Section, depth: 0, path, name, items: items.clone(), fold, open });
            if open {
                rows.level(plan, wish, (list, items, 0), 1);
            }
        }
        rows
    }

    /// The dispatches of a row.
    pub(super) fn items(&self, row: &Row) -> &[usize] {
        self.hits.get(row.list as usize).and_then(|hits| hits.get(row.items.clone())).unwrap_or_default()
    }

    /// Rows for dispatches that share the first `skip` parts of their paths.
    fn level(&mut self, plan: &Plan, wish: &Wish<'_>, (list, range, skip): (List, Range<usize>, usize), depth: usize) {
        let all = dispatches(plan, list);
        let hits = self.hits.get(list as usize).cloned().unwrap_or_default();
        let path = |position: usize| hits.get(position).and_then(|i| all.get(*i)).map_or("", |d| d.node.as_str());
        let part = |position: usize| path(position).split('/').nth(skip);
        let mut runs: Vec<Range<usize>> = Vec::new();
        for position in range {
            match runs.last_mut() {
                Some(run) if part(run.start) == part(position) => run.end = position + 1,
                _ => runs.push(position..position + 1),
            }
        }
        wish.sort(&mut runs, list, &hits);
        for run in runs {
            let first = path(run.start);
            let shared = run.clone().map(|position| agreement(first, path(position))).min().unwrap_or(0);
            let same = run.clone().all(|position| path(position) == first);
            let (single, whole) = (run.len() == 1, first.split('/').count());
            let shared = if single || same { whole } else { shared };
            let fold = (list, Some((hits.get(run.start).copied().unwrap_or(0), shared)));
            let open = !single && wish.open(fold, false);
            let row = Row {
                list,
                shape: if single { Shape::Dispatch } else { Shape::Run },
                depth,
                path: first.split('/').take(shared).collect::<Vec<_>>().join("/"),
                name: named(first, skip.min(shared.saturating_sub(1)), shared),
                items: run.clone(),
                fold,
                open,
            };
            self.rows.push(row);
            if !open {
                continue;
            }
            if !same {
                self.level(plan, wish, (list, run, shared), depth + 1);
                continue;
            }
            let mut ones: Vec<Range<usize>> = run.map(|position| position..position + 1).collect();
            wish.sort(&mut ones, list, &hits);
            self.rows.extend(ones.into_iter().map(|items| Row {
                list,
                shape: Shape::Dispatch,
                depth: depth + 1,
                path: first.to_string(),
                name: named(first, whole - 1, whole),
                items,
                fold,
                open: false,
            }));
        }
    }
}

impl Wish<'_> {
    fn open(&self, fold: Fold, at_first: bool) -> bool {
        !self.filter.is_empty() || (at_first != self.turned.contains(&fold))
    }

    fn sort(&self, runs: &mut [Range<usize>], list: List, hits: &[usize]) {
        let Some(times) = self.times else { return };
        let ms = |run: &Range<usize>| -> f64 {
            hits.get(run.clone()).unwrap_or_default().iter().map(|index| times(list, *index)).sum()
        };
        runs.sort_by(|a, b| ms(b).total_cmp(&ms(a)));
    }
}

fn title(list: List) -> &'static str {
    match list {
        List::Reset => "On reset",
        List::Invariant => "Static",
        List::Frame => "Every frame",
    }
}

/// The number of leading parts that two paths share.
fn agreement(a: &str, b: &str) -> usize {
    a.split('/').zip(b.split('/')).take_while(|(a, b)| a == b).count()
}

fn named(path: &str, from: usize, to: usize) -> String {
    path.split('/').skip(from).take(to - from).collect::<Vec<_>>().join("/")
}

/// Whether a row contains all words of a filter.
fn matches(plan: &Plan, dispatch: &Dispatch, filter: &str) -> bool {
    if filter.is_empty() {
        return true;
    }
    let mut text = format!("{} {} {}", dispatch.node, dispatch.part, plan.over(dispatch));
    text.extend(plan.kernels.get(dispatch.kernel).map(|kernel| format!(" {}", kernel.name)));
    for buffer in dispatch.buffers.iter().filter_map(|b| plan.buffers.get(*b)) {
        text.push(' ');
        text.push_str(&buffer.label);
    }
    let text = text.to_lowercase();
    filter.split_whitespace().all(|word| text.contains(word))
}
