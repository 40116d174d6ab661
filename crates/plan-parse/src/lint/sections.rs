//! Rules about the required parts of a PLAN.md: its sections, its Final, and a rule about git in every task.

use super::{Finding, LintContext};
use wire::plan::Kind;

/// The sections that are needed to carry out the plan.
pub(crate) fn missing(ground: &LintContext) -> Vec<Finding> {
    absent(ground, &[&["dependency graph"], &["commit strategy"], &["todos", "todo list", "todo"]])
}

/// The other sections of the template.
pub(crate) fn template(ground: &LintContext) -> Vec<Finding> {
    absent(
        ground,
        &[
            &["verification summary"],
            &["external dependencies strategy"],
            &["context"],
            &["work objectives"],
            &["task flow"],
            &["parallelization"],
            &["error handling"],
            &["runtime contract"],
        ],
    )
}

/// A plan without a Final.
pub(crate) fn no_final(ground: &LintContext) -> Vec<Finding> {
    if !ground.has_template() || ground.task("final").is_some() {
        return Vec::new();
    }
    vec![Finding::whole(ground.plan, "there is no 'TODO Final', so nothing verifies the whole".to_owned())]
}

/// A Final that is not a verification.
pub(crate) fn final_kind(ground: &LintContext) -> Vec<Finding> {
    let last = ground.task("final").and_then(|index| ground.plan.tasks.get(index));
    let wrong = last.filter(|task| ground.has_template() && task.kind != Kind::Verification);
    wrong
        .map(|task| Finding::of(task, "'TODO Final' is not of type verification".to_owned()))
        .into_iter()
        .collect()
}

/// Work tasks that do not forbid git to the worker.
pub(crate) fn git(ground: &LintContext) -> Vec<Finding> {
    let says = |text: &String| text.to_ascii_lowercase().contains("git");
    let work = ground.plan.tasks.iter().filter(|task| task.kind == Kind::Work && ground.has_template());
    work.filter(|task| !task.must_not.iter().any(says))
        .map(|task| {
            Finding::of(task, format!("'Must NOT do' of task '{}' does not forbid git commands", task.id))
        })
        .collect()
}

fn absent(ground: &LintContext, wanted: &[&[&str]]) -> Vec<Finding> {
    if !ground.has_template() {
        return Vec::new();
    }
    let headings = ground.outlines.iter().flat_map(|outline| {
        let own = outline.headings.iter().filter(|heading| heading.mark.is_none() && !heading.inner);
        own.map(|heading| title(outline.str(heading.at)))
    });
    let headings: Vec<String> = headings.collect();
    let missing = wanted
        .iter()
        .filter(|names| !headings.iter().any(|heading| names.iter().any(|name| heading.starts_with(name))));
    let missing: Vec<_> = missing.filter_map(|names| names.first()).map(|name| format!("'{name}'")).collect();
    if missing.is_empty() {
        return Vec::new();
    }
    vec![Finding::whole(ground.plan, format!("there is no section {}", missing.join(", ")))]
}

/// A heading in lower case without signs and without a leading number.
fn title(text: &str) -> String {
    text.trim_start_matches(|c: char| !c.is_alphabetic()).to_lowercase()
}
