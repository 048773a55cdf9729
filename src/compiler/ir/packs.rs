//! Layout of attributes that share one buffer, and of the rows of a neighbour cache.

/// The position of an attribute in a pack of this name: its first word. `words`: size of an attribute.
pub(crate) fn place(pack: &str, attribute: &str, words: impl Fn(&str) -> u32) -> Option<u32> {
    let mut before = 0;
    for name in pack.split('+') {
        if name == attribute {
            return Some(before);
        }
        before += words(name);
    }
    None
}

/// The components of a pack's element, starting at a word.
pub(crate) fn components(first: u32, words: u32) -> &'static str {
    let (first, words) = (first as usize, words as usize);
    "xyzw".get(first..(first + words).min(4)).unwrap_or("x")
}

/// Rows of cells around one.
pub(crate) fn rows(dim: u32) -> u32 {
    if dim == 3 { 9 } else { 3 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_found_in_its_pack() {
        let words = |name: &str| if name == "velocity" { 3 } else { 1 };
        assert_eq!(place("velocity+pressure", "pressure", words), Some(3));
        assert_eq!(place("velocity+pressure", "density", words), None);
        assert_eq!((components(0, 3), components(3, 1), components(2, 2)), ("xyz", "w", "zw"));
    }
}
