//! The `Verify` block: YAML of one known shape.
//!
//! A program acts on `commands: [{run, expect}]`, `risk` and `rollback`; the lines of the other known keys are kept as
//! they are. Everything else is a warning and a check that a person has to make, never a guess.

use markdown::yaml::{self, Broken, Node, What};
use markdown::{Extent, Fence, Outline};
use wire::plan::{Diagnostic, Severity};

/// The content of a block.
#[derive(Default)]
pub(crate) struct Verify {
    pub(crate) commands: Vec<Run>,
    pub(crate) risk: Option<String>,
    pub(crate) rollback: Option<String>,
    /// The other keys with their lines.
    pub(crate) other: Vec<(String, Vec<String>)>,
    /// The lines that are not understood.
    pub(crate) unclear: Vec<Extent>,
}

/// One command.
pub(crate) struct Run {
    pub(crate) command: String,
    pub(crate) expect: Option<String>,
    /// The line of the command.
    pub(crate) at: Extent,
}

/// Whether a fence without a label is a verify block.
pub(crate) fn is_block(outline: &Outline, fence: &Fence) -> bool {
    let text = outline.str(fence.content).trim_start();
    matches!(fence.language.as_str(), "yaml" | "yml")
        && text.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("verify:"))
}

/// Reads a block.
pub(crate) fn read(outline: &Outline, fence: &Fence, diagnostics: &mut Vec<Diagnostic>) -> Verify {
    let text = outline.str(fence.content);
    let mut reader = Reader { text, start: fence.content.start, verify: Verify::default(), why: None };
    match yaml::read(text) {
        Ok(node) => reader.block(node),
        Err(Broken { at, why }) => reader.unclear(at, &format!("it is not valid YAML: {why}")),
    }
    if let Some((at, why)) = reader.why {
        let message = format!(
            "part of the verify block is not understood ({why}): write 'commands:' and below it \
             '- run: \"COMMAND\"' with 'expect: \"TEXT\"'"
        );
        diagnostics.push(outline.diagnostic(Severity::Warning, "verify-not-understood", message, at));
    }
    reader.verify
}

struct Reader<'t> {
    text: &'t str,
    /// Where the block stands in the file.
    start: usize,
    verify: Verify,
    /// The first place that is not understood, and the reason.
    why: Option<(usize, String)>,
}

impl Reader<'_> {
    fn block(&mut self, node: Node) {
        let at = node.at;
        let mut pairs = match node.what {
            What::Map(pairs) => pairs,
            What::Null => return,
            _ => return self.unclear(at, "it has no keys"),
        };
        if let [(key, _)] = pairs.as_slice()
            && word(key) == "verify"
        {
            let inner = pairs.pop().map(|(_, value)| value);
            return inner.into_iter().for_each(|inner| self.block(inner));
        }
        let ends: Vec<usize> = pairs.iter().skip(1).map(|(key, _)| key.at).chain([self.text.len()]).collect();
        for ((key, value), end) in pairs.into_iter().zip(ends) {
            let at = key.at;
            match word(&key).as_str() {
                "commands" => self.commands(value),
                "risk" => self.verify.risk = self.single(at, value).or(self.verify.risk.take()),
                "rollback" => self.verify.rollback = self.single(at, value).or(self.verify.rollback.take()),
                key @ ("acceptance" | "integration" | "manual") => self.other(key, at, end),
                key => self.unclear(at, &format!("there is no '{key}'")),
            }
        }
    }

    fn commands(&mut self, node: Node) {
        let at = node.at;
        match node.what {
            What::Null => {}
            What::List(list) => list.into_iter().for_each(|entry| self.command(entry)),
            _ => self.unclear(at, "'commands' is a list"),
        }
    }

    fn command(&mut self, entry: Node) {
        let (at, pairs) = (
            entry.at,
            match entry.what {
                What::Text(command) => return self.run(entry.at, &command, None),
                What::Map(pairs) => pairs,
                What::Other(what) => return self.unclear(entry.at, &format!("a command holds {what}")),
                What::Null | What::List(_) => return self.unclear(entry.at, "a command has 'run'"),
            },
        );
        let known = self.verify.unclear.len();
        let (mut run, mut expect) = (None, None);
        for (key, value) in pairs {
            let at = key.at;
            match word(&key).as_str() {
                "run" | "command" | "cmd" if run.is_none() => {
                    run = self.single(at, value).filter(|run| !run.is_empty()).map(|run| (at, run));
                }
                "expect" | "expected" if expect.is_none() => expect = self.single(at, value),
                key => self.unclear(at, &format!("a command has no '{key}', or has it twice")),
            }
        }
        match run {
            Some((at, command)) => self.run(at, &command, expect),
            None if self.verify.unclear.len() > known => {}
            None => self.unclear(at, "a command has 'run'"),
        }
    }

    fn run(&mut self, at: usize, command: &str, expect: Option<String>) {
        let at = self.line(at);
        let command = command.trim().to_owned();
        self.verify.commands.push(Run { command, expect, at });
    }

    /// The text of a value; `at` is its key.
    fn single(&mut self, at: usize, value: Node) -> Option<String> {
        let what = match value.what {
            What::Text(text) => return Some(text.trim().to_owned()),
            What::Null => return None,
            What::List(_) => "a list",
            What::Map(_) => "a map",
            What::Other(what) => what,
        };
        self.unclear(at, &format!("YAML reads the value as {what}, put it in quotes"));
        None
    }

    /// Keeps the lines of a key as they are.
    fn other(&mut self, key: &str, from: usize, to: usize) {
        let text = self.text.get(from..to).unwrap_or_default();
        let lines = text.split_once(':').map_or("", |(_, lines)| lines).lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#') && *line != "[]");
        let lines: Vec<String> = lines.map(str::to_owned).collect();
        if !lines.is_empty() {
            self.verify.other.push((key.to_owned(), lines));
        }
    }

    fn unclear(&mut self, at: usize, why: &str) {
        let line = self.line(at);
        self.why.get_or_insert_with(|| (line.start, why.to_owned()));
        self.verify.unclear.push(line);
    }

    /// The line of a byte, in the file.
    fn line(&self, at: usize) -> Extent {
        let (before, after) = self.text.split_at_checked(at).unwrap_or((self.text, ""));
        let start = before.rfind('\n').map_or(0, |end| end + 1);
        let end = after.find('\n').map_or(self.text.len(), |end| before.len() + end);
        let line = self.text.get(start..end).unwrap_or_default().trim_end();
        Extent { start: self.start + start, end: self.start + start + line.len() }
    }
}

/// A key in small letters.
fn word(key: &Node) -> String {
    match &key.what {
        What::Text(text) => text.trim().to_lowercase(),
        _ => String::new(),
    }
}
