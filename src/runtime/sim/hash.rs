//! FNV-1a with 128 bits: a hash of results that is the same on every machine and in every version.
//!
//! It detects differences and is not cryptographic: anyone can construct two texts with the same hash.

/// A hash in progress.
#[derive(Clone, Copy, Debug)]
pub struct Fnv(u128);

/// Offset basis and prime: Fowler, Noll, Vo and Eastlake, RFC 9923.
const BASIS: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(BASIS)
    }
}

impl Fnv {
    /// The hash after these bytes.
    pub fn bytes(mut self, bytes: &[u8]) -> Fnv {
        for byte in bytes {
            self.0 = (self.0 ^ u128::from(*byte)).wrapping_mul(PRIME);
        }
        self
    }

    /// Words in little-endian byte order.
    pub fn words(mut self, words: &[u32]) -> Fnv {
        for word in words {
            self = self.bytes(&word.to_le_bytes());
        }
        self
    }

    /// The hash of the input so far.
    pub fn value(self) -> u128 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Test vectors of the authors.
    #[test]
    fn hashes_are_those_of_the_standard() {
        for (text, hash) in [
            ("", 0x6c62272e07bb014262b821756295c58d),
            ("a", 0xd228cb696f1a8caf78912b704e4a8964),
            ("foobar", 0x343e1662793c64bf6f0d3597ba446f18),
        ] {
            assert_eq!(Fnv::default().bytes(text.as_bytes()).value(), hash, "{text:?}");
        }
        assert_eq!(Fnv::default().words(&[0x6f6f_6661]).value(), Fnv::default().bytes(b"afoo").value());
    }
}
