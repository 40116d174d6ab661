//! Who takes over after a failed attempt: the rules of the plan, the routes of `[agents]`, the chain of the workflow.

use crate::answer::outcome::{HANDED_ON, WARNINGS};
use config::Config;
use config::profile::Profile;
use config::workers::{Route, Stop};
use serde_json::Value;
use wire::Order;
use wire::plan::Kind;

/// The rows of `[agents]` for work with quality warnings.
const REFACTOR: [&str; 2] = ["refactor", "refactor-agent"];

/// The next stop after `failed` attempts, if it is another than the next one of the route, and the name under which the plan
/// or the workflow knows it.
pub(crate) fn next(
    config: &Config,
    profile: &Profile,
    order: &Order,
    route: &Route,
    failed: u32,
) -> Option<(Stop, String)> {
    let failure = order.last_failure.as_ref()?;
    let text = |at: &str| failure.pointer(at).and_then(Value::as_str).unwrap_or_default();
    if text("/halt/code") == WARNINGS {
        let times = failure.pointer("/detail").and_then(|detail| detail.get(HANDED_ON)?.as_u64());
        let times = times.and_then(|times| u32::try_from(times).ok()).unwrap_or_default();
        let own = REFACTOR.iter().find_map(|name| Some((config.agents.get(*name)?.after(times)?, *name)));
        let own = own.map(|(stop, name)| (stop.clone(), name.to_owned()));
        return own.or_else(|| Some(known(config, route, nth(&profile.refactoring, times)?)));
    }
    let rules = rules(order);
    let said = rules
        .iter()
        .find(|rule| rule.when.as_ref().is_some_and(|when| is_about(when, text("/halt/message"))));
    if let Some(rule) = said {
        return Some(known(config, route, rule.to.first()?));
    }
    if route.0.len() > 1 {
        return None;
    }
    Some(known(config, route, &of_chain(profile, order, &rules, failed)?))
}

/// The entry of the chain after so many attempts: the chain of the plan, else that of the workflow, then a person. It is
/// for steps with a model and for checkpoints.
fn of_chain(profile: &Profile, order: &Order, rules: &[Rule], failed: u32) -> Option<String> {
    let is_meant = order.task.model.is_some() || order.task.kind == Kind::Checkpoint;
    let before = failed.checked_sub(1).filter(|_| is_meant)?;
    let stated = rules.iter().find(|rule| rule.when.is_none()).map(|rule| rule.to.clone());
    let mut chain = stated.unwrap_or_else(|| profile.escalation.clone());
    if chain.last().is_some_and(|last| last != "user") {
        chain.push("user".to_owned());
    }
    nth(&chain, before).cloned()
}

/// The stop of a name, with the name.
fn known(config: &Config, route: &Route, name: &str) -> (Stop, String) {
    (named(config, route, name), name.to_owned())
}

/// The entry after so many others; the last stays the last.
fn nth(chain: &[String], at: u32) -> Option<&String> {
    chain.get((at as usize).min(chain.len().checked_sub(1)?))
}

/// The stop that a name means: a person, the first of its own row, or the same worker with this model.
fn named(config: &Config, route: &Route, name: &str) -> Stop {
    if name == "user" {
        return Stop::User;
    }
    if let Some(own) = config.agents.get(name).and_then(|row| row.after(0)) {
        return own.clone();
    }
    match route.after(0) {
        Some(Stop::Worker { name: worker, .. }) => {
            Stop::Worker { name: worker.clone(), model: Some(name.to_owned()) }
        }
        _ => Stop::User,
    }
}

/// A rule of the plan: where failures go, all of them or those that are about something.
struct Rule {
    when: Option<String>,
    to: Vec<String>,
}

fn rules(order: &Order) -> Vec<Rule> {
    let rules = order.task.extra.get("escalation").and_then(Value::as_array);
    let rule = |value: &Value| {
        let names = value.get("to")?.as_array()?.iter().filter_map(Value::as_str).map(str::to_owned);
        Some(Rule { when: value.get("when").and_then(Value::as_str).map(str::to_owned), to: names.collect() })
    };
    rules.into_iter().flatten().filter_map(rule).filter(|rule| !rule.to.is_empty()).collect()
}

/// Whether a message has every word of a trigger that says something.
fn is_about(trigger: &str, message: &str) -> bool {
    const EMPTY: [&str; 8] = ["error", "errors", "failure", "failures", "the", "any", "step", "files"];
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.len() > 2);
        words.map(str::to_lowercase).filter(|word| !EMPTY.contains(&word.as_str())).collect()
    };
    let said = words(message);
    let wanted = words(trigger);
    !wanted.is_empty() && wanted.iter().all(|word| said.contains(word))
}

#[cfg(test)]
mod tests {
    use super::is_about;

    #[test]
    fn a_trigger_is_found_by_its_words() {
        assert!(is_about("Permission denied", "the worker gave up: /etc/x: Permission denied (os error 13)"));
        assert!(!is_about("Permission denied", "the worker gave up: file not found"));
        assert!(!is_about("Any step errors", "the worker gave up: errors"));
    }
}
