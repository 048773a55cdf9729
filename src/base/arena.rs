//! Ids that name one kind of thing only, and the vectors that they index. After the handles of naga and rustc's `IndexVec`.

use std::cmp::Ordering;
use std::fmt::{self, Debug, Display, Formatter};
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use serde::{Deserialize, Serialize};

/// The place of a `T` among others. It prints and serialises as a plain number.
#[derive(Serialize, Deserialize)]
#[serde(transparent, bound = "")]
pub struct Id<T> {
    index: usize,
    of: PhantomData<fn() -> T>,
}

impl<T> Id<T> {
    /// The id of the element at this position.
    pub const fn new(index: usize) -> Id<T> {
        Id { index, of: PhantomData }
    }

    /// Position of the element.
    pub const fn index(self) -> usize {
        self.index
    }
}

// Derived, these would ask the same of `T`.
impl<T> Clone for Id<T> {
    fn clone(&self) -> Id<T> {
        *self
    }
}

impl<T> Copy for Id<T> {}

impl<T> PartialEq for Id<T> {
    fn eq(&self, other: &Id<T>) -> bool {
        self.index == other.index
    }
}

impl<T> Eq for Id<T> {}

impl<T> PartialOrd for Id<T> {
    fn partial_cmp(&self, other: &Id<T>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Id<T> {
    fn cmp(&self, other: &Id<T>) -> Ordering {
        self.index.cmp(&other.index)
    }
}

impl<T> Hash for Id<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.index.hash(state);
    }
}

impl<T> Debug for Id<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.index, f)
    }
}

impl<T> Display for Id<T> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(&self.index, f)
    }
}

/// One `V` for each id of a `K`. It prints and serialises as a plain list.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct IdVec<K, V> {
    items: Vec<V>,
    of: PhantomData<fn() -> K>,
}

/// Things and their own ids.
pub type Arena<T> = IdVec<T, T>;

impl<K, V> IdVec<K, V> {
    /// The id of the new item.
    pub fn push(&mut self, item: V) -> Id<K> {
        self.items.push(item);
        Id::new(self.items.len() - 1)
    }

    /// The element with this id, if there is one.
    pub fn get(&self, id: Id<K>) -> Option<&V> {
        self.items.get(id.index)
    }

    /// The element with this id, with mutable access.
    pub fn get_mut(&mut self, id: Id<K>) -> Option<&mut V> {
        self.items.get_mut(id.index)
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All ids in order.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = Id<K>> + ExactSizeIterator + use<K, V> {
        (0..self.items.len()).map(Id::new)
    }

    /// All elements, in the order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, V> {
        self.items.iter()
    }

    /// All elements with mutable access, in the order of their ids.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, V> {
        self.items.iter_mut()
    }

    /// All elements in the order of their ids.
    pub fn as_slice(&self) -> &[V] {
        &self.items
    }

    /// Items with their ids.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = (Id<K>, &V)> + ExactSizeIterator {
        self.ids().zip(&self.items)
    }

    /// The first item of which something holds.
    pub fn position(&self, holds: impl FnMut(&V) -> bool) -> Option<Id<K>> {
        self.items.iter().position(holds).map(Id::new)
    }

    /// The items of which something holds. Those behind the first that goes get other ids.
    pub fn retain(&mut self, mut holds: impl FnMut(Id<K>, &V) -> bool) {
        let mut index = 0;
        self.items.retain(|item| {
            index += 1;
            holds(Id::new(index - 1), item)
        });
    }

    /// Items with their ids.
    pub fn into_entries(self) -> impl DoubleEndedIterator<Item = (Id<K>, V)> {
        self.ids().zip(self.items)
    }

    /// Something else for each of the ids, to begin with the same for all.
    pub fn table<W: Clone>(&self, item: W) -> IdVec<K, W> {
        IdVec::from(vec![item; self.items.len()])
    }
}

impl<K, V: Debug> Debug for IdVec<K, V> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Debug::fmt(&self.items, f)
    }
}

impl<K, V> Default for IdVec<K, V> {
    fn default() -> IdVec<K, V> {
        IdVec::from(Vec::new())
    }
}

impl<K, V> From<Vec<V>> for IdVec<K, V> {
    fn from(items: Vec<V>) -> IdVec<K, V> {
        IdVec { items, of: PhantomData }
    }
}

impl<K, V> FromIterator<V> for IdVec<K, V> {
    fn from_iter<I: IntoIterator<Item = V>>(items: I) -> IdVec<K, V> {
        IdVec::from(items.into_iter().collect::<Vec<V>>())
    }
}

impl<K, V> Extend<V> for IdVec<K, V> {
    fn extend<I: IntoIterator<Item = V>>(&mut self, items: I) {
        self.items.extend(items);
    }
}

impl<K, V> IntoIterator for IdVec<K, V> {
    type Item = V;
    type IntoIter = std::vec::IntoIter<V>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, K, V> IntoIterator for &'a IdVec<K, V> {
    type Item = &'a V;
    type IntoIter = std::slice::Iter<'a, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

impl<'a, K, V> IntoIterator for &'a mut IdVec<K, V> {
    type Item = &'a mut V;
    type IntoIter = std::slice::IterMut<'a, V>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter_mut()
    }
}

impl<K, V> Index<Id<K>> for IdVec<K, V> {
    type Output = V;

    fn index(&self, id: Id<K>) -> &V {
        &self.items[id.index]
    }
}

impl<K, V> IndexMut<Id<K>> for IdVec<K, V> {
    fn index_mut(&mut self, id: Id<K>) -> &mut V {
        &mut self.items[id.index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_arenas_are_plain_numbers_and_lists_outside() {
        let mut letters = Arena::<char>::default();
        let (a, b) = (letters.push('a'), letters.push('b'));
        assert_eq!((letters[a], letters.get(b), letters.get(Id::new(2))), ('a', Some(&'b'), None));
        assert_eq!(letters.entries().collect::<Vec<_>>(), [(a, &'a'), (b, &'b')]);
        let mut counts = letters.table(0);
        counts[b] += 2;
        assert_eq!(format!("{counts:?} {b} {b:?}"), "[0, 2] 1 1");
        assert_eq!(serde_json::to_string(&(&letters, b)).unwrap(), r#"[["a","b"],1]"#);
        assert_eq!(serde_json::from_str::<(Arena<char>, Id<char>)>(r#"[["a","b"],1]"#).unwrap(), (letters, b));
    }
}
