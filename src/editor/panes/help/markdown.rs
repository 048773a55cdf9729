//! The part of Markdown that the documentation uses, as blocks of styled text.

/// A piece of text in one style.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Span {
    pub text: String,
    pub code: bool,
    pub strong: bool,
    pub emphasis: bool,
    /// Where a click leads.
    pub link: Option<String>,
}

/// What stands below each other on a page.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Block {
    /// A title and its level, from 1.
    Heading(usize, Vec<Span>),
    Text(Vec<Span>),
    /// An item of a list with its indentation, from 0, and its bullet or number.
    Item(usize, String, Vec<Span>),
    Code(String),
    /// Rows of cells; the first row is the head.
    Table(Vec<Vec<Vec<Span>>>),
}

/// The blocks of a page. Images and comments are left out.
pub(super) fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let text = line.trim();
        if let Some(fence) = text.strip_prefix("```").map(|_| "```") {
            let code: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != fence).collect();
            blocks.push(Block::Code(code.join("\n")));
        } else if text.starts_with("<!--") {
            if !text.contains("-->") {
                lines.by_ref().find(|line| line.contains("-->"));
            }
        } else if let Some((level, title)) = heading(text) {
            blocks.push(Block::Heading(level, spans(title)));
        } else if text.starts_with('|') {
            let mut rows = vec![cells(text)];
            while let Some(row) = lines.next_if(|line| line.trim().starts_with('|')) {
                rows.extend((!is_rule(row)).then(|| cells(row.trim())));
            }
            blocks.push(Block::Table(rows));
        } else if !text.is_empty() && !text.starts_with('<') && !text.starts_with("![") {
            // A paragraph or an item goes on until something else begins.
            let item = item(text);
            let mut whole = item.as_ref().map_or(text, |(_, rest)| rest).to_string();
            while let Some(more) = lines.next_if(|line| continues(line)) {
                whole = format!("{whole} {}", more.trim());
            }
            let depth = (line.len() - line.trim_start().len()) / 2;
            blocks.push(match item {
                Some((mark, _)) => Block::Item(depth, mark, spans(&whole)),
                None => Block::Text(spans(whole.trim_start_matches("> "))),
            });
        }
    }
    blocks
}

fn heading(text: &str) -> Option<(usize, &str)> {
    let level = text.chars().take_while(|c| *c == '#').count();
    let title = text.get(level..)?.strip_prefix(' ')?;
    (1..=6).contains(&level).then_some((level, title))
}

/// The mark of a list's item, and its text.
fn item(text: &str) -> Option<(String, &str)> {
    if let Some(rest) = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")) {
        return Some(("•".into(), rest));
    }
    let (number, rest) = text.split_once(". ")?;
    number.parse::<u32>().ok().map(|number| (format!("{number}."), rest))
}

fn continues(line: &str) -> bool {
    let text = line.trim();
    let begins = ["```", "|", "<", "!["].iter().any(|sign| text.starts_with(sign));
    !text.is_empty() && !begins && heading(text).is_none() && item(text).is_none()
}

/// The line between the head of a table and its rows.
fn is_rule(row: &str) -> bool {
    row.trim().chars().all(|c| matches!(c, '|' | '-' | ':' | ' '))
}

/// The cells of a row. A bar within code does not separate.
fn cells(row: &str) -> Vec<Vec<Span>> {
    let inner = row.strip_prefix('|').unwrap_or(row);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut cells = vec![String::new()];
    let mut code = false;
    let mut escaped = false;
    for c in inner.chars() {
        code ^= c == '`' && !escaped;
        if c == '|' && !code && !escaped {
            cells.push(String::new());
        } else if let Some(cell) = cells.last_mut() {
            if c == '|' && escaped {
                cell.pop();
            }
            cell.push(c);
        }
        escaped = c == '\\';
    }
    cells.iter().map(|cell| spans(cell.trim())).collect()
}

/// Text by style.
fn spans(text: &str) -> Vec<Span> {
    let mut found = Vec::new();
    styled(text, &Span::default(), &mut found);
    found
}

