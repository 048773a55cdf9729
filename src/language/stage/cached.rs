//! Caches for properties that depend only on a stage's text, computed on first use.

use std::hash::Hash;
use std::num::NonZeroUsize;
use std::sync::{Mutex, OnceLock};

use lru::LruCache;

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

/// The `MOST` results that were used last, by what they depend on. A clone begins without any.
pub(super) struct Recent<K, V, const MOST: usize>(OnceLock<Mutex<LruCache<K, V>>>);

impl<K: Hash + Eq, V: Clone, const MOST: usize> Recent<K, V, MOST> {
    pub(super) const fn new() -> Self {
        Recent(OnceLock::new())
    }

    fn cache(&self) -> &Mutex<LruCache<K, V>> {
        self.0.get_or_init(|| Mutex::new(LruCache::new(NonZeroUsize::new(MOST).unwrap_or(NonZeroUsize::MIN))))
    }

    pub(super) fn get(&self, key: &K) -> Option<V> {
        self.cache().lock().ok()?.get(key).cloned()
    }

    pub(super) fn put(&self, key: K, value: V) {
        if let Ok(mut cache) = self.cache().lock() {
            cache.put(key, value);
        }
    }

    /// The result for this key; `find` computes it where it is not there.
    pub(super) fn get_or_put(&self, key: K, find: impl FnOnce(&K) -> V) -> V {
        if let Some(value) = self.get(&key) {
            return value;
        }
        let value = find(&key);
        self.put(key, value.clone());
        value
    }
}

impl<K: Hash + Eq, V: Clone, const MOST: usize> Default for Recent<K, V, MOST> {
    fn default() -> Self {
        Recent::new()
    }
}

impl<K: Hash + Eq, V: Clone, const MOST: usize> Clone for Recent<K, V, MOST> {
    fn clone(&self) -> Self {
        Recent::new()
    }
}

impl<K, V, const MOST: usize> std::fmt::Debug for Recent<K, V, MOST> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Recent")
    }
}
