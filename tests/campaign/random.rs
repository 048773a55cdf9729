//! Random numbers that are the same on every machine, so that a case is known by target, seed and index.

/// SplitMix64 (Steele, Lea and Flood 2014).
pub struct Random(u64);

impl Random {
    /// The stream of one case.
    pub fn of_case(target: &str, seed: u64, index: u64) -> Random {
        // FNV-1a of the name: streams of different targets do not follow each other.
        let name = target.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
        });
        let mut random = Random(name ^ seed.wrapping_mul(0xd134_2543_de82_ef95));
        random.0 = random.next().wrapping_add(index.wrapping_mul(0x2545_f491_4f6c_dd1d));
        random
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `count`, 0 where there is none.
    pub fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }

    /// 1 half of the time, 2 a quarter of the time and so on, up to `most`.
    pub fn few(&mut self, most: usize) -> usize {
        (self.next().trailing_ones() as usize + 1).min(most)
    }
}
