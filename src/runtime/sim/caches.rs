//! The caches that a plan is played from: opened, and copied to the GPU frame by frame.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cache::{Cache, CacheError, Index, ReadAhead};
use crate::gpu::Engine;
use crate::graph::count_words;
use crate::plan::{BufferId, Plan, PlayedPart, PlayedWire};
use crate::problem::{Problem, Problems};

/// Host memory for frames that are read ahead, of all caches of a simulation \[bytes\].
const MEMORY: u64 = 512 << 20;

/// The caches that a plan is played from.
#[derive(Default)]
pub(super) struct Playback {
    pub(super) sources: Vec<Source>,
    /// Whether it was said that frames lie outside of what was baked.
    warned_range: bool,
    /// A warning about the first frame with NaN that was played, until it is taken, and whether there was one.
    bad: Option<Problem>,
    warned_bad: bool,
}

pub(super) struct Source {
    pub(super) ahead: Arc<ReadAhead>,
    pub(super) frames: RangeInclusive<u64>,
    uploads: Vec<Upload>,
    /// The frames that the buffers of wires hold, and those of States.
    shown: [Option<u64>; 2],
}

/// A part of a frame, and where it goes.
#[derive(Clone, PartialEq)]
struct Upload {
    /// Place of the part in a frame of the cache.
    place: usize,
    buffer: BufferId,
    /// Whether it belongs to a State.
    state: bool,
    /// How many particles a set has room for; `None` at anything but its count.
    capacity: Option<u32>,
}

