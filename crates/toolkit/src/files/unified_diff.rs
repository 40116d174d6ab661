//! A unified diff of two texts, in the form that `patch` takes.
//!
//! Lines are bytes in any encoding; a line end is part of its line.

/// Lines of context around a change.
const AROUND: usize = 3;

/// The unified diff from `old` to `new`; empty if they are equal.
pub fn unified(name: &str, old: &[u8], new: &[u8]) -> Vec<u8> {
    let (a, b) = (lines(old), lines(new));
    let changes = changes(&a, &b);
    let mut out = Vec::new();
    if changes.is_empty() {
        return out;
    }
    out.extend_from_slice(format!("--- a/{name}\n+++ b/{name}\n").as_bytes());
    let mut rest = changes.as_slice();
    while !rest.is_empty() {
        // Changes close together share one hunk.
        let close = |pair: &&[Change]| pair[1].old.0 - pair[0].old.1 <= 2 * AROUND;
        let count = 1 + rest.windows(2).take_while(close).count();
        let (hunk, more) = rest.split_at(count);
        write_hunk(&mut out, &a, &b, hunk);
        rest = more;
    }
    out
}

/// A range of old lines, and the range of new lines that replaces it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Change {
    old: (usize, usize),
    new: (usize, usize),
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// The differences. Skips equal lines, then looks a little way ahead on both sides for the next equal pair, which
/// finds every change that a tick or an added task makes.
fn changes(a: &[&[u8]], b: &[&[u8]]) -> Vec<Change> {
    let mut found = Vec::new();
    let (mut i, mut j) = (0, 0);
    loop {
        while i < a.len() && j < b.len() && a[i] == b[j] {
            (i, j) = (i + 1, j + 1);
        }
        if i == a.len() && j == b.len() {
            return found;
        }
        let (to_i, to_j) = meet(&a[i..], &b[j..]);
        found.push(Change { old: (i, i + to_i), new: (j, j + to_j) });
        (i, j) = (i + to_i, j + to_j);
    }
}

/// How many lines of each side differ before both agree again.
fn meet(a: &[&[u8]], b: &[&[u8]]) -> (usize, usize) {
    for distance in 1..=a.len() + b.len() {
        for skip in 0..=distance {
            let (i, j) = (skip, distance - skip);
            let both_end = i == a.len() && j == b.len();
            if both_end || (i < a.len() && j < b.len() && a[i] == b[j]) {
                return (i, j);
            }
        }
        if distance > 4000 {
            break;
        }
    }
    (a.len(), b.len())
}

fn write_hunk(out: &mut Vec<u8>, a: &[&[u8]], b: &[&[u8]], hunk: &[Change]) {
    let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else { return };
    let from = first.old.0.saturating_sub(AROUND);
    let to = (last.old.1 + AROUND).min(a.len());
    let new_from = first.new.0 - (first.old.0 - from);
    let new_to = last.new.1 + (to - last.old.1);
    let range = |from: usize, to: usize| match to - from {
        0 => format!("{from},0"),
        1 => format!("{}", from + 1),
        count => format!("{},{count}", from + 1),
    };
    out.extend_from_slice(format!("@@ -{} +{} @@\n", range(from, to), range(new_from, new_to)).as_bytes());
    let mut at = from;
    for change in hunk {
        write_lines(out, b' ', &a[at..change.old.0]);
        write_lines(out, b'-', &a[change.old.0..change.old.1]);
        write_lines(out, b'+', &b[change.new.0..change.new.1]);
        at = change.old.1;
    }
    write_lines(out, b' ', &a[at..to]);
}

fn write_lines(out: &mut Vec<u8>, sign: u8, lines: &[&[u8]]) {
    for line in lines {
        out.push(sign);
        out.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            out.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    fn diff(old: &str, new: &str) -> String {
        String::from_utf8(unified("P.md", old.as_bytes(), new.as_bytes())).unwrap()
    }

    #[test]
    fn one_line_with_its_surroundings() {
        let old = "1\n2\n3\n4\n- [ ] 5\n6\n7\n8\n9\n";
        let wanted = "--- a/P.md\n+++ b/P.md\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-- [ ] 5\n+- [x] 5\n 6\n 7\n 8\n";
        assert_eq!(diff(old, &old.replace("[ ]", "[x]")), wanted);
        assert_eq!(diff(old, old), "");
    }

    #[test]
    fn far_changes_are_hunks_of_their_own_and_close_ones_are_not() {
        let old = (1..=30).fold(String::new(), |text, n| text + &n.to_string() + "\n");
        let new = old.replace("\n3\n", "\nthree\n").replace("\n25\n", "\n25\nmore\n");
        assert_eq!(diff(&old, &new).matches("@@ -").count(), 2);
        let near = old.replace("\n3\n", "\nthree\n").replace("\n8\n", "\neight\n");
        assert_eq!(diff(&old, &near).matches("@@ -").count(), 1);
    }

    #[test]
    fn a_missing_line_end_is_said() {
        assert_eq!(
            diff("[ ]", "[x]"),
            "--- a/P.md\n+++ b/P.md\n@@ -1 +1 @@\n-[ ]\n\\ No newline at end of file\n+[x]\n\\ No newline at end of file\n"
        );
        assert_eq!(diff("", "a\n"), "--- a/P.md\n+++ b/P.md\n@@ -0,0 +1 @@\n+a\n");
    }
}
