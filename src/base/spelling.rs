//! Finds similar names, for "did you mean" in messages.

/// The names that are similar to a misspelt one, the most similar first.
pub fn close_names<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let scored = candidates.into_iter().map(|name| (edit_distance(wanted, name), name));
    let mut close: Vec<(usize, &str)> = scored.filter(|(distance, _)| *distance <= wanted.len() / 3 + 1).collect();
    close.sort_unstable();
    close.into_iter().map(|(_, name)| name).collect()
}

/// Levenshtein distance \[characters\].
pub fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        let mut next = vec![left];
        for (cb, above) in b.iter().zip(row.iter().skip(1)) {
            left = (diagonal + usize::from(ca != *cb)).min(left + 1).min(above + 1);
            diagonal = *above;
            next.push(left);
        }
        row = next;
    }
    row.last().copied().unwrap_or(0)
}
