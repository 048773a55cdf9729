//! Particles of files in memory, decoded once for several attributes.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Cause;
use crate::formats::points::Points;

/// Memory for the points of a sequence that other attributes still need \[bytes\].
const MAX_SHARED: usize = 256 << 20;
/// Most files of it.
const MAX_FILES: usize = 32;

type SharedPoints = Arc<Mutex<Option<Arc<Points>>>>;

/// What the requests for the attributes of one node have in common: a file is read and decoded once for all of them.
#[derive(Clone, Default)]
pub struct Shared(Arc<Mutex<Vec<(PathBuf, SharedPoints)>>>);

/// What is in memory does not change what a request asks for.
impl PartialEq for Shared {
    fn eq(&self, _: &Shared) -> bool {
        true
    }
}

impl std::fmt::Debug for Shared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Shared")
    }
}

impl Shared {
    /// The points of a file. Where another thread decodes it, this one waits for it.
    pub(super) fn get(
        &self,
        path: &Path,
        decode: impl FnOnce() -> Result<Points, Cause>,
    ) -> Result<Arc<Points>, Cause> {
        let slot = {
            let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            let position = slots.iter().position(|(cached_path, _)| cached_path == path);
            let entry = position
                .map_or_else(|| (path.to_path_buf(), SharedPoints::default()), |position| slots.remove(position));
            let slot = entry.1.clone();
            slots.push(entry);
            slot
        };
        let mut held = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(points) = &*held {
            return Ok(points.clone());
        }
        let points = Arc::new(decode()?);
        *held = Some(points.clone());
        drop(held);
        self.forget();
        Ok(points)
    }

    /// Forgets the files that were needed longest ago, but never the last one.
    fn forget(&self) {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut bytes, mut files) = (0, 0);
        let mut kept: Vec<_> = std::mem::take(&mut *slots)
            .into_iter()
            .rev()
            .take_while(|(_, slot)| {
                // One that is being decoded counts when it is done.
                let size = slot.try_lock().ok().and_then(|held| Some(held.as_ref()?.bytes())).unwrap_or_default();
                (bytes, files) = (bytes + size, files + 1);
                files == 1 || files <= MAX_FILES && bytes <= MAX_SHARED
            })
            .collect();
        kept.reverse();
        *slots = kept;
    }
}
