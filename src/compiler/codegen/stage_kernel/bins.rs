//! The bins of cells by which a kernel goes through its particles ([`crate::ir::bins`]), and the tiles of workgroup memory in which they add up.
//!
//! ```wgsl
//! var<private> _corner: vec3i;
//! var<workgroup> _tile_momentum: array<atomic<i32>, 864>;
//! ```

use super::context::{Context, Written};
use super::names;
use crate::codegen::wgsl::cell_type;
use crate::graph::Domain;
use crate::ir::{bins, query};

/// What a kernel that goes by a list of particles is written for.
#[derive(Clone, Copy)]
pub(super) struct Bins<'a> {
    /// The buffer of the table.
    pub variable: &'a str,
    pub domain: &'a Domain,
    pub capacity: u32,
    /// Sums of a cell, of all ports.
    sums: u32,
}

impl<'a> Bins<'a> {
    /// `None` where an operation goes through its particles in their order.
    pub(super) fn of(cx: &'a Context<'_>) -> Option<Bins<'a>> {
        let table = bins::table(cx.op)?;
        let bound = cx.bound.iter().find(|bound| !bound.writes && bound.value == table)?;
        let set = cx.node.set.as_ref()?;
        let domain = cx.graph.domains.get(set.domain)?;
        let sums = sums(cx).map(|(_, numbers)| numbers).sum();
        Some(Bins { variable: &bound.variable, domain, capacity: set.capacity, sums })
    }

    /// Cells of a tile along each axis.
    pub(super) fn tile(&self) -> [u32; 3] {
        bins::tile(self.domain.dim, self.sums)
    }

    /// Cells from a tile's first one to its bin's, along each axis.
    pub(super) fn margin(&self) -> [u32; 3] {
        let margin = bins::margin(self.domain.dim, self.sums);
        [0, 1, 2].map(|axis| if axis < self.domain.dim { margin } else { 0 })
    }
}

/// Ports whose sums are in tiles, with what they write and the numbers of a cell.
pub(super) fn sums<'a>(cx: &'a Context<'_>) -> impl Iterator<Item = (Written<'a>, u32)> {
    let fixed = cx.writes().filter(|written| query::adds_fixed(cx.graph, cx.program, cx.op, written.write));
    fixed.map(|written| {
        let numbers = written.value.ty.value().components(written.value.dim);
        (written, numbers)
    })
}

/// Tiles, their place, and what each invocation has added to them.
pub(super) fn variables(cx: &Context<'_>) -> String {
    let Some(bins) = Bins::of(cx) else { return String::new() };
    let cells: u32 = bins.tile().iter().product();
    let tile = |(Written { port, .. }, numbers): (Written<'_>, u32)| {
        let (tile, name) = (names::tile(port), &port.name);
        format!("var<workgroup> {tile}: array<atomic<i32>, {}>;\nvar<private> _added_{name}: f32;\n", cells * numbers)
    };
    let tiles: String = sums(cx).map(tile).collect();
    format!("var<private> _corner: {};\n{tiles}", cell_type(bins.domain.dim))
}
