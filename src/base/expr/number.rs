//! Values of expressions: scalars and vectors of up to four components.

use std::collections::BTreeMap;

/// Numbers that an expression may name, with their values.
pub type Numbers = BTreeMap<String, Number>;

/// A scalar or a vector of up to four components; those from `len` on are zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// 1..=4
    pub len: usize,
    /// The components.
    pub v: [f64; 4],
}

impl Number {
    /// A number with one component.
    pub fn scalar(x: f64) -> Number {
        Number { len: 1, v: [x, 0.0, 0.0, 0.0] }
    }

    /// Number with these components; `None` unless there are one to four.
    pub fn vector(components: &[f64]) -> Option<Number> {
        let mut v = [0.0; 4];
        v.get_mut(..components.len()).filter(|part| !part.is_empty())?.copy_from_slice(components);
        Some(Number { len: components.len(), v })
    }

    /// The components, 1 to 4.
    pub fn as_slice(&self) -> &[f64] {
        self.v.get(..self.len).unwrap_or(&self.v)
    }

    pub(super) fn map(self, f: impl Fn(f64) -> f64) -> Number {
        let mut v = self.v;
        v.iter_mut().take(self.len).for_each(|x| *x = f(*x));
        Number { len: self.len, v }
    }

    /// Componentwise; a scalar counts as a vector of equal components. `None` when two vectors differ in length.
    pub(super) fn zip(self, other: Number, f: impl Fn(f64, f64) -> f64) -> Option<Number> {
        let len = self.len.max(other.len);
        if (self.len != len && self.len != 1) || (other.len != len && other.len != 1) {
            return None;
        }
        let (a, b) = (self.spread(), other.spread());
        let mut v = [0.0; 4];
        (0..len).for_each(|i| v[i] = f(a[i], b[i]));
        Some(Number { len, v })
    }

    pub(super) fn spread(self) -> [f64; 4] {
        if self.len == 1 { [self.v[0]; 4] } else { self.v }
    }

    pub(super) fn pair([x, y]: [f64; 2]) -> Number {
        Number { len: 2, v: [x, y, 0.0, 0.0] }
    }
}
