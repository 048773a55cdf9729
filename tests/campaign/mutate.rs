//! Changes of a text as fuzzers make them: by tokens, by lines and by bytes.

use super::random::Random;

/// Longest text that a mutation makes \[bytes\]. Files may be longer; a case should be quick.
const LONGEST: usize = 192 << 10;

/// Numbers at which programs fail.
pub const NUMBERS: &[&str] = &[
    "0",
    "-0",
    "1",
    "-1",
    "2",
    "0.5",
    "3",
    "7",
    "8",
    "16",
    "17",
    "100",
    "255",
    "256",
    "1000",
    "4096",
    "10000",
    "65535",
    "65536",
    "1000000",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "1e-320",
    "1e-45",
    "1e-38",
    "1e-9",
    "1e9",
    "1e15",
    "3.4028235e38",
    "3.5e38",
    "1e100",
    "1e308",
    "1e400",
    "NaN",
    "inf",
    "-inf",
    "0x7fffffff",
    "0xffffffffu",
    "1u",
    "1i",
    "1h",
    "1f",
    "-2147483648",
];

/// Characters that readers get wrong: escapes, direction marks, line ends, multi-byte letters.
const ODD: &[&str] = &[
    "\0",
    "\u{1b}[31m",
    "\u{202e}",
    "\r\n",
    "\u{2028}",
    "\u{feff}",
    "é",
    "π",
    "\u{1F30A}",
    "\\",
    "\"",
    "'",
    "/*",
    "*/",
    "//",
];

