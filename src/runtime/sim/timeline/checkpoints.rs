//! Copies of the States at some frames: on the GPU while there is room, then in host memory, then on disk.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};

use serde::{Deserialize, Serialize};

use crate::background::answer;
use crate::files::scratch::Scratch;
use crate::gpu::{Copies, Gpu, Reading};
use crate::sim::state_layout::HeldState;

/// Memory that checkpoints may take \[bytes\].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Budget {
    /// Memory of the GPU.
    pub gpu: u64,
    /// Memory of the host.
    pub host: u64,
    /// Memory on disk, in the folder for temporary files.
    pub disk: u64,
}

impl Budget {
    /// All of it \[bytes\].
    pub fn total(&self) -> u64 {
        self.gpu.saturating_add(self.host).saturating_add(self.disk)
    }
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { gpu: 512 << 20, host: 1536 << 20, disk: 0 }
    }
}

/// Where a checkpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Storage {
    /// GPU memory.
    Gpu,
    /// Host memory.
    Host,
    /// A temporary file.
    Disk,
}

/// The States at the start of a frame.
pub(super) struct Checkpoint {
    pub frame: u64,
    /// Seconds of simulated time.
    pub time: f64,
    /// [`super::Journal::hash`] of the frame.
    pub hash: u64,
    /// Each State.
    pub states: Arc<[HeldState]>,
    /// Values that expressions without a value keep, by path.
    pub held: Vec<(String, Vec<f64>)>,
    bytes: u64,
    contents: Contents,
}

enum Contents {
    Gpu(Copies),
    /// Copies on their way to memory that the host sees; the copies are valid until it has arrived.
    Leaving(Copies, Reading),
    /// A thread copies it out of there, which takes as long as a fast frame.
    Fetching(Copies, Receiver<Option<Vec<u32>>>),
    Host(Arc<Vec<u32>>),
    Writing(Receiver<io::Result<Scratch>>, Arc<Vec<u32>>),
    Disk(Arc<Scratch>),
}

/// The contents of a checkpoint for another thread, which may outlive it. None of it is copied.
pub(in crate::sim) enum Handle {
    /// Copies in the order of [`Checkpoint::states`].
    Gpu(Copies),
    /// Words of the States, one State after another.
    Host(Arc<Vec<u32>>),
    /// States in a file, and its bytes.
    Disk(Arc<Scratch>, u64),
}

impl Handle {
    /// The words of what is in host memory or on disk; `None` when the disk fails.
    pub(crate) fn words(&self) -> Option<Arc<Vec<u32>>> {
        match self {
            Handle::Gpu(_) => None,
            Handle::Host(words) => Some(words.clone()),
            Handle::Disk(file, bytes) => read(file, *bytes).ok().map(Arc::new),
        }
    }
}

/// What a checkpoint is restored from.
pub(super) enum SavedStates<'c> {
    /// Copies in the order of [`Checkpoint::states`].
    Gpu(&'c Copies),
    /// Words of the States, one State after another.
    Host(std::borrow::Cow<'c, [u32]>),
}

impl Checkpoint {
    pub(super) fn new(
        frame: u64,
        time: f64,
        hash: u64,
        states: Arc<[HeldState]>,
        held: Vec<(String, Vec<f64>)>,
        copies: Copies,
    ) -> Checkpoint {
        Checkpoint { frame, time, hash, states, held, bytes: copies.bytes(), contents: Contents::Gpu(copies) }
    }

    pub(super) fn place(&self) -> Storage {
        match &self.contents {
            Contents::Gpu(_) | Contents::Leaving(..) | Contents::Fetching(..) => Storage::Gpu,
            Contents::Host(_) | Contents::Writing(..) => Storage::Host,
            Contents::Disk(_) => Storage::Disk,
        }
    }

    /// Contents of the checkpoint for another thread.
    pub(super) fn handle(&self) -> Handle {
        match &self.contents {
            Contents::Gpu(copies) | Contents::Leaving(copies, _) | Contents::Fetching(copies, _) => {
                Handle::Gpu(copies.clone())
            }
            Contents::Host(words) | Contents::Writing(_, words) => Handle::Host(words.clone()),
            Contents::Disk(file) => Handle::Disk(file.clone(), self.bytes),
        }
    }

    /// Contents of the checkpoint; `None` when the disk fails.
    pub(super) fn contents(&self) -> Option<SavedStates<'_>> {
        Some(match &self.contents {
            Contents::Gpu(copies) | Contents::Leaving(copies, _) | Contents::Fetching(copies, _) => {
                SavedStates::Gpu(copies)
            }
            Contents::Host(words) => SavedStates::Host(words.as_slice().into()),
            Contents::Writing(_, words) => SavedStates::Host(words.as_slice().into()),
            Contents::Disk(file) => SavedStates::Host(read(file, self.bytes).ok()?.into()),
        })
    }
}

