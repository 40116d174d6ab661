//! The condition of a commit row: `always`, `if any change`, `if tests pass`, or a command in backquotes.
//!
//! A row is looked at only for a task that was ticked on proof, and only if it has files to commit: its checks have passed,
//! and something has changed. A command is run and must exit with 0. Any other sentence is for a person.

use std::path::Path;
use std::time::Duration;
use supervise::{Job, Limits, Stdin, Stop};
use toolkit::Fail;

/// What a condition says about a commit that could be made.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Judged {
    /// The commit is made.
    Holds,
    /// It is not made, and why.
    Not(String),
    /// No program can tell.
    ForAPerson,
}

/// The condition in its form.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Form<'c> {
    /// It holds for every task that is ticked and has changes.
    Always,
    /// The command decides.
    Command(&'c str),
    /// A person decides.
    Other,
}

/// How long the command of a condition may take.
const MOST: Duration = Duration::from_secs(600);

/// Judges the condition of a row; a command runs at the root.
pub(crate) fn judge(condition: &str, root: &Path) -> Result<Judged, Fail> {
    match form(condition) {
        Form::Always => Ok(Judged::Holds),
        Form::Other => Ok(Judged::ForAPerson),
        Form::Command(command) => {
            let mut job = Job::new(["sh", "-c", command].map(std::ffi::OsString::from));
            job.cwd = root.to_path_buf();
            job.stdin = Stdin::Null;
            job.limits = Limits { timeout: Some(MOST), ..Limits::default() };
            let failed = |e: std::io::Error| Fail::io(Path::new("sh"), &e);
            let ended = supervise::spawn(&job).and_then(supervise::Running::finish).map_err(failed)?;
            Ok(match (ended.stop, ended.exit_code) {
                (Stop::Exited, Some(0)) => Judged::Holds,
                (Stop::Exited, Some(code)) => {
                    Judged::Not(format!("its condition does not hold: '{command}' exited with {code}"))
                }
                _ => Judged::ForAPerson,
            })
        }
    }
}

/// Reads a condition.
pub(crate) fn form(condition: &str) -> Form<'_> {
    let text = condition.trim();
    if let Some(command) = text.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'))
        && !command.trim().is_empty()
        && !command.contains('`')
        && !is_always(command)
    {
        return Form::Command(command.trim());
    }
    if is_always(text) { Form::Always } else { Form::Other }
}

/// Whether a condition holds for every ticked task with changes. Only what stands before an explanation in brackets counts.
fn is_always(text: &str) -> bool {
    let text = text.trim_matches('`').to_lowercase();
    let text = text.split(['(', ',', ';']).next().unwrap_or_default();
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()).collect();
    let mut rest = words.as_slice();
    while let Some((first, behind)) = rest.split_first() {
        if !matches!(
            *first,
            "only"
                | "if"
                | "when"
                | "once"
                | "after"
                | "there"
                | "are"
                | "is"
                | "any"
                | "all"
                | "the"
                | "its"
                | "were"
                | "files"
        ) {
            break;
        }
        rest = behind;
    }
    match rest {
        [] => words.is_empty(),
        ["always" | "yes" | "unconditional"]
        | ["change" | "changes", "exist" | "exists" | "made" | "detected"] => true,
        [what] => is_change(what),
        [what @ .., how] => is_pass(how) && what.iter().all(|word| is_check(word)),
    }
}

fn is_change(word: &str) -> bool {
    matches!(word, "change" | "changes" | "changed" | "modified" | "diff")
}

fn is_check(word: &str) -> bool {
    matches!(
        word,
        "test"
            | "tests"
            | "check"
            | "checks"
            | "verification"
            | "verify"
            | "criteria"
            | "acceptance"
            | "gate"
            | "gates"
            | "todo"
            | "task"
            | "are"
            | "is"
            | "has"
            | "have"
            | "and"
            | "all"
    )
}

fn is_pass(word: &str) -> bool {
    matches!(
        word,
        "pass"
            | "passes"
            | "passed"
            | "passing"
            | "succeed"
            | "succeeds"
            | "succeeded"
            | "green"
            | "verified"
            | "ok"
            | "done"
            | "complete"
            | "completed"
    )
}

#[cfg(test)]
mod tests {
    use super::{Form, form};

    #[test]
    fn conditions_are_told_apart() {
        for text in [
            "always",
            "Always",
            "`always`",
            "",
            "-",
            "if any change",
            "only if any change (docs)",
            "if changes",
            "if changed",
            "when there are changes",
            "if tests pass",
            "If all tests passed",
            "if verification passes",
            "after acceptance criteria pass",
            "once the task is done",
        ] {
            assert_eq!(form(text), Form::Always, "{text}");
        }
        assert_eq!(form("`test -f NOTES.md`"), Form::Command("test -f NOTES.md"));
        for text in
            ["once Ann has read it", "if the build is fast", "never", "if tests fail", "manual", "`a` or `b`"]
        {
            assert_eq!(form(text), Form::Other, "{text}");
        }
    }
}
