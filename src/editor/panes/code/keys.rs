//! Editing keys beyond plain typing. Places are counted in characters.

use std::ops::Range;

/// One step of indentation.
const STEP: usize = 4;
const COMMENT: &str = "//";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Indent,
    Unindent,
    /// A new line, indented as the one before.
    Break,
    /// Comments or uncomments lines.
    Comment,
}

/// A text and its selection; the caret is at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edited {
    pub text: String,
    pub selection: Range<usize>,
}

/// Carries out an action on the selection, whose ends may lie beyond the text.
pub(super) fn act(text: &str, selection: Range<usize>, action: Action) -> Edited {
    let characters: Vec<char> = text.chars().collect();
    let start = selection.start.min(selection.end).min(characters.len());
    let end = selection.start.max(selection.end).min(characters.len());
    let several = characters.get(start..end).is_some_and(|chosen| chosen.contains(&'\n'));
    match action {
        Action::Break => insert(&characters, start..end, &line_break(&characters, start)),
        Action::Indent if !several => {
            let column = start - line_start(&characters, start);
            insert(&characters, start..end, &" ".repeat(STEP - column % STEP))
        }
        Action::Indent => {
            lines(&characters, start..end, |line| if line.is_empty() { String::new() } else { " ".repeat(STEP) + line })
        }
        Action::Unindent => lines(&characters, start..end, |line| {
            let blanks = line.chars().take(STEP).take_while(|c| *c == ' ').count();
            let tab = usize::from(blanks == 0 && line.starts_with('\t'));
            line.get(blanks + tab..).unwrap_or_default().to_string()
        }),
        Action::Comment => comment(&characters, start..end),
    }
}

fn insert(characters: &[char], range: Range<usize>, new: &str) -> Edited {
    let text = characters.iter().take(range.start).copied();
    let text = text.chain(new.chars()).chain(characters.iter().skip(range.end).copied()).collect();
    let caret = range.start + new.chars().count();
    Edited { text, selection: caret..caret }
}

/// The text that Enter inserts: a line break with the indentation of the line, and one step more after an opening bracket.
fn line_break(characters: &[char], at: usize) -> String {
    let line = characters.get(line_start(characters, at)..at).unwrap_or_default();
    let indentation: String = line.iter().take_while(|c| matches!(**c, ' ' | '\t')).collect();
    let opens = line.iter().rev().find(|c| !c.is_whitespace()).is_some_and(|c| matches!(*c, '{' | '(' | '['));
    format!("\n{indentation}{}", if opens { " ".repeat(STEP) } else { String::new() })
}

fn line_start(characters: &[char], at: usize) -> usize {
    characters.iter().take(at).rposition(|c| *c == '\n').map_or(0, |position| position + 1)
}

/// The lines that a selection touches; one that only begins at its end is not touched.
fn touched(characters: &[char], range: &Range<usize>) -> Range<usize> {
    let first = line_start(characters, range.start);
    let end_of_line = range.end > range.start && characters.get(range.end.wrapping_sub(1)) == Some(&'\n');
    let from = if end_of_line { range.end - 1 } else { range.end };
    let last = characters.iter().skip(from).position(|c| *c == '\n').map_or(characters.len(), |ahead| from + ahead);
    first..last
}

/// Changes the touched lines one by one. The selection grows to them, or the caret stays where it was in its line.
fn lines(characters: &[char], range: Range<usize>, change: impl Fn(&str) -> String) -> Edited {
    let whole = touched(characters, &range);
    let before: String = characters.get(whole.clone()).unwrap_or_default().iter().collect();
    let after = before.split('\n').map(change).collect::<Vec<_>>().join("\n");
    let (old, new) = (before.chars().count(), after.chars().count());
    let Edited { text, .. } = insert(characters, whole.clone(), &after);
    let selection = if range.is_empty() {
        let caret = (range.start + new).saturating_sub(old).clamp(whole.start, whole.start + new);
        caret..caret
    } else {
        whole.start..whole.start + new
    };
    Edited { text, selection }
}