fn read(file: &Scratch, bytes: u64) -> io::Result<Vec<u32>> {
    let mut words = vec![0u32; (bytes / 4) as usize];
    file.read(bytemuck::cast_slice_mut(&mut words))?;
    Ok(words)
}

/// Checkpoints of a run, and of runs that changes have replaced while there is room for them.
#[derive(Default)]
pub(super) struct Checkpoints {
    /// Checkpoints in the order of frames.
    list: Vec<Checkpoint>,
    pub budget: Budget,
}

impl Checkpoints {
    pub(super) fn iter(&self) -> impl Iterator<Item = &Checkpoint> {
        self.list.iter()
    }

    /// Memory in use \[bytes\], by place.
    pub(super) fn used(&self, place: Storage) -> u64 {
        self.list.iter().filter(|checkpoint| checkpoint.place() == place).map(|checkpoint| checkpoint.bytes).sum()
    }

    fn total(&self) -> u64 {
        self.list.iter().map(|checkpoint| checkpoint.bytes).sum()
    }

    /// Whether checkpoints of this size have room at all.
    pub(super) fn fits(&self, bytes: u64) -> bool {
        bytes.saturating_mul(2) <= self.budget.total()
    }

    pub(super) fn clear(&mut self) {
        self.list.clear();
    }

    pub(super) fn add(&mut self, checkpoint: Checkpoint) {
        self.list.retain(|other| other.frame != checkpoint.frame || other.hash != checkpoint.hash);
        let at = self.list.partition_point(|other| other.frame <= checkpoint.frame);
        self.list.insert(at, checkpoint);
    }

    /// Takes over what has arrived, and makes room. `now` is the present frame, and `valid` tells whether a checkpoint is of the
    /// present run.
    pub(super) fn fit_budget(&mut self, gpu: &Gpu, now: u64, mut valid: impl FnMut(&Checkpoint) -> bool) {
        self.arrive();
        while self.total() > self.budget.total() {
            let marks: Vec<bool> = self.list.iter().map(&mut valid).collect();
            let Some(at) = surplus(&self.list, &marks, now) else { break };
            self.list.remove(at);
        }
        self.leave_gpu(gpu, now);
        self.leave_host(now);
    }

    /// Moves what does not fit on the GPU into host memory. Without memory for the copy, it is tried again.
    fn leave_gpu(&mut self, gpu: &Gpu, now: u64) {
        let staying = |checkpoint: &&Checkpoint| matches!(checkpoint.contents, Contents::Gpu(_));
        let mut used: u64 = self.list.iter().filter(staying).map(|checkpoint| checkpoint.bytes).sum();
        while used > self.budget.gpu {
            let farthest = self.list.iter_mut().filter(|checkpoint| matches!(checkpoint.contents, Contents::Gpu(_)));
            let Some(checkpoint) = farthest.max_by_key(|checkpoint| checkpoint.frame.abs_diff(now)) else { return };
            let Contents::Gpu(copies) = &checkpoint.contents else { return };
            let Ok(reading) = copies.read(gpu) else { return };
            used -= checkpoint.bytes;
            checkpoint.contents = match std::mem::replace(&mut checkpoint.contents, Contents::Host(Arc::default())) {
                Contents::Gpu(copies) => Contents::Leaving(copies, reading),
                other => other,
            };
        }
    }

