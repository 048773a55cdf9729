//! Which dispatches of a frame the next frames depend on. The others only make images and wires that somebody reads.

use std::collections::HashSet;

use super::{Buffer, BufferId, Dispatch, Plan};

impl Plan {
    /// Whether a State of the next frame depends on each dispatch of a frame.
    pub fn simulating(&self) -> Vec<bool> {
        // What a buffer holds is one value from the dispatch that writes it first to the last one that needs it.
        let kept = |id: BufferId, buffer: &Buffer| {
            let kept = buffer.holds.iter().enumerate().filter(|(_, held)| held.last.is_none());
            kept.map(|(index, _)| (id, index)).collect::<Vec<_>>()
        };
        let lasting = self.buffers.ids().zip(&self.buffers).filter(|(id, _)| !self.is_shown(*id));
        let mut needed: HashSet<(BufferId, usize)> = lasting.flat_map(|(id, buffer)| kept(id, buffer)).collect();
        let held = |id: BufferId, at: usize, written: bool| {
            let buffer = self.buffers.get(id)?;
            let held = buffer.held(at, written)?;
            Some((id, buffer.holds.iter().position(|other| std::ptr::eq(other, held))?))
        };
        let mut simulating = Vec::with_capacity(self.frame.len());
        for (index, dispatch) in self.frame.iter().enumerate().rev() {
            let at = self.invariant.len() + index;
            let written: Vec<_> = self.bound(dispatch).filter(|(_, writes)| *writes).collect();
            let written: Vec<_> = written.into_iter().map(|(buffer, _)| held(buffer, at, true)).collect();
            // What is not known may have another use.
            let is_needed = written.iter().any(|value| value.is_none_or(|value| needed.contains(&value)));
            let is_needed = is_needed || written.is_empty();
            if is_needed {
                let counts = dispatch.indirect.map(|indirect| indirect.buffer);
                let read = self.bound(dispatch).map(|(buffer, _)| buffer).chain(counts);
                needed.extend(read.filter_map(|buffer| held(buffer, at, false)));
                needed.extend(written.into_iter().flatten());
            }
            simulating.push(is_needed);
        }
        simulating.reverse();
        simulating
    }

    /// The buffers of a dispatch, and whether it writes them.
    fn bound<'p>(&'p self, dispatch: &'p Dispatch) -> impl Iterator<Item = (BufferId, bool)> + 'p {
        let bindings = self.kernels.get(dispatch.kernel).map_or(&[][..], |kernel| &kernel.bindings);
        dispatch.buffers.iter().zip(bindings).map(|(buffer, binding)| (*buffer, binding.writes))
    }

    /// Whether a buffer outlives the frame for an image or for a reader of a wire, and neither a State nor a watched number is in it.
    fn is_shown(&self, buffer: BufferId) -> bool {
        let swapped = |other: BufferId| {
            self.swaps.iter().any(|(a, b)| (*a == buffer && *b == other) || (*a == other && *b == buffer))
        };
        let state = self.states.iter().any(|state| state.buffer == buffer || swapped(state.buffer));
        let image = self.outputs.iter().any(|output| output.buffer == buffer);
        let read = self.wires.values().any(|wire| wire.kept && !wire.state && wire.buffer == buffer);
        let watched = self.watches.iter().any(|watch| watch.buffer == buffer);
        !state && !watched && (image || read)
    }
}
