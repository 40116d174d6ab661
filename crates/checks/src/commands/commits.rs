//! Scripts that do nothing but commit, and the message that they commit with.

use super::shell::Script;

/// What git may do beside the commit in a script that only commits.
const BESIDE: [&str; 4] = ["add", "status", "diff", "log"];

/// The message of a script that does nothing but commit; empty if the script gives none. `None` for any other script.
pub fn message(script: &str) -> Option<String> {
    let script = Script::parse(script);
    if script.complex || script.background || script.pipelines.iter().any(|pipeline| pipeline.negated) {
        return None;
    }
    let mut found: Option<Vec<String>> = None;
    for stage in script.pipelines.iter().flat_map(|pipeline| &pipeline.stages) {
        let words: Vec<&str> = stage.iter().map(String::as_str).collect();
        match words.as_slice() {
            ["git", "commit", rest @ ..] => found.get_or_insert_with(Vec::new).push(said(rest)),
            ["git", what, ..] if BESIDE.contains(what) => {}
            _ => return None,
        }
    }
    found
        .map(|messages| messages.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n"))
}

/// The paragraphs of the options `-m`.
fn said(words: &[&str]) -> String {
    let mut paragraphs: Vec<String> = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let message = match word.strip_prefix("--message") {
            Some("") => words.next().copied(),
            Some(value) => value.strip_prefix('='),
            // Short options may share one dash: `-am "…"`.
            None => {
                let short = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'));
                match short.and_then(|rest| rest.split_once('m')) {
                    Some((before, "")) if before.bytes().all(|b| b.is_ascii_alphabetic()) => {
                        words.next().copied()
                    }
                    Some((before, value)) if before.bytes().all(|b| b.is_ascii_alphabetic()) => Some(value),
                    _ => None,
                }
            }
        };
        paragraphs.extend(message.map(plain).filter(|text| !text.is_empty()));
    }
    paragraphs.join("\n\n")
}

/// A message as it is, or the text between the marks of `$(cat <<'EOF' … EOF)`.
fn plain(word: &str) -> String {
    let here = word.strip_prefix("$(cat <<").and_then(|rest| rest.strip_suffix(')'));
    let here = here.and_then(|rest| rest.trim_start_matches('-').split_once('\n'));
    let Some((mark, text)) = here else { return word.trim().to_owned() };
    let mark = mark.trim().trim_matches(['\'', '"']);
    let lines = text.lines().take_while(|line| line.trim() != mark);
    lines.map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::message;

    #[test]
    fn the_message_of_a_script_that_only_commits() {
        for (script, wanted) in [
            ("git commit -m \"feat: a\"", "feat: a"),
            ("git add a b\ngit commit -m 'feat: it is \"so\"'\n", "feat: it is \"so\""),
            ("git add -A && git commit -am \"one\" -m \"two\"", "one\n\ntwo"),
            ("git commit --message=one", "one"),
            ("git commit -m\"one\n\nlong story\"", "one\n\nlong story"),
            (
                "git add .\ngit commit -m \"$(cat <<'EOF'\nfeat: a\n\nWhy (so).\nEOF\n)\"",
                "feat: a\n\nWhy (so).",
            ),
            ("# save it\ngit add a; git commit", ""),
        ] {
            assert_eq!(message(script).as_deref(), Some(wanted), "{script}");
        }
    }

    #[test]
    fn a_script_that_does_anything_else_is_none() {
        for script in [
            "",
            "git add a",
            "make && git commit -m a",
            "git commit -m a && git push",
            "git commit -m a || true",
            "for f in *; do git commit -m $f; done",
            "git commit -m 'a",
            "! git commit -m a",
        ] {
            assert_eq!(message(script), None, "{script}");
        }
    }
}
