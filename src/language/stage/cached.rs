//! Caches for properties that depend only on a stage's text, computed on first use.

use std::sync::OnceLock;

#[derive(Clone, Debug)]
pub(super) struct Cached<T>(OnceLock<T>);

impl<T> Cached<T> {
    pub(super) fn get(&self, find: impl FnOnce() -> T) -> &T {
        self.0.get_or_init(find)
    }
}

impl<T> Default for Cached<T> {
    fn default() -> Cached<T> {
        Cached(OnceLock::new())
    }
}

/// A property in two and in three dimensions.
#[derive(Clone, Debug)]
pub(super) struct PerDimension<T> {
    flat: Cached<T>,
    deep: Cached<T>,
}

impl<T> PerDimension<T> {
    /// The value for two or three dimensions; `find` computes it on first use.
    pub(super) fn get(&self, dim: u32, find: impl FnOnce(u32) -> T) -> &T {
        let (kept, dim) = if dim == 3 { (&self.deep, 3) } else { (&self.flat, 2) };
        kept.get(|| find(dim))
    }
}

impl<T> Default for PerDimension<T> {
    fn default() -> PerDimension<T> {
        PerDimension { flat: Cached::default(), deep: Cached::default() }
    }
}