impl Playback {
    /// Opens the caches of a plan; those that are open already are kept, with what they have in memory.
    ///
    /// # Errors
    /// A cache that is missing, damaged, or of wires of another type or size.
    pub(super) fn open(plan: &Plan, before: Option<&Playback>) -> Result<Playback, Problems> {
        let mut folders: Vec<&PathBuf> = plan.played.iter().map(|wire| &wire.folder).collect();
        folders.sort();
        folders.dedup();
        let budget = MEMORY / folders.len().max(1) as u64;
        let mut sources = Vec::new();
        for folder in folders {
            let wires = || plan.played.iter().filter(|wire| wire.folder == *folder);
            let name = wires().next().map_or("", |wire| wire.name.as_str());
            let remedy = "bake it again, or run the graph live";
            let fault = |cause: String| Problem::new("", name, cause, remedy);
            let cache = Cache::open(folder).map_err(|error| fault(error.to_string()))?;
            let frames = cache.frames().ok_or_else(|| fault(format!("{} holds no frame", folder.display())))?;
            let mut uploads = Vec::new();
            for wire in wires() {
                for part in &wire.parts {
                    let place = find(cache.index(), wire, part).map_err(|is| {
                        let cause = format!("{} holds {is}, and the graph has {}", folder.display(), part.stored);
                        Problem::new("", &wire.name, cause, remedy)
                    })?;
                    let is_count = wire.capacity > 0 && part.name == "count";
                    let capacity = is_count.then_some(wire.capacity);
                    uploads.push(Upload { place, buffer: part.buffer, state: wire.state, capacity });
                }
            }
            let cache = cache.with_parts(uploads.iter().map(|upload| upload.place).collect());
            let open = before.into_iter().flat_map(|before| &before.sources).find(|source| {
                let theirs = source.ahead.cache();
                let same = theirs.folder() == cache.folder() && theirs.wanted() == cache.wanted();
                same && theirs.index() == cache.index() && source.frames == frames
            });
            let ahead = open.map_or_else(|| Arc::new(ReadAhead::new(cache, budget)), |source| source.ahead.clone());
            sources.push(Source { ahead, frames, uploads, shown: [None; 2] });
        }
        Ok(Playback { sources, ..Playback::default() })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// Copies to the GPU what wires hold in a frame, or what States hold after it.
    ///
    /// # Errors
    /// A frame that can't be read.
    pub(super) fn upload(&mut self, engine: &mut Engine, frame: u64, states: bool) -> Result<(), CacheError> {
        for source in &mut self.sources {
            if !source.uploads.iter().any(|upload| upload.state == states) {
                continue;
            }
            let (first, last) = source.frames.clone().into_inner();
            let held = frame.clamp(if states { first - 1 } else { first }, last);
            let shown = &mut source.shown[usize::from(states)];
            if *shown == Some(held) {
                continue;
            }
            *shown = None;
            let read = source.ahead.frame(held)?;
            for Upload { place, buffer, capacity, .. } in source.uploads.iter().filter(|upload| upload.state == states)
            {
                let words = read.parts.get(*place).map(Vec::as_slice).unwrap_or_default();
                // How many there are was compared with the room for them. The plan says how many workgroups run over them.
                match (capacity, words) {
                    (Some(capacity), [live, emitted, ..]) => {
                        engine.write(*buffer, &count_words((*live).min(*capacity), *emitted));
                    }
                    (Some(_), _) | (None, []) => {}
                    (None, words) => engine.write(*buffer, words),
                }
                if read.not_finite.get(*place).is_some_and(|count| *count > 0) && !self.warned_bad {
                    self.warned_bad = true;
                    self.bad = Some(bad(source.ahead.cache(), *place, held));
                }
            }
            *shown = Some(held);
        }
        Ok(())
    }

    /// The buffers were cleared or are those of another plan.
    pub(super) fn forget(&mut self) {
        self.sources.iter_mut().for_each(|source| source.shown = [None; 2]);
    }

    /// Frames that all caches have.
    pub(super) fn frames(&self) -> Option<RangeInclusive<u64>> {
        let first = self.sources.iter().map(|source| *source.frames.start()).max()?;
        let last = self.sources.iter().map(|source| *source.frames.end()).min()?;
        Some(first..=last)
    }

    /// A warning, once, where a frame holds NaN.
    pub(super) fn bad(&mut self) -> Option<Problem> {
        self.bad.take()
    }

    /// A warning, once, where a frame is none of those that were baked.
    pub(super) fn outside(&mut self, frame: u64) -> Option<Problem> {
        let source =
            self.sources.iter().find(|source| !source.frames.contains(&frame)).filter(|_| !self.warned_range)?;
        let (first, last) = source.frames.clone().into_inner();
        let cause = format!(
            "frame {frame} was not baked: {} holds frames {first} to {last}, and the nearest of them is shown",
            source.ahead.cache().folder().display()
        );
        self.warned_range = true;
        Some(Problem::new("", "", cause, "bake more frames, or run the graph live").warning())
    }
}

/// The place of a part in the frames of a cache. The error is what the cache has instead.
pub(super) fn find(index: &Index, wire: &PlayedWire, part: &PlayedPart) -> Result<usize, String> {
    let same = |(of, stored_part): (&crate::cache::BakedWire, &crate::cache::BakedPart)| {
        let is_wire = (&of.name, of.state, of.capacity) == (&wire.name, wire.state, wire.capacity);
        is_wire && (&stored_part.name, &stored_part.stored, stored_part.words) == (&part.name, &part.stored, part.words)
    };
    index.placed().position(same).ok_or_else(|| {
        let stored_part =
            index.placed().find(|(of, stored_part)| of.name == wire.name && stored_part.name == part.name);
        stored_part.map_or("nothing".to_string(), |(_, stored_part)| stored_part.stored.clone())
    })
}

/// A frame with NaN or infinity in a part.
pub(super) fn bad(cache: &Cache, place: usize, frame: u64) -> Problem {
    let name = cache.index().placed().nth(place).map_or("", |(wire, _)| wire.name.as_str());
    let cause = format!("frame {frame} of the cache {} holds NaN or infinity in {name}", cache.folder().display());
    Problem::new("", "", cause, "`render --stop-on nan`, run live, reports where it began").warning()
}
