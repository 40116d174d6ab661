//! Notes in a context file: under `## TODO N`, without duplicates on a second run.

use std::fmt::Write;
use wire::order::{Category, Halt};
use wire::{Order, TaskId};

/// Adds items under a task's heading; `None` if there is nothing new.
pub fn add(text: &str, task: &TaskId, items: &[String], bullet: &str) -> Option<String> {
    let heading = format!("## TODO {task}");
    let (before, section, after) = split(text, &heading);
    let known = |item: &str| section.lines().any(|l| l.strip_prefix(bullet) == Some(item));
    let mut fresh: Vec<String> = Vec::new();
    for item in items.iter().map(|i| one_line(i)).filter(|i| !i.is_empty() && !known(i)) {
        if !fresh.contains(&item) {
            fresh.push(item);
        }
    }
    if fresh.is_empty() {
        return None;
    }
    let mut out = String::from(before);
    if section.is_empty() {
        if !out.is_empty() && !out.ends_with("\n\n") {
            out.push_str(if out.ends_with('\n') { "\n" } else { "\n\n" });
        }
        let _ = writeln!(out, "{heading}");
    } else {
        let _ = writeln!(out, "{}", section.trim_end());
    }
    for item in fresh {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{bullet}{item}");
    }
    if !after.is_empty() {
        out.push('\n');
        out.push_str(after);
    }
    Some(out)
}

/// Adds the entry of a halt; `None` if the same attempt has one.
pub fn halted(text: &str, order: &Order, halt: &Halt, now: &str) -> Option<String> {
    let category = match halt.category {
        Category::EnvError => "env_error",
        Category::CodeError => "code_error",
        Category::PlanError => "plan_error",
        Category::Unknown => "unknown",
    };
    let title = format!("TODO {}: {} Failed", order.task.id, one_line(&order.task.title));
    let count = format!("**Retry Count**: {}", order.attempt);
    let mut sections = text.split("\n## ").map(|s| s.strip_prefix("## ").unwrap_or(s));
    if sections.any(|s| s.lines().next().is_some_and(|l| l.ends_with(&title)) && s.contains(&count)) {
        return None;
    }
    let stamp = now.get(..16).unwrap_or(now).replace('T', " ");
    let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
    let suggestion = if halt.retry { "tried again while attempts are left" } else { "needs a person" };
    Some(format!(
        "{text}{gap}## [{stamp}] {title}\n\n**Category**: {category}\n**Error**: {}\n{count}\n**Analysis**: {} said no ({})\n**Suggestion**: {suggestion}\n",
        one_line(&halt.message),
        halt.stage,
        halt.code
    ))
}

/// The text before, of and behind the section of a heading.
fn split<'a>(text: &'a str, heading: &str) -> (&'a str, &'a str, &'a str) {
    let mut at = 0;
    let mut start = None;
    for line in text.split_inclusive('\n') {
        let is_heading = line.starts_with("## ");
        match start {
            None if line.trim_end() == heading => start = Some(at),
            Some(from) if is_heading => return (&text[..from], &text[from..at], &text[at..]),
            _ => {}
        }
        at += line.len();
    }
    match start {
        Some(from) => (&text[..from], &text[from..], ""),
        None => (text, "", ""),
    }
}

/// A worker's words must not make headings or items of their own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::add;

    #[test]
    fn saving_twice_is_saving_once_and_1_is_not_10() {
        let once = add("## TODO 10\n- other\n", &"1".into(), &["uses ESM".into()], "- ").unwrap();
        assert_eq!(once, "## TODO 10\n- other\n\n## TODO 1\n- uses ESM\n");
        assert_eq!(add(&once, &"1".into(), &["uses ESM".into()], "- "), None);
        let more = add(&once, &"10".into(), &["new".into()], "- ").unwrap();
        assert_eq!(more, "## TODO 10\n- other\n- new\n\n## TODO 1\n- uses ESM\n");
    }

    #[test]
    fn a_workers_words_make_no_headings() {
        let text = add("", &"1".into(), &["a\n## TODO 2\n- x".into()], "- ").unwrap();
        assert_eq!(text.matches("\n## ").count(), 0);
    }
}
