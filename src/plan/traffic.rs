//! What a dispatch moves between memory and the GPU at least.

use super::{Dispatch, Plan};

impl Plan {
    /// Bytes that a dispatch of the frame, by its number in `frame`, must read and write: each bound buffer once, by the size of the
    /// wire that it holds then, and twice where the dispatch goes on from what it overwrites. Particles count as if the set were
    /// full. Caches may save a part of that, and reads of neighbours that no cache holds come on top.
    pub fn bytes(&self, dispatch: usize) -> u64 {
        let (Some(found), number) = (self.frame.get(dispatch), self.still.len() + dispatch) else { return 0 };
        self.bound(found).map(|(buffer, writes)| self.moved(buffer, writes, number)).sum()
    }

    fn bound<'a>(&'a self, dispatch: &'a Dispatch) -> impl Iterator<Item = (usize, bool)> + 'a {
        let bindings = self.kernels.get(dispatch.kernel).into_iter().flat_map(|kernel| &kernel.bindings);
        bindings.zip(&dispatch.buffers).map(|(binding, buffer)| (*buffer, binding.writes))
    }

    fn moved(&self, buffer: usize, writes: bool, dispatch: usize) -> u64 {
        let Some(memory) = self.buffers.get(buffer) else { return 0 };
        let size =
            |written| memory.held(dispatch, written).map(|held| self.wire_bytes(&held.wire).unwrap_or(memory.bytes));
        match writes {
            true => size(true).unwrap_or(memory.bytes) + size(false).unwrap_or(0),
            false => size(false).unwrap_or(memory.bytes),
        }
    }

    /// `None` for what is no wire, such as sums of blocks.
    fn wire_bytes(&self, name: &str) -> Option<u64> {
        let wire = self.wires.get(name)?;
        let elements = match wire.domain.filter(|_| wire.ty.is_grid()) {
            Some(domain) => self.domains.get(domain)?.elements(wire.ty),
            None => u64::from(wire.capacity.max(1)),
        };
        // Attributes of three components lie in four words.
        let components = match wire.ty.value().components(wire.dim) {
            3 if wire.capacity > 0 => 4,
            components => components,
        };
        (wire.ty.is_grid() || wire.capacity > 0).then(|| elements * u64::from(components) * 4)
    }
}
