//! The results of a view as numbers.

use serde::Serialize;

use crate::gpu::wire_view::found;

/// Statistics of what a view shows of a wire: one scalar an element, the luminance for colours.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Statistics {
    /// Elements: cells, live particles, one for a number. Faces count as the cells that they are averaged to.
    pub count: u64,
    /// Elements that are neither NaN nor infinite. All other figures are about these.
    pub finite: u64,
    /// Number of elements that are NaN.
    pub nan: u64,
    /// Number of elements that are infinite.
    pub infinite: u64,
    /// Zero where no value is finite, like the others.
    pub min: f64,
    /// The largest finite value.
    pub max: f64,
    /// The mean of all finite values.
    pub mean: f64,
    /// Root mean square.
    pub rms: f64,
    /// Values of the first and the last colour.
    pub range: (f64, f64),
    /// How many values lie in each of 64 bins between `edges`. A value on an edge belongs to the bin above it, or to
    /// the last bin.
    pub histogram: Vec<u64>,
    /// 65 bin edges from minimum to maximum.
    pub edges: Vec<f64>,
}

impl Statistics {
    /// Decodes the statistics from the GPU's words; `None` when words are missing.
    pub(super) fn from_words(words: &[u32]) -> Option<Statistics> {
        let (header, sums) = words.split_at_checked(found::WORDS)?;
        let float = |at: usize| header.get(at).map(|w| f64::from(f32::from_bits(*w)));
        let whole = |at: usize| header.get(at).map(|w| u64::from(*w));
        let finite = whole(found::FINITE)?;
        // Each sum and its rounding error, times `inverse`.
        let total = |first: usize| {
            let parts = sums.chunks_exact(4).map(|s| s.iter().skip(first).take(2));
            parts.flatten().map(|w| f64::from(f32::from_bits(*w))).sum::<f64>()
        };
        let (n, inverse) = (finite.max(1) as f64, float(found::INVERSE)?.max(f64::MIN_POSITIVE));
        let [least, most] = [!*header.first()?, *header.get(1)?].map(from_key);
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

/// The float of an integer key that sorts like the float.
fn from_key(key: u32) -> f64 {
    let bits = if key >> 31 == 1 { key & 0x7fff_ffff } else { !key };
    f64::from(f32::from_bits(bits))
}

/// The element under the pointer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Sample {
    /// Index of the cell, x fastest, or of the particle.
    pub index: u64,
    /// The cell along x, y, z, if the element is a cell.
    pub cell: Option<[u32; 3]>,
    /// Centre of the cell, or position of the particle \[m\].
    pub position: Option<[f64; 3]>,
    /// All components as stored, whatever is shown. For faces: lower and upper along x, then y, then z.
    pub components: Vec<f64>,
}
