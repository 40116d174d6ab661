//! Secrets are masked where text is first written.

use crate::config::RedactConfig;
use crate::{Fail, env};
use regex::Regex;
use std::sync::OnceLock;

/// What is masked.
pub struct Redact {
    /// The configuration's own.
    patterns: Vec<Regex>,
    /// Those of [`SHAPES`] that were needed so far: compiling one costs more than starting a small program.
    shapes: [OnceLock<Option<Regex>>; SHAPES.len()],
    values: Vec<String>,
}

const MASK: &str = "[masked]";

/// The shortest value that is masked wherever it stands.
const SHORTEST: usize = 4;

/// Shapes of keys that are secret whoever they belong to, each with what every such key holds.
const SHAPES: [(&str, &str); 5] = [
    ("sk-", r"\bsk-[A-Za-z0-9_-]{20,}"),
    ("gh", r"\bgh[pousr]_[A-Za-z0-9]{20,}"),
    ("AKIA", r"\bAKIA[0-9A-Z]{16}\b"),
    ("xox", r"\bxox[abprs]-[A-Za-z0-9-]{10,}"),
    ("PRIVATE KEY", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
];

impl Redact {
    /// The usual shapes, the configuration's own patterns and the environment's secret values.
    pub fn new(extra: &[String]) -> Result<Self, Fail> {
        let compile = |p: &String| {
            Regex::new(p)
                .map_err(|e| Fail::config("bad-redact", format!("'{p}' in [redact] is no pattern: {e}")))
        };
        let patterns = extra.iter().map(compile).collect::<Result<_, _>>()?;
        Ok(Self { patterns, shapes: Default::default(), values: env::secrets() })
    }

    /// The same with what `[redact]` says: its patterns, and the values of the variables that it names.
    pub fn of(config: &RedactConfig) -> Result<Self, Fail> {
        let named = config.env.iter().filter_map(|name| env::get(name));
        Ok(Self::new(&config.patterns)?.and(named))
    }

    /// More values to mask. Very short ones would mask half of every text.
    #[must_use]
    pub fn and(mut self, values: impl IntoIterator<Item = String>) -> Self {
        self.values.extend(values.into_iter().filter(|value| value.len() >= SHORTEST));
        self
    }

    /// The text with every secret masked.
    pub fn text(&self, text: &str) -> String {
        let mut out = text.to_owned();
        for value in &self.values {
            if out.contains(value.as_str()) {
                out = out.replace(value.as_str(), MASK);
            }
        }
        let shapes = SHAPES.iter().zip(&self.shapes).filter(|((part, _), _)| text.contains(part));
        let shapes =
            shapes.filter_map(|((_, shape), kept)| kept.get_or_init(|| Regex::new(shape).ok()).as_ref());
        for pattern in shapes.chain(&self.patterns) {
            if pattern.is_match(&out) {
                out = pattern.replace_all(&out, MASK).into_owned();
            }
        }
        out
    }
}
