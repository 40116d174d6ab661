//! Notes in a context file, below `## N`, the id of their task; a second run adds no duplicates. Files of older versions have
//! `## TODO N`, and keep it.

use std::fmt::Write;
use wire::order::{Category, CriterionStatus, Halt};
use wire::{Order, TaskId};

/// Adds items under a task's heading; `None` if there is nothing new.
pub fn add(text: &str, task: &TaskId, items: &[String], bullet: &str) -> Option<String> {
    let heading = heading_in(text, task);
    let (before, section, after) = split(text, &heading);
    // An issue that has been ticked since counts as known.
    let forms = [bullet.to_owned(), bullet.replace("[ ]", "[x]"), bullet.replace("[ ]", "[X]")];
    let is = |line: &str, item: &str| forms.iter().any(|form| line.strip_prefix(form.as_str()) == Some(item));
    let known = |item: &str| section.lines().any(|line| is(line, item));
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

/// Why a task was given up, for the person who goes on.
pub struct GivenUp<'a> {
    /// The order of the last attempt.
    pub order: &'a Order,
    /// What halted it.
    pub halt: &'a Halt,
    /// How often it was tried again.
    pub retries: u32,
    /// The time.
    pub now: &'a str,
}

/// Adds the entry of a task that was given up; `None` if the text has the same entry already.
pub fn halted(text: &str, given_up: &GivenUp<'_>) -> Option<String> {
    let GivenUp { order, halt, retries, now } = given_up;
    let (category, why) = match halt.category {
        Category::EnvError => ("env_error", "the environment has to be mended, and no worker can do that"),
        Category::CodeError => ("code_error", "the code still fails after the retries"),
        Category::PlanError => ("plan_error", "the plan has to be mended, and no worker may do that"),
        Category::Unknown => ("unknown", "the cause is not known, and another attempt would be a guess"),
    };
    let title = format!("TODO {}: {} Failed", order.task.id, one_line(&order.task.title));
    let error = format!("**Error**: {}\n", one_line(&halt.message));
    let fix = if order.why.fix { " and the Fix Task" } else { "" };
    let count = format!("**Retry Count**: {retries}{fix}\n");
    let mut sections = text.split("\n## ").map(|s| s.strip_prefix("## ").unwrap_or(s));
    let is_it = |s: &str| {
        s.lines().next().is_some_and(|l| l.ends_with(&title)) && s.contains(&count) && s.contains(&error)
    };
    if sections.any(is_it) {
        return None;
    }
    let stamp = now.get(..16).unwrap_or(now).replace('T', " ");
    let gap = if text.is_empty() || text.ends_with("\n\n") { "" } else { "\n" };
    let hint = order.worker.as_ref().and_then(|w| w.error.as_ref()).map_or("", |e| e.retry_hint.as_str());
    let suggestion =
        if hint.trim().is_empty() { "mend the cause, then run it again".to_owned() } else { one_line(hint) };
    Some(format!(
        "{text}{gap}## [{stamp}] {title}\n\n**Category**: {category}\n{error}{count}**Analysis**: {why}: {} said no ({}){}\n**Suggestion**: {suggestion}\n",
        halt.stage,
        halt.code,
        analysis(order)
    ))
}

/// The failed checks, and the worker's remarks on them.
fn analysis(order: &Order) -> String {
    let Some(verdict) = &order.verdict else { return String::new() };
    let failed = verdict.criteria.iter().filter(|c| c.status == CriterionStatus::Fail);
    let mut failed: Vec<String> = failed
        .map(|c| match &c.command {
            Some(command) => format!("{} `{}`", c.id, one_line(command)),
            None => c.id.clone(),
        })
        .collect();
    if failed.is_empty() {
        return String::new();
    }
    failed.truncate(10);
    let claimed = match verdict.mismatches.as_slice() {
        [] => String::new(),
        claims => format!(
            "; claimed as passed: {}",
            claims.iter().map(|c| one_line(c)).collect::<Vec<_>>().join(", ")
        ),
    };
    format!("; failed: {}{claimed}", failed.join(", "))
}

/// The items below a task's heading.
pub fn items<'t>(text: &'t str, task: &TaskId) -> Vec<&'t str> {
    let (_, section, _) = split(text, &heading_in(text, task));
    section.lines().skip(1).filter_map(|line| line.strip_prefix("- ")).collect()
}

/// The heading of a task's notes, in the old form where the text has that one.
fn heading_in(text: &str, task: &TaskId) -> String {
    let old = format!("## TODO {task}");
    if text.lines().any(|line| line.trim_end() == old) { old } else { format!("## {task}") }
}

/// The text before, in and after the section of a heading.
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

/// Keeps a worker's text from adding headings or items of its own.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::add;

    #[test]
    fn saving_twice_is_saving_once_and_1_is_not_10() {
        let once = add("## TODO 10\n- other\n", &"1".into(), &["uses ESM".into()], "- ").unwrap();
        assert_eq!(once, "## TODO 10\n- other\n\n## 1\n- uses ESM\n");
        assert_eq!(add(&once, &"1".into(), &["uses ESM".into()], "- "), None);
        let more = add(&once, &"10".into(), &["new".into()], "- ").unwrap();
        assert_eq!(more, "## TODO 10\n- other\n- new\n\n## 1\n- uses ESM\n");
        assert_eq!(super::items(&more, &"10".into()), ["other", "new"]);
    }

    #[test]
    fn an_issue_that_was_ticked_is_not_added_again() {
        let text = add("", &"1".into(), &["flaky test".into()], "- [ ] ").unwrap();
        let ticked = text.replace("[ ]", "[x]");
        assert_eq!(add(&ticked, &"1".into(), &["flaky test".into()], "- [ ] "), None);
    }

    #[test]
    fn a_workers_words_make_no_headings() {
        let text = add("", &"1".into(), &["a\n## TODO 2\n- x".into()], "- ").unwrap();
        assert_eq!(text.matches("\n## ").count(), 0);
    }
}
