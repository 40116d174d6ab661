//! Masks secrets where text is first written.
//!
//! Works on bytes, not characters, so that binary output keeps every byte that is not secret.

pub(crate) mod file;

use crate::Fail;
use crate::cli::env;
use memchr::memmem;
use regex::bytes::Regex;
use serde::Deserialize;
use std::ops::Range;
use std::sync::OnceLock;

/// More secrets to mask: `[redact]` in the configuration.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct RedactConfig {
    /// Regular expressions.
    pub patterns: Vec<String>,
    /// Names of variables whose values are secret.
    pub env: Vec<String>,
}

/// The secrets to mask.
pub struct Redact {
    /// From the configuration.
    patterns: Vec<Regex>,
    /// All of [`SHAPES`], compiled once one may occur: compiling them costs more than starting a small program.
    shapes: OnceLock<Option<Regex>>,
    values: Vec<String>,
}

const MASK: &[u8] = b"[masked]";

/// The shortest value that is masked.
const SHORTEST: usize = 4;

/// Shapes of keys that are always secret, each with a substring that every such key contains.
const SHAPES: [(&str, &str); 7] = [
    ("sk-", r"(?-u:\b)sk-[A-Za-z0-9_-]{20,}"),
    ("gh", r"(?-u:\b)gh[pousr]_[A-Za-z0-9]{20,}"),
    ("AKIA", r"(?-u:\b)AKIA[0-9A-Z]{16}(?-u:\b)"),
    ("xox", r"(?-u:\b)xox[abprs]-[A-Za-z0-9-]{10,}"),
    ("eyJ", r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}"),
    // The password in a URL, with everything before it.
    ("://", r"(?-u)[a-z][a-z0-9+.-]*://[^/\s:@'\x22]*:[^/\s@'\x22]+@"),
    // Up to the end marker, or to the end of the text.
    ("PRIVATE KEY", r"(?s-u)-----BEGIN [A-Z ]*PRIVATE KEY-----(.*?-----END [A-Z ]*PRIVATE KEY-----|.*)"),
];

impl Redact {
    /// The usual shapes, the configuration's own patterns and the environment's secret values.
    pub fn new(extra: &[String]) -> Result<Self, Fail> {
        let compile = |p: &String| {
            Regex::new(p)
                .map_err(|e| Fail::config("bad-redact", format!("'{p}' in [redact] is no pattern: {e}")))
        };
        let patterns = extra.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { patterns, shapes: OnceLock::new(), values: env::secrets() })
    }

    /// The same with `[redact]`: its patterns, and the values of the variables that it names.
    pub fn of(config: &RedactConfig) -> Result<Self, Fail> {
        let named = config.env.iter().filter_map(|name| env::get(name));
        Ok(Self::new(&config.patterns)?.and(named))
    }

    /// Adds values to mask, except very short ones, which would mask half of every text.
    #[must_use]
    pub fn and(mut self, values: impl IntoIterator<Item = String>) -> Self {
        self.values.extend(values.into_iter().filter(|value| value.len() >= SHORTEST));
        self
    }

    /// The text with every secret masked.
    pub fn text(&self, text: &str) -> String {
        let secrets = self.secrets(text.as_bytes());
        if secrets.is_empty() {
            return text.to_owned();
        }
        let mut out = Vec::with_capacity(text.len());
        masked(text.as_bytes(), &secrets, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    /// The ranges of the secrets, sorted, none touching another.
    fn secrets(&self, text: &[u8]) -> Vec<Range<usize>> {
        let mut found: Vec<Range<usize>> = Vec::new();
        for value in &self.values {
            found.extend(memmem::find_iter(text, value).map(|at| at..at + value.len()));
        }
        for pattern in self.shapes(text).into_iter().chain(&self.patterns) {
            found.extend(pattern.find_iter(text).map(|hit| hit.range()).filter(|hit| !hit.is_empty()));
        }
        found.sort_by_key(|secret| secret.start);
        found.dedup_by(|next, last| {
            let touching = next.start <= last.end;
            last.end = if touching { last.end.max(next.end) } else { last.end };
            touching
        });
        found
    }

    /// The compiled shapes, if one of them may occur in the text.
    fn shapes(&self, text: &[u8]) -> Option<&Regex> {
        let maybe = || SHAPES.iter().any(|(part, _)| memmem::find(text, part.as_bytes()).is_some());
        if self.shapes.get().is_none() && !maybe() {
            return None;
        }
        let all = || SHAPES.map(|(_, shape)| format!("(?:{shape})")).join("|");
        self.shapes.get_or_init(|| Regex::new(&all()).ok()).as_ref()
    }
}

/// Masks secrets in an argument that is kept; a value parser for arguments.
pub fn typed(text: &str) -> Result<String, String> {
    Redact::new(&[]).map(|redact| redact.text(text)).map_err(|fail| fail.message)
}

/// Writes the text with these ranges masked.
fn masked(text: &[u8], secrets: &[Range<usize>], out: &mut Vec<u8>) {
    let mut at = 0;
    for secret in secrets {
        out.extend_from_slice(&text[at..secret.start]);
        out.extend_from_slice(MASK);
        at = secret.end;
    }
    out.extend_from_slice(&text[at..]);
}

#[cfg(test)]
mod tests {
    use super::Redact;

    const KEY: &str = "sk-abcdefghijklmnopqrstuvwxyz";

    fn redact(values: &[&str]) -> Redact {
        Redact::new(&["id-[0-9]+".to_owned()]).unwrap().and(values.iter().map(ToString::to_string))
    }

    #[test]
    fn values_patterns_and_shapes_are_masked_and_nothing_else() {
        let redact = redact(&["hunter2", "two\nlines"]);
        assert_eq!(redact.text("plain"), "plain");
        assert_eq!(redact.text(&format!("a hunter2 id-7 {KEY} b")), "a [masked] [masked] [masked] b");
        assert_eq!(redact.text("x two\nlines y"), "x [masked] y");
        assert_eq!(redact.text("hunter2hunter2"), "[masked]");
    }

    #[test]
    fn tokens_and_passwords_in_addresses_are_masked() {
        let jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
        assert_eq!(redact(&[]).text(&format!("Bearer {jwt}.")), "Bearer [masked].");
        assert_eq!(redact(&[]).text("see postgres://me:pa-ss@db/x"), "see [masked]db/x");
        for plain in ["https://example.com/a:b@c", "http://localhost:8080/x", "git@host:me/x.git", "eyJ.x.y"]
        {
            assert_eq!(redact(&[]).text(plain), plain);
        }
    }

    #[test]
    fn a_private_key_is_masked_with_its_body() {
        let pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIE\nabc=\n-----END RSA PRIVATE KEY-----";
        assert_eq!(redact(&[]).text(&format!("a\n{pem}\nb")), "a\n[masked]\nb");
        assert_eq!(redact(&[]).text("-----BEGIN PRIVATE KEY-----\nMIIE"), "[masked]");
    }
}
