//! Rules about risk.

use super::{Finding, LintContext};
use serde_json::Value;

/// High-risk tasks without a rollback.
pub(crate) fn no_rollback(ground: &LintContext) -> Vec<Finding> {
    let high = |value: Option<&Value>| {
        let text = value.and_then(Value::as_str).unwrap_or_default().trim_start_matches(['*', '`', ' ']);
        text.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("high"))
    };
    let risky = ground.plan.tasks.iter().filter(|task| high(task.extra.get("risk")));
    risky
        .filter(|task| !task.extra.contains_key("rollback"))
        .map(|task| Finding::of(task, format!("task '{}' is of high risk and has no rollback", task.id)))
        .collect()
}
