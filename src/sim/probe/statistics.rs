//! What a look at a wire brought back, as numbers.

use serde::Serialize;

use crate::gpu::wire_view::found;

/// Statistics of what a view shows of a wire: one scalar an element, for colours their luminance.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Elements: cells, living particles, one for a number. Faces count as the cells that they are averaged to.
    pub count: u64,
    /// Those that are neither NaN nor infinite; the rest of the figures is about them.
    pub finite: u64,
    pub nan: u64,
    pub infinite: u64,
    /// Zero where nothing is finite, as are the others.
    pub min: f64,
    pub max: f64,
    pub mean: f64,
    /// Root mean square.
    pub rms: f64,
    /// Values of the first and the last colour.
    pub range: (f64, f64),
    /// How many values lie in each of 64 bins between `edges`; an upper edge belongs to the next bin, that of the last to it.
    pub histogram: Vec<u64>,
    /// 65 numbers from least to greatest.
    pub edges: Vec<f64>,
}

impl Statistics {
    /// `None` when words are missing.
    pub(super) fn from_words(words: &[u32]) -> Option<Statistics> {
        let (known, sums) = words.split_at_checked(found::WORDS)?;
        let float = |at: usize| known.get(at).map(|w| f64::from(f32::from_bits(*w)));
        let whole = |at: usize| known.get(at).map(|w| u64::from(*w));
        let finite = whole(found::FINITE)?;
        // Each sum, and what rounding took from it, times `inverse`.
        let total = |first: usize| {
            let parts = sums.chunks_exact(4).map(|s| s.iter().skip(first).take(2));
            parts.flatten().map(|w| f64::from(f32::from_bits(*w))).sum::<f64>()
        };
        let (n, inverse) = (finite.max(1) as f64, float(found::INVERSE)?.max(f64::MIN_POSITIVE));
        let [least, most] = [!*known.first()?, *known.get(1)?].map(from_key);
        let some = |value: f64| if finite > 0 { value } else { 0.0 };
        Some(Statistics {
            count: whole(found::COUNT)?,
            finite,
            nan: whole(found::NANS)?,
            infinite: whole(found::INFINITE)?,
            min: some(least),
            max: some(most),
            mean: some(total(0) / n / inverse),
            rms: some((total(2) / n).sqrt() / inverse),
            range: (float(found::LOW)?, float(found::HIGH)?),
            histogram: (found::BINS..found::PICKED).filter_map(whole).collect(),
            edges: (found::EDGES..found::BINS).filter_map(float).collect(),
        })
    }
}

/// The float of an integer that has the order of floats.
fn from_key(key: u32) -> f64 {
    let bits = if key >> 31 == 1 { key & 0x7fff_ffff } else { !key };
    f64::from(f32::from_bits(bits))
}

/// The element under the pointer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Place of the cell, x fastest, or of the particle.
    pub index: u64,
    /// The cell along x, y, z, where it is one.
    pub cell: Option<[u32; 3]>,
    /// Centre of the cell, or place of the particle \[m\].
    pub position: Option<[f64; 3]>,
    /// All components as they are in memory, whatever is shown. Of faces: lower and upper along x, then y, then z.
    pub components: Vec<f64>,
}