/// Adds text that lies within a style. A mark without a partner is text.
fn styled(text: &str, style: &Span, found: &mut Vec<Span>) {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let Some((inside, whole, link)) = marked(rest) else {
            let escaped = rest.strip_prefix('\\').and_then(|after| after.chars().next());
            let (shown, length) = match escaped.filter(char::is_ascii_punctuation) {
                Some(c) => (c, 1 + c.len_utf8()),
                None => (first, first.len_utf8()),
            };
            plain.push(shown);
            rest = rest.get(length..).unwrap_or_default();
            continue;
        };
        push(found, style, &std::mem::take(&mut plain));
        match (first, link) {
            ('`', _) => push(found, &Span { code: true, ..style.clone() }, inside),
            (_, Some(link)) => styled(inside, &Span { link: Some(link.into()), ..style.clone() }, found),
            _ if whole > inside.len() + 2 => styled(inside, &Span { strong: true, ..style.clone() }, found),
            _ => styled(inside, &Span { emphasis: true, ..style.clone() }, found),
        }
        rest = rest.get(whole..).unwrap_or_default();
    }
    push(found, style, &plain);
}

fn push(found: &mut Vec<Span>, style: &Span, text: &str) {
    if !text.is_empty() {
        found.push(Span { text: text.into(), ..style.clone() });
    }
}

/// What a mark at the beginning encloses, the length with its marks, and where it leads if it is a link.
fn marked(text: &str) -> Option<(&str, usize, Option<&str>)> {
    for mark in ["`", "**", "*"] {
        let Some(after) = text.strip_prefix(mark) else { continue };
        let end = after.find(mark).filter(|end| *end > 0)?;
        let inside = after.get(..end)?;
        let tight = mark == "`" || (!inside.starts_with(' ') && !inside.ends_with(' '));
        return tight.then_some((inside, inside.len() + 2 * mark.len(), None));
    }
    let (label, after) = text.strip_prefix('[')?.split_once("](")?;
    let (target, _) = after.split_once(')')?;
    let whole = label.len() + target.len() + 4;
    (!label.contains(['[', '\n'])).then_some((label, whole, Some(target)))
}

/// Text without its styles.
pub(super) fn plain(spans: &[Span]) -> String {
    spans.iter().map(|span| span.text.as_str()).collect()
}

/// The name by which links refer to a heading.
pub(super) fn anchor(spans: &[Span]) -> String {
    let text = plain(spans).to_lowercase();
    let kept = text.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Span {
        Span { text: text.into(), ..Span::default() }
    }

    #[test]
    fn a_page_becomes_blocks() {
        let page = "# The *title*\n\nA line\nand `more`.\n\n- one\n  and its end\n  - inside\n2. two\n\n```wgsl\nlet a = 1;\n\n// *b*\n```\n\
                    <!-- not\nshown -->\n![image](x.png)\n\n| a | b |\n|---|:-:|\n| `x | y` | c \\| d |\n";
        let code = Span { code: true, ..text("more") };
        let emphasis = Span { emphasis: true, ..text("title") };
        let piped = Span { code: true, ..text("x | y") };
        let expected = [
            Block::Heading(1, vec![text("The "), emphasis]),
            Block::Text(vec![text("A line and "), code, text(".")]),
            Block::Item(0, "•".into(), vec![text("one and its end")]),
            Block::Item(1, "•".into(), vec![text("inside")]),
            Block::Item(0, "2.".into(), vec![text("two")]),
            Block::Code("let a = 1;\n\n// *b*".into()),
            Block::Table(vec![vec![vec![text("a")], vec![text("b")]], vec![vec![piped], vec![text("c | d")]]]),
        ];
        assert_eq!(blocks(page), expected);
    }

    #[test]
    fn styles_nest_and_lone_marks_are_text() {
        let link = Span { link: Some("a.md#b".into()), ..text("see ") };
        let within = Span { code: true, ..Span { text: "c".into(), ..link.clone() } };
        assert_eq!(spans("[see `c`](a.md#b)"), [link, within]);
        let strong = Span { strong: true, ..text("2 * 3") };
        assert_eq!(spans("**2 * 3**, 4 * 5 * 6, [x], a ` b"), [strong, text(", 4 * 5 * 6, [x], a ` b")]);
        assert_eq!(anchor(&spans("What `@in` is, in short")), "what-in-is-in-short");
    }
}
