//! Points that fill a box evenly, for `--random`.

/// The coordinates, in 0..1, of a point of the R sequence, which is of low discrepancy: any number of its first points lie about
/// evenly, so a sweep of more points contains that of fewer. The seed shifts all of them.
/// Source: Roberts 2018, "The Unreasonable Effectiveness of Quasirandom Sequences"; shift: Cranley and Patterson 1976.
pub(super) fn point(index: u64, seed: u64, dimensions: usize) -> Vec<f64> {
    let root = root(dimensions);
    let mut factor = 1.0;
    let coordinate = |dimension: usize| {
        factor /= root;
        (shift(seed, dimension as u64) + (index as f64 + 1.0) * factor).fract()
    };
    (0..dimensions).map(coordinate).collect()
}

/// The positive root of x^(d + 1) = x + 1: the golden ratio for one dimension.
fn root(dimensions: usize) -> f64 {
    let power = 1.0 / (dimensions as f64 + 1.0);
    (0..64).fold(1.5, |root: f64, _| (1.0 + root).powf(power))
}

/// A number in 0..1 for each dimension, by the finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn shift(seed: u64, dimension: u64) -> f64 {
    let mut bits = seed.wrapping_add(dimension.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^= bits >> 31;
    (bits >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_fill_every_part_of_the_box() {
        for (dimensions, parts) in [(1, 32_usize), (2, 6), (3, 3)] {
            let cells = parts.pow(dimensions as u32);
            for seed in [0, 1, 77] {
                let mut count = vec![0; cells];
                for index in 0..4 * cells as u64 {
                    let point = point(index, seed, dimensions);
                    assert!(point.iter().all(|x| (0.0..1.0).contains(x)));
                    let cell = point.iter().fold(0, |cell, x| cell * parts + (x * parts as f64) as usize);
                    count[cell] += 1;
                }
                let (least, most) = (count.iter().min().unwrap(), count.iter().max().unwrap());
                assert!(*least >= 1 && *most <= 8, "{dimensions} dimensions, seed {seed}: {least} to {most} of 4");
            }
        }
        assert_ne!(point(0, 1, 2), point(0, 2, 2));
    }
}
