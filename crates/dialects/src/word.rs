//! The words that plans have for a state.

use wire::State;

/// The state that a word means; case, blanks and hyphens do not count.
pub(crate) fn state(said: &str) -> Option<State> {
    let plain: String =
        said.trim().chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let found = STATES.iter().find(|(words, _)| words.contains(&plain.as_str()));
    found.map(|(_, state)| *state)
}

/// Deferred and pinned work is not done and not to be done now; what was cancelled is done with.
#[rustfmt::skip]
const STATES: &[(&[&str], State)] = &[
    (&["pending", "todo", "open", "backlog", "ready", "notstarted", "draft", "planned", "new", "queued"], State::Pending),
    (&["inprogress", "active", "running", "doing", "started", "review", "inreview", "hooked", "wip"], State::InProgress),
    (&["done", "completed", "complete", "closed", "finished", "resolved", "success", "passed"], State::Completed),
    (&["blocked", "deferred", "onhold", "pinned", "waiting", "paused"], State::Blocked),
    (&["failed", "error"], State::Failed),
    (&["cancelled", "canceled", "skipped", "wontfix", "wontdo", "archived", "obsolete", "superseded"], State::Skipped),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_known_in_every_spelling() {
        for (said, is) in [
            ("in-progress", State::InProgress),
            ("In Progress", State::InProgress),
            ("to do", State::Pending),
            ("COMPLETE", State::Completed),
            ("won't do", State::Skipped),
            ("deferred", State::Blocked),
        ] {
            assert_eq!(state(said), Some(is), "{said}");
        }
        assert_eq!(state("perhaps"), None);
        assert_eq!(state(""), None);
    }
}
