//! The meaning of a service's error, for every client and every wording.
//!
//! Clients pass the service's answer on as a status code, as JSON inside JSON, or as a sentence. A code takes
//! precedence; words count only in text that the client itself marks as an error, never in an agent's own prose.

use crate::adapters::reading::{Fault, cut};
use regex::Regex;
use std::sync::LazyLock;
use wire::order::Outcome;

/// Words of an error and their meaning; the first matching row counts.
const WORDS: [(&str, Outcome); 15] = [
    ("missing environment variable", Outcome::EnvMissing),
    ("api key not found", Outcome::EnvMissing),
    ("authentication", Outcome::AuthError),
    ("unauthorized", Outcome::AuthError),
    ("invalid api key", Outcome::AuthError),
    ("not logged in", Outcome::AuthError),
    ("invalid auth", Outcome::AuthError),
    ("providerautherror", Outcome::AuthError),
    ("rate_limit", Outcome::RateLimited),
    ("rate limit", Outcome::RateLimited),
    ("ratelimit", Outcome::RateLimited),
    ("too many requests", Outcome::RateLimited),
    ("usage limit", Outcome::RateLimited),
    ("quota", Outcome::RateLimited),
    ("resource_exhausted", Outcome::RateLimited),
];

/// Refusals that may not occur at another time.
const AGAIN: [u64; 2] = [408, 409];

/// A status code in a place where a client writes one.
static CODE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)(?:status(?:code)?|"code\\*"|api error|error \(|rejected \(|http)[\s:"\\(]*([1-5]\d\d)\b"#,
    )
    .ok()
});

/// The meaning of an error that a client reports.
pub(crate) fn of(status: Option<u64>, message: &str) -> Fault {
    let code = status.or_else(|| code_in(message));
    let outcome = code.and_then(by_code).unwrap_or_else(|| by_words(message));
    let lasting =
        outcome == Outcome::ApiError && code.is_some_and(|code| code < 500 && !AGAIN.contains(&code));
    Fault { lasting, ..Fault::new(outcome, cut(message.trim(), 400)) }
}

/// The status code in an error message.
pub(crate) fn code_in(message: &str) -> Option<u64> {
    CODE.as_ref()?.captures(message)?.get(1)?.as_str().parse().ok()
}

fn by_code(code: u64) -> Option<Outcome> {
    match code {
        401 | 403 => Some(Outcome::AuthError),
        429 => Some(Outcome::RateLimited),
        400..=599 => Some(Outcome::ApiError),
        _ => None,
    }
}

fn by_words(message: &str) -> Outcome {
    let message = message.to_lowercase();
    WORDS.iter().find(|(word, _)| message.contains(word)).map_or(Outcome::ApiError, |(_, outcome)| *outcome)
}

#[cfg(test)]
mod tests {
    use super::of;
    use wire::order::Outcome;

    #[test]
    fn codes_and_words_of_real_clients_are_understood() {
        let rows = [
            ("exceeded retry limit, last status: 429 Too Many Requests", Outcome::RateLimited),
            (
                "unexpected status 401 Unauthorized: invalid key, url: http://127.0.0.1:42823/v1",
                Outcome::AuthError,
            ),
            (
                "unexpected status 529 <unknown status code>: Overloaded, url: http://127.0.0.1:429/v1",
                Outcome::ApiError,
            ),
            ("Server error: Server error (529 <unknown status code>): Overloaded.", Outcome::ApiError),
            ("Authentication failed. Status: 401 Unauthorized.", Outcome::AuthError),
            (r#"{\"error\":{\"message\":\"no\",\"code\":401}}"#, Outcome::AuthError),
            (r#"{"error": {"type": "invalid_request_error", "code": 400}}"#, Outcome::ApiError),
            ("Missing environment variable: `SOME_API_KEY`.", Outcome::EnvMissing),
            ("Not logged in · Please run /login", Outcome::AuthError),
            ("stream disconnected before completion", Outcome::ApiError),
        ];
        for (message, outcome) in rows {
            assert_eq!(of(None, message).outcome, outcome, "{message}");
        }
        assert_eq!(of(Some(429), "words").outcome, Outcome::RateLimited);
    }
}
