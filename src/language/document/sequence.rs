//! Names of files that are numbered by frame: `plate.####.png`, or `plate.%04d.png`.

/// Limit of digits of a number.
const MAX_DIGITS: usize = 12;

/// The path of a sequence of files, whose numbers are in the files' names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    folder: String,
    before: String,
    digits: usize,
    after: String,
}

impl Pattern {
    /// The pattern of a path with `#` for each digit, or with `%d` or `%04d`, in its last part; `None` for the path of one file.
    pub fn from_path(path: &str) -> Option<Pattern> {
        let name = path.rfind('/').map_or(0, |slash| slash + 1);
        let (folder, name) = path.split_at_checked(name)?;
        let (before, digits, after) = match name.find('#') {
            Some(first) => {
                let (before, rest) = name.split_at_checked(first)?;
                let after = rest.trim_start_matches('#');
                (before, rest.len() - after.len(), after)
            }
            None => {
                let (before, rest) = name.split_once('%')?;
                let (digits, after) = rest.split_once('d')?;
                let digits = if digits.is_empty() { 1 } else { digits.strip_prefix('0')?.parse().ok()? };
                (before, digits, after)
            }
        };
        let text = String::from;
        (1..=MAX_DIGITS).contains(&digits).then(|| Pattern {
            folder: text(folder),
            before: text(before),
            digits,
            after: text(after),
        })
    }

    /// The folder of the files, with a slash at its end; empty where there is none.
    pub fn folder(&self) -> &str {
        &self.folder
    }

    /// The path of the file with a number.
    pub fn path(&self, number: u64) -> String {
        let Pattern { folder, before, digits, after } = self;
        format!("{folder}{before}{number:0digits$}{after}")
    }

    /// The number of a file by its name, without its folder; `None` where it does not belong to the sequence.
    pub fn number(&self, name: &str) -> Option<u64> {
        let digits = name.strip_prefix(self.before.as_str())?.strip_suffix(self.after.as_str())?;
        let fits = digits.len() == self.digits || digits.len() > self.digits && !digits.starts_with('0');
        let number = fits && digits.len() <= MAX_DIGITS && digits.bytes().all(|digit| digit.is_ascii_digit());
        digits.parse().ok().filter(|_| number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found_where_the_path_has_signs_for_them() {
        for path in ["a/plate.####.png", "a/plate.%04d.png"] {
            let plate = Pattern::from_path(path).unwrap();
            assert_eq!((plate.folder(), plate.path(7).as_str()), ("a/", "a/plate.0007.png"));
            assert_eq!(plate.path(12_345), "a/plate.12345.png");
            let numbers = ["plate.0007.png", "plate.12345.png", "plate.00007.png", "plate.7.png", "plate.+007.png"];
            assert_eq!(numbers.map(|name| plate.number(name)), [Some(7), Some(12_345), None, None, None]);
        }
        assert_eq!(Pattern::from_path("#.png").unwrap().number("10.png"), Some(10));
        for path in ["plate.0001.png", "a#/plate.png", "100%.png", "%s.png", "%4d.png", "#############.png"] {
            assert_eq!(Pattern::from_path(path), None, "{path}");
        }
    }
}
