//! Edits of a text by byte offsets, from its beginning to its end.

/// A text while parts of it are replaced.
pub struct Edits<'a> {
    source: &'a str,
    out: String,
    copied: usize,
}

impl<'a> Edits<'a> {
    pub(crate) fn new(source: &'a str) -> Edits<'a> {
        Edits { source, out: String::with_capacity(source.len()), copied: 0 }
    }

    /// Replaces the text between two offsets. An edit that begins before the end of the previous one is ignored.
    pub(crate) fn replace(&mut self, from: usize, until: usize, text: &str) {
        let (Some(before), Some(_)) = (self.source.get(self.copied..from), self.source.get(from..until)) else {
            return;
        };
        self.out.push_str(before);
        self.out.push_str(text);
        self.copied = until;
    }

    pub(crate) fn insert(&mut self, at: usize, text: &str) {
        self.replace(at, at, text);
    }

    /// Replaces the text between two offsets, padding a shorter text with blanks and line breaks, so that everything after it
    /// keeps its line and column.
    pub(crate) fn overwrite(&mut self, from: usize, until: usize, text: &str) {
        let removed = self.source.get(from..until).unwrap_or_default();
        let fill = removed.chars().enumerate().filter_map(|(at, c)| match c {
            '\n' | '\r' => Some(c),
            _ => (at >= text.len()).then_some(' '),
        });
        let text: String = text.chars().chain(fill).collect();
        self.replace(from, until, &text);
    }

    pub(crate) fn finish(mut self) -> String {
        self.out.push_str(self.source.get(self.copied..).unwrap_or_default());
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::Edits;

    fn edited(edit: impl Fn(&mut Edits<'_>)) -> String {
        let mut edits = Edits::new("one two\nthree");
        edit(&mut edits);
        edits.finish()
    }

    #[test]
    fn parts_are_replaced_in_order() {
        assert_eq!(edited(|e| (e.replace(0, 3, "1"), e.insert(4, "=")).0), "1 =two\nthree");
        assert_eq!(edited(|e| (e.replace(4, 7, "2"), e.replace(0, 3, "1")).0), "one 2\nthree", "in order only");
        assert_eq!(edited(|e| e.replace(4, 99, "")), "one two\nthree");
    }

    #[test]
    fn what_follows_keeps_its_line_and_column() {
        assert_eq!(edited(|e| e.overwrite(0, 7, "x")), "x      \nthree");
        assert_eq!(edited(|e| e.overwrite(4, 9, "x")), "one x  \n hree");
    }
}
