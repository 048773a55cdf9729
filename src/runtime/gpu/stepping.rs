//! Runs a frame part by part and copies pieces of memory between dispatches, for a debugger.

use std::ops::Range;

use super::device::Gpu;
use super::engine::Engine;
use super::memory::OutOfMemory;
use super::readback::Reading;
use super::recorder::run;
use crate::plan::BufferId;

/// A piece of memory to copy while a frame runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Peek {
    /// Number of dispatches of the frame after which the memory is copied.
    pub after: usize,
    /// The buffer, or the flags of alarms.
    pub buffer: Option<BufferId>,
    /// Which words.
    pub words: Range<u64>,
}

impl Engine {
    /// Runs a part of the frame's dispatches. The first part of a frame clears the alarms. `uniforms` is the whole uniform buffer.
    pub(crate) fn run_part(&self, gpu: &Gpu, uniforms: &[u8], part: Range<usize>) {
        let (target, list, flags) = self.parts();
        gpu.queue.write_buffer(target, 0, uniforms);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        flags.iter().filter(|_| part.start == 0).for_each(|flags| encoder.clear_buffer(flags, 0, None));
        run(&mut encoder, list, part.start..part.end.min(list.len()), None);
        gpu.queue.submit([encoder.finish()]);
    }

    /// Runs a part of the frame's dispatches, and copies pieces of memory meanwhile. They are in the order of [`Peek::after`], and none comes before the part. The
    /// words arrive one piece after another; a piece that does not exist is zero.
    ///
    /// # Errors
    /// When there is no memory for the copies.
    pub(crate) fn run_watched(
        &self,
        gpu: &Gpu,
        uniforms: &[u8],
        part: Range<usize>,
        peeks: &[Peek],
    ) -> Result<Reading, OutOfMemory> {
        let words: u64 = peeks.iter().map(|peek| peek.words.end - peek.words.start).sum();
        let usage = wgpu::BufferUsages::COPY_SRC | wgpu::BufferUsages::COPY_DST;
        let copies = gpu.buffer("pieces", (words * 4).max(16), usage)?;
        let (target, list, flags) = self.parts();
        gpu.queue.write_buffer(target, 0, uniforms);
        let mut encoder = gpu.device.create_command_encoder(&Default::default());
        flags.iter().filter(|_| part.start == 0).for_each(|flags| encoder.clear_buffer(flags, 0, None));
        let (mut next, mut at) = (part.start, 0);
        for peek in peeks {
            if peek.after > next {
                run(&mut encoder, list, next..peek.after.min(list.len()), None);
                next = peek.after;
            }
            let source = match peek.buffer {
                Some(buffer) => self.buffer(buffer, true),
                None => flags,
            };
            let bytes = (peek.words.end - peek.words.start) * 4;
            if let Some(source) = source.filter(|source| source.size() >= peek.words.end * 4 && bytes > 0) {
                encoder.copy_buffer_to_buffer(source, peek.words.start * 4, &copies, at, bytes);
            }
            at += bytes;
        }
        run(&mut encoder, list, next..part.end.min(list.len()).max(next), None);
        gpu.queue.submit([encoder.finish()]);
        Reading::start(gpu, &copies)
    }
}