fn comment(characters: &[char], range: Range<usize>) -> Edited {
    let whole = touched(characters, &range);
    let text: String = characters.get(whole).unwrap_or_default().iter().collect();
    let written = || text.split('\n').filter(|line| !line.trim().is_empty());
    if written().all(|line| line.trim_start().starts_with(COMMENT)) {
        return lines(characters, range, |line| {
            let Some((blanks, rest)) = line.split_once(COMMENT) else { return line.to_string() };
            format!("{blanks}{}", rest.strip_prefix(' ').unwrap_or(rest))
        });
    }
    let indentation = |line: &str| line.chars().take_while(|c| matches!(*c, ' ' | '\t')).count();
    let column = written().map(indentation).min().unwrap_or(0);
    lines(characters, range, |line| match line.split_at_checked(column) {
        Some((blanks, rest)) if !line.trim().is_empty() => format!("{blanks}{COMMENT} {rest}"),
        _ => line.to_string(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `[` and `]` mark the ends of the selection, `|` a caret.
    fn after(text: &str, action: Action) -> String {
        let places: Vec<usize> =
            text.chars().enumerate().filter(|(_, c)| "[]|".contains(*c)).map(|(at, _)| at).collect();
        let selection = match places[..] {
            [caret] => caret..caret,
            [start, end] => start..end - 1,
            _ => panic!("{text}"),
        };
        let plain: String = text.chars().filter(|c| !"[]|".contains(*c)).collect();
        let Edited { text, selection } = act(&plain, selection, action);
        let mut out: Vec<char> = text.chars().collect();
        if selection.is_empty() {
            out.insert(selection.start, '|');
        } else {
            out.insert(selection.end, ']');
            out.insert(selection.start, '[');
        }
        out.into_iter().collect()
    }

    #[test]
    fn enter_keeps_the_indentation_and_goes_in_behind_a_bracket() {
        assert_eq!(after("    a;|", Action::Break), "    a;\n    |");
        assert_eq!(after("  if (x) { |", Action::Break), "  if (x) { \n      |");
        assert_eq!(after("ab|cd", Action::Break), "ab\n|cd");
        assert_eq!(after("  |  a", Action::Break), "  \n  |  a", "blanks behind the caret are there already");
        assert_eq!(after("  π[ab]c", Action::Break), "  π\n  |c");
    }

    #[test]
    fn tab_indents_lines_or_fills_up_to_the_next_step() {
        assert_eq!(after("|a", Action::Indent), "    |a");
        assert_eq!(after("ab|", Action::Indent), "ab  |");
        assert_eq!(after("x\na[b\n\nc]d\ne", Action::Indent), "x\n[    ab\n\n    cd]\ne");
        assert_eq!(after("[a\n]b", Action::Indent), "[    a]\nb", "the second line is not touched");
    }

    #[test]
    fn shift_tab_takes_up_to_one_step_away() {
        assert_eq!(after("      a|", Action::Unindent), "  a|");
        assert_eq!(after("\ta|", Action::Unindent), "a|");
        assert_eq!(after("[    a\n  b\nc]", Action::Unindent), "[a\nb\nc]");
        assert_eq!(after("x\n |   a", Action::Unindent), "x\n|a");
    }

    #[test]
    fn comments_go_on_and_off() {
        let (plain, commented) = ("[    a\n\n      b]", "[    // a\n\n    //   b]");
        assert_eq!(after(plain, Action::Comment), commented);
        assert_eq!(after(commented, Action::Comment), plain);
        assert_eq!(after("//a|", Action::Comment), "a|");
        assert_eq!(after("a|", Action::Comment), "// a|");
    }

    #[test]
    fn nothing_breaks_at_the_ends_or_beyond() {
        for action in [Action::Indent, Action::Unindent, Action::Break, Action::Comment] {
            for text in ["", "\n", "a", "🦀\n\r\n\t", "\n\n\n"] {
                for start in 0..6 {
                    for end in 0..6 {
                        let Edited { text, selection } = act(text, start..end, action);
                        assert!(selection.end <= text.chars().count(), "{text:?} {selection:?}");
                    }
                }
            }
        }
    }
}