/// Token boundaries: words and numbers, strings, and single characters of anything else but blanks.
fn tokens(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let (mut found, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        if bytes[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if word(bytes[at]) {
            while at < bytes.len() && (word(bytes[at]) || (bytes[at] == b'.' && bytes[start].is_ascii_digit())) {
                at += 1;
            }
        } else if bytes[at] == b'"' {
            at += 1;
            while at < bytes.len() && bytes[at] != b'"' {
                at += 1 + usize::from(bytes[at] == b'\\');
            }
            at = (at + 1).min(bytes.len());
            // An escape at the very end, or of a multi-byte letter.
            while !text.is_char_boundary(at) {
                at += 1;
            }
        } else {
            at += 1;
        }
        found.push((start, at));
    }
    found
}

fn boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// A text made of `text` by one to eight changes. `others` are texts of the same language, `words` their dictionary.
pub fn text(random: &mut Random, text: &str, others: &[String], words: &[&str]) -> String {
    let mut text = text.to_string();
    for _ in 0..random.few(8) {
        text = once(random, &text, others, words);
        if text.len() > LONGEST {
            text.truncate(boundary(&text, LONGEST));
        }
    }
    text
}

fn once(random: &mut Random, text: &str, others: &[String], words: &[&str]) -> String {
    match random.below(16) {
        0..=6 => by_token(random, text, words),
        7..=10 => by_line(random, text),
        11 => nested(random, text),
        12 if !others.is_empty() => spliced(random, text, others),
        13 => text[..boundary(text, random.below(text.len() + 1))].to_string(),
        14 => {
            let at = boundary(text, random.below(text.len() + 1));
            format!("{}{}{}", &text[..at], random.one(ODD), &text[at..])
        }
        _ => by_letter(random, text),
    }
}

fn replaced(text: &str, (start, end): (usize, usize), new: &str) -> String {
    format!("{}{new}{}", &text[..start], &text[end..])
}

fn by_token(random: &mut Random, text: &str, words: &[&str]) -> String {
    let tokens = tokens(text);
    if tokens.is_empty() {
        return random.one(words).to_string();
    }
    let (one, other) = (*random.one(&tokens), *random.one(&tokens));
    let of = |(start, end): (usize, usize)| &text[start..end];
    let is_number = |token: &(usize, usize)| of(*token).starts_with(|c: char| c.is_ascii_digit());
    match random.below(8) {
        0 => replaced(text, one, random.one::<&str>(words)),
        1 => replaced(text, one, of(other)),
        2 => replaced(text, one, ""),
        3 => replaced(text, one, &format!("{0} {0}", of(one))),
        4 | 5 => {
            let numbers: Vec<(usize, usize)> = tokens.iter().copied().filter(is_number).collect();
            let place = if numbers.is_empty() { one } else { *random.one(&numbers) };
            replaced(text, place, random.one::<&str>(NUMBERS))
        }
        // The same kind of token: a name for a name, a string for a string.
        6 => {
            let kind = |token: &(usize, usize)| of(*token).as_bytes()[0].is_ascii_punctuation();
            let same: Vec<(usize, usize)> = tokens.iter().copied().filter(|t| kind(t) == kind(&one)).collect();
            replaced(text, one, of(*random.one(&same)))
        }
        _ => {
            let (first, last) = if one.0 < other.0 { (one, other) } else { (other, one) };
            if first == last {
                return text.to_string();
            }
            format!("{}{}{}{}{}", &text[..first.0], of(last), &text[first.1..last.0], of(first), &text[last.1..])
        }
    }
}

fn by_line(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    if lines.is_empty() {
        return String::new();
    }
    let (one, other) = (random.below(lines.len()), random.below(lines.len()));
    let length = 1 + random.below(4).min(lines.len() - one - 1);
    match random.below(5) {
        0 => drop(lines.drain(one..one + length)),
        1 => {
            let copy: Vec<&str> = lines[one..one + length].to_vec();
            lines.splice(other..other, copy);
        }
        2 => lines.swap(one, other),
        3 => {
            let line = lines.remove(one);
            lines.insert(other.min(lines.len()), line);
        }
        _ => {
            let times = *random.one(&[2, 10, 100, 1000]);
            let copies = vec![lines[one]; times];
            lines.splice(one..one, copies);
        }
    }
    lines.concat()
}

/// A bracketed part put into itself, some or many times.
fn nested(random: &mut Random, text: &str) -> String {
    let opened: Vec<usize> = text.char_indices().filter(|(_, c)| "([{".contains(*c)).map(|(at, _)| at).collect();
    if opened.is_empty() {
        return text.to_string();
    }
    let start = *random.one(&opened);
    let mut depth = 0;
    let end = text[start..].char_indices().find_map(|(at, c)| {
        depth += i32::from("([{".contains(c)) - i32::from(")]}".contains(c));
        (depth == 0).then_some(start + at)
    });
    let Some(end) = end else { return text.to_string() };
    let times = *random.one(&[2, 5, 20, 130]);
    let (before, after) = (text[start..=start].repeat(times), text[end..=end].repeat(times));
    format!("{}{before}{}{after}{}", &text[..start], &text[start + 1..end], &text[end + 1..])
}

fn spliced(random: &mut Random, text: &str, others: &[String]) -> String {
    let other = random.one(others);
    let cut = |random: &mut Random, text: &str| {
        let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
        if ends.is_empty() { 0 } else { *random.one(&ends) }
    };
    let (from, to) = (cut(random, text), cut(random, other));
    format!("{}{}", &text[..from], &other[to..])
}

fn by_letter(random: &mut Random, text: &str) -> String {
    let mut letters: Vec<char> = text.chars().collect();
    if letters.is_empty() {
        return String::new();
    }
    let at = random.below(letters.len());
    match random.below(3) {
        0 => drop(letters.remove(at)),
        1 => letters.insert(at, char::from(32 + random.below(95) as u8)),
        _ => letters[at] = char::from(32 + random.below(95) as u8),
    }
    letters.into_iter().collect()
}

/// A file of bytes made of another by one to eight changes: bits, bytes, lengths, cuts, copies of parts.
pub fn bytes(random: &mut Random, bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..random.few(8) {
        if bytes.is_empty() {
            bytes.push(random.next() as u8);
        }
        let at = random.below(bytes.len());
        let length = 1 + random.below(16).min(bytes.len() - at - 1);
        match random.below(7) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = random.next() as u8,
            2 => drop(bytes.drain(at..at + length)),
            3 => {
                let part = bytes[at..at + length].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, part);
            }
            4 => bytes.truncate(at),
            _ => {
                // A number of four bytes, in either order.
                let number = *random.one(&[0, 1, 0x7f, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, u32::MAX, 168, 96]);
                let word = if random.chance(50) { number.to_le_bytes() } else { number.to_be_bytes() };
                bytes.iter_mut().skip(at).zip(word).for_each(|(byte, new)| *byte = new);
            }
        }
    }
    bytes
}
