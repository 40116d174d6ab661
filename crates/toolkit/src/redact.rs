//! Secrets are masked where text is first written.

use crate::{Fail, env};
use regex::Regex;

/// What is masked.
pub struct Redact {
    patterns: Vec<Regex>,
    values: Vec<String>,
}

const MASK: &str = "[masked]";

/// Shapes of keys that are secret whoever they belong to.
const SHAPES: [&str; 5] = [
    r"\bsk-[A-Za-z0-9_-]{20,}",
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",
    r"\bAKIA[0-9A-Z]{16}\b",
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}",
    r"-----BEGIN [A-Z ]*PRIVATE KEY-----",
];

impl Redact {
    /// The usual shapes, the configuration's own patterns and the environment's secret values.
    pub fn new(extra: &[String]) -> Result<Self, Fail> {
        let compile = |p: &str| {
            Regex::new(p)
                .map_err(|e| Fail::config("bad-redact", format!("'{p}' in [redact] is no pattern: {e}")))
        };
        let patterns = SHAPES
            .iter()
            .copied()
            .chain(extra.iter().map(String::as_str))
            .map(compile)
            .collect::<Result<_, _>>()?;
        Ok(Self { patterns, values: env::secrets() })
    }

    /// The text with every secret masked.
    pub fn text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for value in &self.values {
            if out.contains(value.as_str()) {
                out = out.replace(value.as_str(), MASK);
            }
        }
        for pattern in &self.patterns {
            if pattern.is_match(&out) {
                out = pattern.replace_all(&out, MASK).into_owned();
            }
        }
        out
    }
}
