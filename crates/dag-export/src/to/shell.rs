//! What the build files have in common: words for the shell, stamps, and what each task asks for.
//!
//! A build file's recipe passes through two readers, the build tool and `sh`. Both see a dollar as theirs,
//! and neither takes a line break in a word, so ids are quoted for `sh` first and for the tool after.

use graph::Graph;
use std::fmt::Write;
use wire::ids::key_of;
use wire::{Plan, Task};

/// The folder of the stamps, as seen from the plan's root.
pub(crate) const STAMPS: &str = ".plantools/make";

/// The file that says that a task is done.
pub(crate) fn stamp(task: &Task) -> String {
    format!("{STAMPS}/{}.done", key(task))
}

/// The stamps that a task waits for, each after a space.
pub(crate) fn stamps_before(plan: &Plan, graph: &Graph, i: u32) -> String {
    graph.requires(i).iter().fold(String::new(), |mut list, &d| {
        let _ = write!(list, " {}", stamp(&plan.tasks[d as usize]));
        list
    })
}

/// The stamps of everything that a worker is to do, each after a space; optional tasks only on demand.
pub(crate) fn stamps_of_all(plan: &Plan, graph: &Graph) -> String {
    let wanted = |(task, i): &(&Task, u32)| !task.optional && graph.children(*i).is_empty();
    plan.tasks.iter().zip(0..).filter(wanted).fold(String::new(), |mut list, (task, _)| {
        let _ = write!(list, " {}", stamp(task));
        list
    })
}

/// A word for a recipe: exactly this text for the command, one word for `sh`, and no variable for the build tool.
pub(crate) fn word(text: &str) -> String {
    sh_word(text).replace('$', "$$")
}

/// A word for `sh` itself: exactly this text.
pub(crate) fn sh_word(text: &str) -> String {
    let text = text.replace('\0', "");
    if text.contains(char::is_control) {
        format!("\"$(printf '{}')\"", octal(&text))
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// The plan as an argument of a recipe.
pub(crate) fn plan_word(plan: &Plan) -> String {
    sh_plan_word(plan).replace('$', "$$")
}

/// The plan as an argument; one that came from standard input must be named by the caller.
pub(crate) fn sh_plan_word(plan: &Plan) -> String {
    match plan.source.path.as_str() {
        "" | "-" => r#""${PLAN:?says where the plan is}""#.to_owned(),
        path if path.starts_with('-') => sh_word(&format!("./{path}")),
        path => sh_word(path),
    }
}

/// Whether an engine has something to start for a task: it is open, a worker's, and not only there on demand.
pub(crate) fn is_wanted(plan: &Plan, graph: &Graph, i: u32) -> bool {
    let task = &plan.tasks[i as usize];
    graph.children(i).is_empty() && !task.optional && !task.state.is_settled()
}

/// The task's key, or one made anew should it not be safe as a name.
pub(crate) fn key(task: &Task) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    let key = &task.key;
    if key.is_empty() || key.starts_with(['.', '-']) || !key.chars().all(plain) {
        return key_of(task.id.as_str());
    }
    key.clone()
}

/// For `printf`: everything but plain characters by its number.
fn octal(text: &str) -> String {
    text.bytes().fold(String::new(), |mut line, byte| {
        let _ = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b' ' | b'.' | b'_' => {
                write!(line, "{}", char::from(byte))
            }
            _ => write!(line, "\\{byte:03o}"),
        };
        line
    })
}

#[cfg(test)]
mod tests {
    use super::{key, word};
    use crate::to::samples::{HOSTILE, task};

    #[test]
    fn words_are_quoted_for_both_readers() {
        assert_eq!(word("it's $(x)"), r"'it'\''s $$(x)'");
        assert_eq!(word("a\nb'"), r#""$$(printf 'a\012b\047')""#);
    }

    #[test]
    fn the_shell_sees_exactly_the_text() {
        for text in HOSTILE {
            let line = format!("printf %s {}", word(text).replace("$$", "$"));
            let output = std::process::Command::new("sh").args(["-c", &line]).output().unwrap();
            assert_eq!(String::from_utf8(output.stdout).unwrap(), text);
        }
    }

    #[test]
    fn a_key_that_is_no_name_is_made_anew() {
        let mut one = task("x", "", &[]);
        one.key = "../y; z".into();
        assert_eq!(key(&one), "x");
    }
}
