//! The text of a fenced block: moved to the left as far as its fence stands, with plain line ends, without prompts.

use crate::commands;
use markdown::{Extent, Fence, Outline};

/// What stands in a fence, as whoever copies it from the page would have it.
pub fn text(outline: &Outline, fence: &Fence) -> String {
    let indent = indent(outline, fence);
    let shown = outline.shown(fence.content).replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<String> = shown.split('\n').map(|line| dedented(line, indent)).collect();
    lines.join("\n")
}

/// The lines of a fence that are to be run: where one has a prompt, those without are what the others print.
pub fn script(outline: &Outline, fence: &Fence) -> String {
    let text = text(outline, fence);
    let prompted = |line: &str| line.trim_start().starts_with("$ ");
    if !text.lines().any(prompted) {
        return text.trim().to_owned();
    }
    let mut goes_on = false;
    let mut lines = Vec::new();
    for line in text.lines() {
        let run = line.trim_start().strip_prefix("$ ");
        if run.is_some() || goes_on {
            let run = run.unwrap_or(line);
            goes_on = run.ends_with('\\');
            lines.push(run);
        }
    }
    lines.join("\n").trim().to_owned()
}

/// The lines of a fence as one command, if it is one of shell.
pub fn command(outline: &Outline, fence: &Fence) -> Option<String> {
    let session = matches!(
        fence.language.as_str(),
        "console" | "shell-session" | "shellsession" | "sh-session" | "terminal"
    );
    let text = outline.str(fence.content);
    let prompted = || text.lines().any(|line| line.trim_start().starts_with("$ "));
    let language = if session && prompted() { "sh" } else { &fence.language };
    commands::of_block(language, &script(outline, fence))
}

/// The column of the opening fence; a bullet before it counts as what its lines are indented by.
fn indent(outline: &Outline, fence: &Fence) -> usize {
    let text = outline.str(Extent { start: 0, end: fence.content.start });
    let open = text.trim_end_matches(['\n', '\r']);
    let begin = open.rfind(['\n', '\r']).map_or(0, |at| at + 1);
    let line = open.get(begin..).unwrap_or_default();
    let before = line.split(['`', '~']).next().unwrap_or_default();
    before.chars().fold(0, after)
}

/// The column behind a character.
fn after(column: usize, c: char) -> usize {
    if c == '\t' { column / 4 * 4 + 4 } else { column + 1 }
}

/// A line without at most so many columns of blanks.
fn dedented(line: &str, indent: usize) -> String {
    let mut column = 0;
    for (at, c) in line.char_indices() {
        if column >= indent || !matches!(c, ' ' | '\t') {
            let left = " ".repeat(column.saturating_sub(indent));
            return left + line.get(at..).unwrap_or_default();
        }
        column = after(column, c);
    }
    String::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Text;

    fn of(text: &str) -> (String, Option<String>) {
        let outline = Outline::new(&Text { path: "PLAN.md", bytes: text.as_bytes() });
        let fence = &outline.fences[0];
        (super::text(&outline, fence), command(&outline, fence))
    }

    #[test]
    fn a_block_is_what_the_page_shows() {
        for (text, shown) in [
            ("- x\n\n  ```sh\n  cat <<E\n    a\n  E\n  ```\n", "cat <<E\n  a\nE\n"),
            ("- x\r\n  ```sh\r\n  a\r\n  b\r\n  ```\r\n", "a\nb\n"),
            ("- ```sh\n  a\n  ```\n", "a\n"),
            ("-\tx\n\n\t```sh\n\ta\n\t  b\n\t```\n", "a\n  b\n"),
            ("```sh\n  a\n```\n", "  a\n"),
            ("```sh\na", "a"),
        ] {
            assert_eq!(of(text).0, shown, "{text}");
        }
    }

    #[test]
    fn a_prompt_is_no_part_of_a_command() {
        for (text, run) in [
            ("```sh\n$ a\nout\n$ b \\\n  c\nout\n```\n", Some("a\nb \\\n  c")),
            ("```console\n$ a\nout\n```\n", Some("a")),
            ("```console\nout\n```\n", None),
            ("```text\n$ a\n```\n", None),
            ("```bash\na $ b\n```\n", Some("a $ b")),
        ] {
            assert_eq!(of(text).1.as_deref(), run, "{text}");
        }
    }
}
