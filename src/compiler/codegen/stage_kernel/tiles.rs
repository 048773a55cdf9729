//! The tile of a workgroup that makes several sweeps: its sizes, and which cell of the domain a place of it shows.
//!
//! ```wgsl
//! let _c = clamp(_base + _l, vec2i(0), vec2i(127, 95));
//! ```

use std::collections::BTreeSet;

use super::context::{Context, Written};
use super::mapping::Mapping;
use crate::codegen::sides::mask;
use crate::codegen::wgsl::{cells_literal, clamped, element, mirrored, wrapped};
use crate::ir::tiles::{halo, holds_domain, ring, tile_inner, tile_size};
use crate::stage::types::{EdgeRule, ValueType};
use crate::tuning::Shape;

/// What all parts of a tile's text have in common.
#[derive(Clone, Copy)]
pub(super) struct Tiles {
    pub dim: u32,
    /// Cells along each axis.
    pub size: [u32; 3],
    /// Cells along each axis that it gets right.
    pub inner: [u32; 3],
    /// Cells on either side that it does not get right.
    pub halo: u32,
    /// How far one sweep looks: cells nearer to the tile's border are not computed.
    pub ring: u32,
    /// Cells of an invocation, one behind the other along the last axis.
    pub cells: u32,
    /// The axes along which some port is periodic, so that a cell has several names.
    pub wraps: [bool; 3],
    /// Whether cells outside the domain are computed like the cell that they show.
    pub ghosts: bool,
    /// Whether a cell outside shows the one that it is the mirror image of, or else the nearest.
    mirrors: bool,
    /// Cells of the domain.
    pub resolution: [i64; 3],
    /// Cells that the stage runs over: one more along each axis where it returns values on faces.
    pub extent: [i64; 3],
}

impl Tiles {
    /// The tiles of an operation that makes several sweeps.
    pub(super) fn of(cx: &Context<'_>) -> Option<Tiles> {
        let Mapping::Tile(shape) = cx.mapping else { return None };
        let all = || cx.writes().map(|written| cx.edges(written.port, written.value));
        Some(Tiles {
            dim: cx.dim,
            size: tile_size(cx.graph, cx.op, &shape),
            inner: tile_inner(cx.graph, cx.op, &shape),
            halo: halo(cx.graph, cx.op),
            ring: ring(cx.graph, cx.op),
            cells: shape.cells,
            wraps: [0, 1, 2].map(|axis| all().any(|edges| edges.wraps(axis))),
            ghosts: has_ghosts(cx, &shape),
            mirrors: all().any(|edges| edges.one() == Some(EdgeRule::Mirror)),
            resolution: cx.resolution(),
            extent: cx.graph.extent(cx.node).map(i64::from),
        })
    }

    /// The axis along which an invocation's cells lie.
    pub(super) fn column(&self) -> usize {
        self.dim as usize - 1
    }

    /// Words of a tile between a cell of a column and the next.
    pub(super) fn stride(&self) -> u32 {
        self.size.iter().take(self.column()).product()
    }

    /// The vector from an invocation's first cell to one of its others.
    pub(super) fn along(&self, k: &str) -> String {
        if self.dim == 3 { format!("vec3i(0, 0, {k})") } else { format!("vec2i(0, {k})") }
    }

    /// The element of a place in the tile.
    pub(super) fn element(&self, place: &str) -> String {
        element(place, self.size, self.dim)
    }

    /// A WGSL literal of a number of cells along each axis.
    pub(super) fn cells_literal(&self, cells: [u32; 3]) -> String {
        cells_literal(cells, self.dim)
    }

    /// `let _c = ..`: the cell inside the domain that the place `_l` shows, by the edge rule.
    pub(super) fn shown(&self) -> String {
        match self.wraps {
            [false, false, false] => self.near(),
            [true, true, true] => format!("let _c = {};", self.wrapped("(_base + _l)")),
            wraps => {
                let (near, around) = (clamped("_base + _l", self.extent, self.dim), self.wrapped("(_base + _l)"));
                format!("let _c = select({near}, {around}, {});", mask(wraps, self.dim))
            }
        }
    }

    /// Whether some axis is periodic.
    pub(super) fn wrap(&self) -> bool {
        self.wraps.contains(&true)
    }

    /// The cell of a name, where it has several.
    pub(super) fn named(&self, cell: &str) -> String {
        match self.wraps {
            [true, true, true] => self.wrapped(cell),
            wraps => format!("select({cell}, {}, {})", self.wrapped(cell), mask(wraps, self.dim)),
        }
    }

    fn wrapped(&self, cell: &str) -> String {
        wrapped(cell, self.resolution, self.dim)
    }

    /// `let _c = ..` for a place of the tile, where no port is periodic.
    pub(super) fn near(&self) -> String {
        match self.mirrors {
            true => mirrored("(_base + _l)", self.extent, self.dim),
            false => format!("let _c = {};", clamped("_base + _l", self.extent, self.dim)),
        }
    }
}

/// Whether cells outside the domain can be computed like the cell that they show: by a rule that shows one, in whole sweeps. Each axis of
/// faces shows another.
fn has_ghosts(cx: &Context<'_>, shape: &Shape) -> bool {
    let shows = |Written { port, value, .. }: Written<'_>| match cx.edges(port, value).one() {
        Some(EdgeRule::Clamp | EdgeRule::Mirror) => true,
        Some(EdgeRule::Wall) => value.ty.value() != ValueType::Vec,
        _ => false,
    };
    // Ports that differ in which cell they show have no common one.
    let mirrored: BTreeSet<bool> = cx.writes().map(|w| cx.edges(w.port, w.value).has(EdgeRule::Mirror)).collect();
    let whole = holds_domain(cx.graph, cx.op, shape);
    !whole && !cx.node.fills_faces() && cx.op.color.is_none() && mirrored.len() == 1 && cx.writes().all(shows)
}
