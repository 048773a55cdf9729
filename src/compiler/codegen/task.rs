//! Kernels of the compiler's own tasks: which text of [`builtin`] an operation takes, and what it runs over.

use super::{bins, blocks, builtin, connect, early_exit};
use crate::data::Over;
use crate::graph::{DomainId, Graph, Node};
use crate::ir::workgroups::{self, elements};
use crate::ir::{Op, Program, Task, ValueId, WireValue};
use crate::passes::allocate::Placement;
use crate::stage::types::{Scalar, ValueType, WireType};

pub(super) struct TaskKernel {
    pub name: &'static str,
    pub wgsl: String,
    pub over: Over,
}

/// The kernel of an operation that is one of the compiler's own tasks. `memory`: the buffer of each value.
pub(super) fn kernel(graph: &Graph, program: &Program, op: &Op, node: &Node, memory: &Placement) -> TaskKernel {
    let none = WireValue::new(WireType::Number(ValueType::F32), String::new(), 0);
    let value = |id: Option<ValueId>| id.and_then(|v| program.values.get(v)).unwrap_or(&none);
    let written = op.writes.first();
    let target = value(written.map(|w| w.value));
    let source = value(op.reads.first().map(|r| r.value));
    let (ty, dim) = (target.ty.value(), target.dim);
    let in_place = written.is_some_and(|w| w.consumes.is_some_and(|v| memory[w.value] == memory[v]));
    let (words, elements) = (target.bytes / 4, elements(graph, target));
    let moved: Vec<u32> = op.writes.iter().map(|w| value(Some(w.value)).layout().numbers()).collect();
    let (name, wgsl) = match &op.task {
        Task::Fill(None) => ("fill", builtin::fill_word(words, 0)),
        Task::Fill(Some(_)) => ("fill", builtin::fill(words, target.layout())),
        Task::FillWord(word) => ("fill", builtin::fill_word(words, *word)),
        Task::Clear(all) => {
            let sizes = op.writes.iter().map(|w| value(Some(w.value)).bytes / 4);
            ("clear", builtin::clear(&sizes.zip(all.iter().copied()).collect::<Vec<_>>()))
        }
        Task::Copy if source.precision != target.precision => {
            ("copy", builtin::convert_precision(elements, source.layout(), target.layout(), target.dithered))
        }
        Task::Copy | Task::Stage => ("copy", builtin::copy(words)),
        Task::ToFixed(bits) if ty.scalar() == Scalar::F32 => {
            ("to fixed point", builtin::to_fixed_checked(words, ty.components(dim), *bits, in_place))
        }
        Task::ToFixed(bits) => ("to fixed point", builtin::convert(words, ty.scalar(), *bits, true, in_place)),
        Task::FromFixed(bits) => ("from fixed point", builtin::convert(words, ty.scalar(), *bits, false, in_place)),
        Task::FromOrdered => ("from ordered", builtin::from_ordered(words, in_place)),
        Task::Reduce(kind, ty) => {
            // Partial results along the list of blocks.
            let table = op.reads.get(1).map(|read| value(Some(read.value)));
            let domain = table.and_then(|table| graph.domains.get(table.domain?));
            let blocks = domain.map(|domain| (crate::ir::blocks::groups(domain.dim).0, 1));
            ("reduce", builtin::reduce(source.bytes / 16, (*kind, *ty), dim, blocks))
        }
        Task::ScanBlocks => ("scan blocks", builtin::scan_blocks(elements, in_place)),
        Task::ScanSums => ("scan sums", builtin::scan_sums(elements, in_place)),
        Task::ScanAdd => ("scan add", builtin::scan_add(elements, in_place)),
        Task::ScanEnd => ("scan end", builtin::scan_end(elements, in_place)),
        Task::ConnectTiles | Task::ConnectBorders | Task::ConnectEnd => {
            let domain = target.domain.and_then(|d| graph.domains.get(d));
            domain.map(|domain| connect::kernel(&op.task, domain)).unwrap_or_default()
        }
        Task::BinCount(domain) | Task::BinList(domain) => {
            let (space, counts) = (graph.domains.get(*domain), matches!(op.task, Task::BinCount(_)));
            let (name, write): (_, fn(&_, _, _) -> _) =
                if counts { ("bin count", bins::count) } else { ("bin list", bins::list) };
            (name, space.map(|space| write(space, source.capacity, source.layout())).unwrap_or_default())
        }
        Task::CoverBlocks => {
            let covering = workgroups::covering(graph, Some(target), Some(source));
            ("cover blocks", covering.map(|(domain, by, width)| blocks::cover(domain, by, width)).unwrap_or_default())
        }
        Task::FindBlocks => {
            let (layout, pooled) = (source.layout(), source.pooled.is_some());
            let domain = target.domain.and_then(|d| graph.domains.get(d));
            ("find blocks", domain.map(|domain| blocks::find(domain, layout, pooled)).unwrap_or_default())
        }
        Task::WidenBlocks | Task::PlaceBlocks(_) => {
            let domain = target.domain.and_then(|d| graph.domains.get(d));
            match op.task {
                Task::PlaceBlocks(places) => {
                    ("place blocks", domain.map(|domain| blocks::place(domain, places)).unwrap_or_default())
                }
                _ => ("widen blocks", domain.map(blocks::widen).unwrap_or_default()),
            }
        }
        Task::Compact => ("compact", builtin::compact(elements, &moved)),
        Task::CompactCount => {
            let capacity = node.set.as_ref().map_or(0, |s| s.capacity);
            ("count", builtin::compact_count(capacity))
        }
        Task::Gather => ("gather", builtin::gather(elements, &moved)),
        Task::Scatter => ("scatter", builtin::scatter(elements, &moved)),
        Task::Pack => {
            let attributes = op.reads.iter().map(|r| value(Some(r.value)).layout());
            ("pack", builtin::pack(&attributes.take(op.reads.len() - 1).collect::<Vec<_>>(), target.layout()))
        }
        Task::Test { every, .. } => {
            let table = written.and_then(|w| program.tables.get(&w.value)).map_or(&[][..], Vec::as_slice);
            ("test", early_exit::test(early_exit::before(program, op), *every, table))
        }
        Task::Repeats(rest) => ("repeats", early_exit::repeats(*rest)),
        Task::Present { width, height } => {
            let domain = node.domain.and_then(|d| graph.domains.get(d));
            ("present", domain.map(|d| builtin::present(d, source.layout(), *width, *height)).unwrap_or_default())
        }
    };
    let each = match (target.capacity, target.domain) {
        (0, Some(domain)) if target.ty == WireType::FaceGrid => Over::Faces(domain),
        (0, Some(domain)) => Over::Cells(domain),
        (capacity, _) => Over::Particles(capacity),
    };
    let over = match op.task {
        Task::Reduce(..) => Over::Partials(source.bytes / 16),
        Task::ScanSums => Over::Partials(elements.div_ceil(4 * u64::from(workgroups::LANES))),
        Task::ScanBlocks | Task::ScanAdd | Task::ScanEnd | Task::Compact => each,
        Task::ConnectTiles | Task::ConnectBorders | Task::ConnectEnd => each,
        Task::Gather | Task::Scatter | Task::Pack => each,
        Task::BinCount(_) | Task::BinList(_) => Over::Particles(source.capacity),
        Task::FindBlocks => Over::Cells(source.domain.unwrap_or_else(|| DomainId::new(0))),
        Task::CompactCount | Task::Test { .. } | Task::Repeats(_) => Over::Once,
        Task::Present { width, height } => Over::Pixels(width, height),
        _ => Over::Words(words),
    };
    TaskKernel { name, wgsl, over }
}
