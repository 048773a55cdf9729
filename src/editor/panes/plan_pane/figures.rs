//! Numbers as text.

/// `12.5 KiB`
pub(crate) fn bytes(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB"] {
        if value < 1024.0 {
            return format!("{value:.*} {unit}", usize::from(unit != "B"));
        }
        value /= 1024.0;
    }
    format!("{value:.1} GiB")
}

/// Milliseconds with three decimals, so that the digits of a column are aligned.
pub(super) fn ms(ms: f64) -> String {
    format!("{ms:.3}")
}

/// `3.4 %`
pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// `512 x 8`
pub(super) fn product(numbers: &[u32]) -> String {
    let last = numbers.iter().rposition(|n| *n != 1).unwrap_or(0);
    let numbers: Vec<String> = numbers.iter().take(last + 1).map(u32::to_string).collect();
    numbers.join("×")
}

/// `1 dispatch`, `2 dispatches`
pub(super) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
