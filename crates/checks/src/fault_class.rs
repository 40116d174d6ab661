//! Whose fault a failure is, by the words of an output or of a worker: the machine's or the work's.

use regex::RegexSet;
use std::sync::LazyLock;

/// What in an output points to the machine, and not to the work: one row a class, in lower case.
const MACHINE: [&str; 8] = [
    // The network: something with a connection did not come about.
    r"\b(connection|connect|operation|request|socket|network|handshake|server)\b[^\n]{0,60}\b(timed out|refused|reset|unreachable|aborted)\b|\b(connection|connect|network|request|read|i/o|socket|gateway) timeout\b|timeout was reached",
    r"\b(timed out|refused|unreachable)\b[^\n]{0,40}\b(connection|connecting|connect|network|host|socket|proxy|dns)\b",
    r"\be(timedout|connrefused|connreset|notfound|ai_again|netunreach|hostunreach)\b|\bgetaddrinfo\b|no route to host",
    r"(could not|cannot|can't|failed to) resolve (host|the host|hostname|proxy)|name or service not known|failure in name resolution",
    // Keys and rights.
    r"\b(api|access|secret|auth)[ _-]?(key|token)\b|[a-z0-9]_(key|token|secret|password)\b[^\n]{0,30}\b(not set|unset|missing|required|unbound)\b",
    r"\bunauthorized\b|authentication (failed|required)|invalid credentials|permission denied|operation not permitted|read-only file system|\beacces\b",
    // What the machine has not enough of, or not at all.
    r"no space left on device|cannot allocate memory|out of memory|too many open files|disk quota exceeded|command not found",
    r"too many requests|rate limit (exceeded|reached)",
];

/// What in a worker's words points to the work: a class of errors, or tests and checks that fail.
const WORK: [&str; 3] = [
    r"\b(type|lint|linter|linting|syntax|compile|compiler|compilation|build|import|reference|name|assertion|test|unit test)[ _-]?(errors?|failures?|failed|fails)\b",
    r"\b(tests?|specs?|checks?|assertions?|clippy|lints?)\b[^\n.;]{0,40}\b(fail|fails|failed|failing|red)\b",
    r"\b(does|do|did) not (compile|build|type-?check|parse|lint)\b",
];

static MACHINE_PATTERNS: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(MACHINE).ok());
static WORK_PATTERNS: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(WORK).ok());

/// Whether a text points to what the machine lacks: a network, a key, a right, space.
pub fn is_machine(text: &str) -> bool {
    MACHINE_PATTERNS.as_ref().is_some_and(|patterns| patterns.is_match(&text.to_lowercase()))
}

/// Whether a worker's words point to the work itself.
pub fn is_work(text: &str) -> bool {
    WORK_PATTERNS.as_ref().is_some_and(|patterns| patterns.is_match(&text.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::{is_machine, is_work};

    #[test]
    fn what_the_machine_lacks_is_told_from_what_the_work_lacks() {
        for text in [
            "curl: (28) Operation timed out: network timeout",
            "curl: (28) Failed to connect to example.test port 443 after 130 ms: Timeout was reached",
            "curl: (7) Failed to connect to localhost port 5432 after 0 ms: Connection refused",
            "dial tcp 10.0.0.1:443: i/o timeout while connecting to host",
            "Error: connect ECONNREFUSED 127.0.0.1:6379",
            "getaddrinfo EAI_AGAIN registry.example",
            "curl: (6) Could not resolve host: example.test",
            "psycopg2.OperationalError: connection to server at \"db\" refused",
            "Error: OPENAI_API_KEY is not set",
            "DB_PASSWORD: unbound variable or missing: required",
            "API key missing",
            "open /etc/shadow: permission denied",
            "write: no space left on device",
            "sh: 1: cargo: command not found",
        ] {
            assert!(is_machine(text), "{text}");
        }
        for text in [
            "error[E0308]: mismatched types",
            "assertion failed: left == right",
            "src/a.ts(42,7): error TS2322: Type 'string' is not assignable to type 'number'.",
            "the host was renamed and its timeout halved",
            "expected key 'name' in the dictionary",
        ] {
            assert!(!is_machine(text), "{text}");
        }
    }

    #[test]
    fn a_worker_s_words_about_the_work_are_told_from_others() {
        for text in [
            "Type error in line 42",
            "lint failure, test failure 3",
            "3 tests still fail",
            "the unit tests of the parser are failing",
            "src/a.rs does not compile",
            "ImportError: no module named shop",
        ] {
            assert!(is_work(text), "{text}");
        }
        for text in ["it cannot be done", "the store is not configured", "which type of error is wanted?"] {
            assert!(!is_work(text), "{text}");
        }
    }
}
