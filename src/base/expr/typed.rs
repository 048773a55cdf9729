//! Numbers as people type them where one number is expected: `0.8`, `0,8` and `1,048,576`.

/// Reads a number that is written with a point or a comma. `whole`: a whole number is expected, in which a comma can only separate
/// thousands. `None` where the text is no number at all, but perhaps an expression.
///
/// # Errors
/// A comma that can be read in two ways, or in none, in one sentence.
pub fn number(text: &str, whole: bool) -> Option<Result<f64, String>> {
    let text = text.trim();
    let plain = text.replace('\u{2212}', "-");
    let finite = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
    let unsigned = plain.trim_start_matches(['-', '+']);
    let written = |c: char| c.is_ascii_digit() || [',', '.', 'e', 'E', '-', '+'].contains(&c);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == ',' || c == '.') || !unsigned.chars().all(written) {
        return None;
    }
    if !plain.contains(',') {
        return finite(&plain).map(Ok);
    }
    let wrong = || format!("`{text}` is not one number; write it with a point, such as 0.8");
    let grouped = finite(&plain.replace(',', "")).filter(|_| in_thousands(unsigned));
    let digit_follows = plain.split_once(',').is_some_and(|(_, rest)| rest.starts_with(|c: char| c.is_ascii_digit()));
    let decimal =
        finite(&plain.replacen(',', ".", 1)).filter(|_| digit_follows && plain.matches([',', '.']).count() == 1);
    Some(match (grouped, decimal) {
        (Some(grouped), None) => Ok(grouped),
        (Some(grouped), Some(_)) if whole => Ok(grouped),
        (Some(grouped), Some(decimal)) => Err(format!(
            "`{text}` can be read as {decimal} and as {grouped}; write it with a point, or without a comma"
        )),
        (None, Some(decimal)) if !whole || decimal.fract() == 0.0 => Ok(decimal),
        (None, Some(_)) => Err(format!("`{text}` is not a whole number; write one without a comma, such as 240")),
        (None, None) => Err(wrong()),
    })
}

/// Whether the commas of a number without a sign separate groups of three digits before its point, of which the first does not begin
/// with zero.
fn in_thousands(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut groups = whole.split(',');
    let digits = |group: &str, counts: std::ops::RangeInclusive<usize>| {
        counts.contains(&group.len()) && group.bytes().all(|byte| byte.is_ascii_digit())
    };
    let first = groups.next().is_some_and(|first| digits(first, 1..=3) && !first.starts_with('0'));
    first && groups.all(|group| digits(group, 3..=3)) && !fraction.contains(',') && !text.contains(['e', 'E'])
}

/// Whether a text has a comma outside of all brackets, so that it is more than one value.
pub fn is_list(text: &str) -> bool {
    let mut depth = 0i64;
    text.chars().any(|c| {
        depth += i64::from("([{".contains(c)) - i64::from(")]}".contains(c));
        c == ',' && depth <= 0
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comma_is_a_decimal_point_where_one_number_is_expected() {
        for (text, wanted) in [
            ("0,8", 0.8),
            (" -0,8 ", -0.8),
            ("\u{2212}0,8", -0.8),
            ("+1,5", 1.5),
            (",5", 0.5),
            ("0,125", 0.125),
            ("12,5e-3", 0.0125),
            ("1,5", 1.5),
            ("1000,5", 1000.5),
            ("1,0005", 1.0005),
            ("0.8", 0.8),
            ("1e3", 1000.0),
            ("1,048,576", 1_048_576.0),
            ("1,234.5", 1234.5),
        ] {
            assert_eq!(number(text, false), Some(Ok(wanted)), "{text:?}");
        }
        for text in ["1,250", "12,000", "1.234,5", "1,2,3", "1,", ",", "1,2e", "0,8,", "1,,2", "1,23,456"] {
            assert!(number(text, false).is_some_and(|read| read.is_err()), "{text:?}: {:?}", number(text, false));
        }
        for text in ["", "x", "sin(1,2)", "[1, 2]", "1, 2", "inf", "nan", "-", "min(1,2)", "e5", "2 * h", "0x10"] {
            assert_eq!(number(text, false), None, "{text:?}");
        }
    }

    #[test]
    fn in_a_whole_number_a_comma_separates_thousands() {
        for (text, wanted) in [("1,250", 1250.0), ("1,048,576", 1_048_576.0), ("240", 240.0), ("2,0", 2.0)] {
            assert_eq!(number(text, true), Some(Ok(wanted)), "{text:?}");
        }
        for text in ["1,5", "12,50", "1,2,3"] {
            assert!(number(text, true).is_some_and(|read| read.is_err()), "{text:?}");
        }
    }

    #[test]
    fn commas_between_arguments_are_no_list() {
        for (text, list) in [
            ("0,8 * time", true),
            ("min(1, 2), 3", true),
            ("2], [3", true),
            ("min(1, 2)", false),
            ("[1, 2].x", false),
            ("if a > b { min(1, 2) } else { 3 }", false),
        ] {
            assert_eq!(is_list(text), list, "{text}");
        }
    }
}
