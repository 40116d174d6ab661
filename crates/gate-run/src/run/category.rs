//! Decides by rule whose fault a failed check is: the machine's, the work's, or unknown.

use checks::reports;
use regex::RegexSet;
use std::sync::LazyLock;
use wire::Gate;
use wire::gate::{Status, StopReason};
use wire::order::Category;

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

static PATTERNS: LazyLock<Option<RegexSet>> = LazyLock::new(|| RegexSet::new(MACHINE).ok());

/// The category of a failure, from the checks that did not pass.
pub(crate) fn of<'a>(gates: impl Iterator<Item = &'a Gate>) -> Category {
    let failed: Vec<_> = gates.filter(|gate| gate.status == Status::Fail).collect();
    if failed.iter().any(|gate| is_machine(gate)) {
        Category::EnvError
    } else if failed.iter().all(|gate| gate.stop_reason == StopReason::Signalled) {
        // A crash or an external kill: the cause may be the work, the machine, or another process.
        Category::Unknown
    } else {
        Category::CodeError
    }
}

/// If tests ran, their output is about the work.
fn is_machine(gate: &Gate) -> bool {
    let text = gate.last_output_lines.join("\n");
    let tests_ran = reports::find(&text).is_some_and(|(_, counts)| counts.ran());
    let text = text.to_lowercase();
    !tests_ran && PATTERNS.as_ref().is_some_and(|patterns| patterns.is_match(&text))
}

#[cfg(test)]
mod tests {
    use super::PATTERNS;

    #[test]
    fn what_the_machine_lacks_is_told_from_what_the_work_lacks() {
        let is_machine =
            |text: &str| PATTERNS.as_ref().is_some_and(|patterns| patterns.is_match(&text.to_lowercase()));
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
}
