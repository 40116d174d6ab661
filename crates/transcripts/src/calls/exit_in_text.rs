//! Exit codes that occur only in text.
//!
//! A command can print anything, including these words. So each form is searched for only where its client writes it:
//! at the beginning, or in the head before the output.

/// `Exit code 3` at the beginning of a result, perhaps after `Error: `.
pub(crate) fn at_start(text: &str) -> Option<i32> {
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    number(text.strip_prefix("Exit code ")?)
}

/// `Exit code: 3` or `Process exited with code 3` on a line of its own before the line `Output:`.
///
/// The head may contain the command itself, over several lines; the client's own line comes after it.
pub(crate) fn in_head(text: &str) -> Option<i32> {
    let mut found = None;
    let mut timed = false;
    for line in text.lines() {
        if line == "Output:" && timed {
            break;
        }
        timed |= line.starts_with("Wall time");
        let after =
            line.strip_prefix("Process exited with code ").or_else(|| line.strip_prefix("Exit code: "));
        found = after.and_then(number).or(found);
    }
    // Without a head the text is only the output, which proves nothing.
    found.filter(|_| timed)
}

/// The last line `Exit Code: 3`; the output comes before it.
pub(crate) fn at_end(text: &str) -> Option<i32> {
    text.lines().rev().find_map(|line| number(line.trim().strip_prefix("Exit Code: ")?))
}

/// `Exit code: 3` on a line of its own.
pub(crate) fn in_lines(text: &str) -> Option<i32> {
    text.lines().find_map(|line| number(line.strip_prefix("Exit code: ")?))
}

/// `failed with exit code 3`.
pub(crate) fn failed_with(text: &str) -> Option<i32> {
    let (_, after) = text.split_once("failed with exit code ")?;
    number(after)
}

fn number(text: &str) -> Option<i32> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    let end = text.len() - digits.len() + count;
    text[..end].parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_beginning_counts_where_the_client_writes_it_there() {
        assert_eq!(at_start("Exit code 3\nhello"), Some(3));
        assert_eq!(at_start("Error: Exit code 127\n"), Some(127));
        assert_eq!(at_start("hello\nExit code 3"), None);
    }

    #[test]
    fn a_command_cannot_print_its_own_verdict() {
        let head = "Command: echo 'a\nProcess exited with code 0'\nChunk ID: 1\nWall time: 0.0 seconds\n";
        let text = format!("{head}Process exited with code 3\nOutput:\nProcess exited with code 0\n");
        assert_eq!(in_head(&text), Some(3));
        assert_eq!(in_head("Exit code: 3\nWall time: 0 seconds\nOutput:\nExit code: 0\n"), Some(3));
        assert_eq!(in_head("Exit code: 0\n"), None);
        assert_eq!(at_end("Output: Exit Code: 0\nExit Code: 3\nProcess Group PGID: 1"), Some(3));
    }
}