    fn leave_host(&mut self, now: u64) {
        let staying = |checkpoint: &&Checkpoint| matches!(checkpoint.contents, Contents::Host(_));
        let mut used: u64 = self.list.iter().filter(staying).map(|checkpoint| checkpoint.bytes).sum();
        while used > self.budget.host && self.budget.disk > 0 {
            let farthest = self.list.iter_mut().filter(|checkpoint| matches!(checkpoint.contents, Contents::Host(_)));
            let Some(checkpoint) = farthest.max_by_key(|checkpoint| checkpoint.frame.abs_diff(now)) else { return };
            let Contents::Host(words) = &checkpoint.contents else { return };
            used -= checkpoint.bytes;
            let words = words.clone();
            let theirs = words.clone();
            let write = move || Scratch::new(bytemuck::cast_slice(&theirs));
            checkpoint.contents = Contents::Writing(answer("checkpoint", || (), write), words);
        }
    }

    /// Takes over what has arrived in host memory and on disk.
    fn arrive(&mut self) {
        self.list.retain_mut(|checkpoint| {
            let next = match std::mem::replace(&mut checkpoint.contents, Contents::Host(Arc::default())) {
                Contents::Leaving(copies, reading) => match reading.try_arrive() {
                    Ok(fetch) => Contents::Fetching(copies, answer("checkpoint", || (), fetch)),
                    Err(reading) => Contents::Leaving(copies, reading),
                },
                Contents::Fetching(copies, receiver) => match receiver.try_recv() {
                    Ok(Some(words)) => Contents::Host(Arc::new(words)),
                    Err(TryRecvError::Empty) => Contents::Fetching(copies, receiver),
                    // Without a thread, it is tried again.
                    Err(TryRecvError::Disconnected) => Contents::Gpu(copies),
                    // The device failed, and the copies with it.
                    Ok(None) => return false,
                },
                Contents::Writing(receiver, words) => match receiver.try_recv() {
                    Ok(Ok(file)) => Contents::Disk(Arc::new(file)),
                    Err(TryRecvError::Empty) => Contents::Writing(receiver, words),
                    // A full disk: it stays in memory, or goes if that is full too.
                    Ok(Err(_)) | Err(TryRecvError::Disconnected) => Contents::Host(words),
                },
                other => other,
            };
            checkpoint.contents = next;
            true
        });
    }

    /// Checkpoints on the GPU are gone with their device.
    pub(super) fn lose_device(&mut self) {
        self.list.retain(|checkpoint| checkpoint.place() != Storage::Gpu);
    }
}

/// The checkpoint that is missed least: one of a run that was replaced, or else the one whose gap is the shortest for its age. So
/// intervals grow with age.
fn surplus(list: &[Checkpoint], valid: &[bool], now: u64) -> Option<usize> {
    if let Some((at, _)) = list
        .iter()
        .enumerate()
        .filter(|(at, _)| valid.get(*at) != Some(&true))
        .max_by_key(|(_, checkpoint)| checkpoint.frame.abs_diff(now))
    {
        return Some(at);
    }
    let gap = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| list.get(before)).map_or(0, |checkpoint| checkpoint.frame);
        let (here, next) = (list.get(at)?, list.get(at + 1)?);
        Some((next.frame - before) as f64 / (1 + here.frame.abs_diff(now)) as f64)
    };
    let gaps = (0..list.len()).filter_map(|at| Some((at, gap(at)?)));
    gaps.min_by(|(_, one), (_, two)| one.total_cmp(two)).map(|(at, _)| at).or((!list.is_empty()).then_some(0))
}
