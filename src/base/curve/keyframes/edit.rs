//! Changes of keys.

use super::{Key, Keyframes, LARGEST, Tangent};

/// Frames closer than this are the same.
const SAME: f64 = 1e-6;

impl Keyframes {
    /// The index of the key at a frame.
    pub fn index_at(&self, frame: f64) -> Option<usize> {
        self.keys.iter().position(|key| (key.frame - frame).abs() < SAME)
    }

    /// Sets the value at a frame: that of the key there, or of a new key. A new one continues the lines or steps of the key before
    /// it. All keys get as many components as the value has.
    pub fn set(&mut self, frame: f64, value: &[f64]) {
        self.widen(value.len());
        if let Some(key) = self.index_at(frame).and_then(|index| self.keys.get_mut(index)) {
            key.value = value.to_vec();
            return;
        }
        let index = self.keys.partition_point(|key| key.frame < frame);
        let before = index.checked_sub(1).and_then(|before| self.keys.get(before)).or(self.keys.first());
        let tangent = match before.map(|key| &key.tangent) {
            Some(kind @ (Tangent::Linear | Tangent::Step)) => kind.clone(),
            _ => Tangent::Auto,
        };
        self.keys.insert(index, Key { frame, value: value.to_vec(), tangent });
    }

    /// Removes the key at a frame. Returns whether there was one.
    pub fn remove(&mut self, frame: f64) -> bool {
        self.index_at(frame).map(|index| self.keys.remove(index)).is_some()
    }

    /// Gives all keys this many components: one number counts for all, and others are cut off or zero.
    pub fn widen(&mut self, count: usize) {
        let wide = |parts: &mut Vec<f64>| {
            let rest = if let [one] = parts.as_slice() { *one } else { 0.0 };
            parts.resize(count, rest);
        };
        for key in &mut self.keys {
            wide(&mut key.value);
            if let Tangent::Free(before, after) = &mut key.tangent {
                wide(before);
                wide(after);
            }
        }
    }

    /// Makes the tangent of a key free, with the slopes that it has.
    pub fn free(&mut self, index: usize) {
        // Keys that nearly touch may have slopes beyond all that a file may give.
        let slope = |slope: f64| if slope.is_nan() { 0.0 } else { slope.clamp(-LARGEST, LARGEST) };
        let slopes = (0..self.components()).map(|part| self.slopes(index, part));
        let slopes: Vec<(f64, f64)> = slopes.map(|(before, after)| (slope(before), slope(after))).collect();
        if let Some(key) = self.keys.get_mut(index)
            && !matches!(key.tangent, Tangent::Free(..))
        {
            let (before, after) = slopes.into_iter().unzip();
            key.tangent = Tangent::Free(before, after);
        }
    }

    /// Sorts the keys by frame. Of several at one frame the one for which `wins` is true stays, or else the first. Returns the
    /// old indices in the new order.
    pub fn sort(&mut self, wins: impl Fn(usize) -> bool) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.keys.len()).collect();
        let frame = |index: &usize| self.keys.get(*index).map_or(0.0, |key| key.frame);
        order.sort_by(|a, b| frame(a).total_cmp(&frame(b)));
        let mut kept: Vec<usize> = Vec::with_capacity(order.len());
        for index in order {
            match kept.last().copied().filter(|last| (frame(&index) - frame(last)).abs() < SAME) {
                Some(last) if wins(index) && !wins(last) => {
                    kept.pop();
                    kept.push(index);
                }
                Some(_) => {}
                None => kept.push(index),
            }
        }
        self.keys = kept.iter().filter_map(|index| self.keys.get(*index).cloned()).collect();
        kept
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(keys: &Keyframes) -> Vec<f64> {
        keys.keys.iter().map(|key| key.frame).collect()
    }

    #[test]
    fn keys_are_set_in_order_and_removed() {
        let mut keys = Keyframes::default();
        keys.set(10.0, &[1.0]);
        keys.set(4.0, &[2.0]);
        keys.set(10.0, &[3.0]);
        assert_eq!((frames(&keys), keys.component(0, 10.0)), (vec![4.0, 10.0], 3.0));
        keys.keys[0].tangent = Tangent::Step;
        keys.set(7.0, &[5.0]);
        assert_eq!(keys.keys[1].tangent, Tangent::Step, "as the one before it");
        assert!(keys.remove(4.0) && !keys.remove(5.0));
        assert_eq!(frames(&keys), [7.0, 10.0]);
        keys.set(8.0, &[1.0, 2.0]);
        assert_eq!(keys.check(), Ok(()));
        assert_eq!(keys.keys[0].value, [5.0, 5.0], "one number counts for all components");
    }

    #[test]
    fn a_free_tangent_starts_with_the_slopes_that_it_had() {
        let mut keys = Keyframes::default();
        [(0.0, [0.0, 1.0]), (5.0, [1.0, 1.0]), (12.0, [9.0, 0.0])].iter().for_each(|(f, v)| keys.set(*f, v));
        let before: Vec<_> = (0..=24).map(|i| keys.at(f64::from(i) * 0.5)).collect();
        (0..3).for_each(|index| keys.free(index));
        assert!(keys.keys.iter().all(|key| matches!(key.tangent, Tangent::Free(..))));
        assert_eq!((0..=24).map(|i| keys.at(f64::from(i) * 0.5)).collect::<Vec<_>>(), before);
    }

    #[test]
    fn of_keys_that_were_moved_to_one_frame_the_moved_one_stays() {
        let mut keys =
            Keyframes::new([(3.0, 0.0), (7.0, 1.0), (3.0, 2.0), (1.0, 3.0)].map(|(f, v)| Key::new(f, vec![v])).into());
        let order = keys.sort(|index| index == 2);
        assert_eq!((order, frames(&keys)), (vec![3, 2, 1], vec![1.0, 3.0, 7.0]));
        assert_eq!(keys.keys[1].value, [2.0]);
    }
}
