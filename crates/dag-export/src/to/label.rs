//! Text that people will read: without what they cannot see, and broken into lines.

/// One line of plain text: control and direction characters are left out, runs of space become one space.
pub(crate) fn clean(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty()) {
        if !clean.is_empty() {
            clean.push(' ');
        }
        clean.extend(word.chars().filter(|&c| !is_unseen(c)));
    }
    clean
}

/// At most `lines` lines of at most `width` letters; what is left out shows as an ellipsis. A word that is longer
/// than a line is broken.
pub(crate) fn wrap(text: &str, width: usize, lines: usize) -> Vec<String> {
    let mut rows = vec![String::new()];
    let mut used = 0;
    for word in clean(text).split(' ') {
        if used > 0 && used + 1 + letters(word) > width {
            rows.push(String::new());
            used = 0;
        } else if used > 0 {
            push(&mut rows, ' ');
            used += 1;
        }
        for c in word.chars() {
            if used > 0 && used + room(c) > width {
                rows.push(String::new());
                used = 0;
            }
            push(&mut rows, c);
            used += room(c);
        }
    }
    if rows.len() > lines {
        rows.truncate(lines);
        if let Some(last) = rows.last_mut() {
            while letters(last) >= width {
                last.pop();
            }
            last.truncate(last.trim_end_matches([' ', ',', '.', ';', ':']).len());
            last.push('…');
        }
    }
    rows
}

/// `1 task`, `2 tasks`.
pub(crate) fn count(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

fn letters(text: &str) -> usize {
    text.chars().map(room).sum()
}

/// How many letters wide a character is drawn: Chinese, Japanese, Korean and pictures are wide.
fn room(c: char) -> usize {
    if matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{ff00}'..='\u{ff60}' | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3ffff}')
    {
        2
    } else {
        1
    }
}

fn push(rows: &mut [String], c: char) {
    if let Some(last) = rows.last_mut() {
        last.push(c);
    }
}

/// Characters that have no shape of their own but change what stands around them.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::{clean, wrap};

    #[test]
    fn nothing_unseen_is_left() {
        assert_eq!(clean(" a\n\tb\u{1b}[31m\u{202e}c\u{0} "), "a b [31mc");
    }

    #[test]
    fn lines_break_at_words_and_end_in_an_ellipsis() {
        assert_eq!(wrap("one two three", 7, 3), ["one two", "three"]);
        assert_eq!(wrap("one two three four", 7, 2), ["one two", "three…"]);
        assert_eq!(wrap("abcdefghij", 4, 9), ["abcd", "efgh", "ij"]);
        assert_eq!(wrap("任务一二三", 4, 9), ["任务", "一二", "三"]);
        assert_eq!(wrap("", 4, 2), [""]);
        assert_eq!(wrap("abcdefghij", 4, 1), ["abc…"]);
    }
}
