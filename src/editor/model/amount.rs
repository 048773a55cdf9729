//! Amounts of memory.

/// An amount of memory as text.
pub(crate) fn amount(bytes: f64) -> String {
    match bytes {
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.0} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_amount_has_the_unit_of_its_size() {
        assert_eq!([4e5, 2.5e8, 3e9].map(amount), ["400 kB", "250 MB", "3.0 GB"]);
    }
}
