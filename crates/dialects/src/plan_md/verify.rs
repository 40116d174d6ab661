//! The `Verify` block: YAML of one known shape, read line by line.
//!
//! Only `commands: [{run, expect}]`, `risk` and `rollback` mean something to a program; the other known keys are kept as
//! they are. What is not understood is a warning, never a guess.

use crate::{Extent, Fence, Outline};
use wire::plan::{Diagnostic, Severity};

/// What a block says.
#[derive(Default)]
pub(crate) struct Verify {
    pub(crate) commands: Vec<Run>,
    pub(crate) risk: Option<String>,
    pub(crate) rollback: Option<String>,
    /// The other keys with their lines.
    pub(crate) other: Vec<(String, Vec<String>)>,
}

/// One command.
#[derive(Default)]
pub(crate) struct Run {
    pub(crate) command: String,
    pub(crate) expect: Option<String>,
    /// The line of the command.
    pub(crate) at: Extent,
}

/// Whether a fence is a verify block although no label announces it.
pub(crate) fn is_block(outline: &Outline, fence: &Fence) -> bool {
    let text = outline.str(fence.content).trim_start();
    matches!(fence.language.as_str(), "yaml" | "yml")
        && text.get(..7).is_some_and(|head| head.eq_ignore_ascii_case("verify:"))
}

/// Reads a block.
pub(crate) fn read(outline: &Outline, fence: &Fence, diagnostics: &mut Vec<Diagnostic>) -> Verify {
    let mut reader =
        Reader { verify: Verify::default(), key: String::new(), base: None, block: None, strange: None };
    let mut start = fence.content.start;
    let text = outline.str(fence.content);
    for line in text.split_inclusive('\n') {
        let at = Extent { start, end: start + line.trim_end().len() };
        start += line.len();
        reader.line(line.trim_end(), at);
    }
    if let Some(at) = reader.strange {
        let message = "part of the verify block is not understood and left out".to_owned();
        diagnostics.push(outline.diagnostic(Severity::Warning, "verify-not-understood", message, at));
    }
    reader.verify
}

struct Reader {
    verify: Verify,
    /// The top key that the lines belong to.
    key: String,
    /// The indent of the top keys.
    base: Option<usize>,
    /// A block scalar that is being read.
    block: Option<Block>,
    /// Where the first line stands that means nothing to us.
    strange: Option<usize>,
}

struct Block {
    key: String,
    indent: usize,
    folded: bool,
    at: Extent,
    lines: Vec<String>,
}

impl Reader {
    fn line(&mut self, line: &str, at: Extent) {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if let Some(mut block) = self.block.take() {
            if text.is_empty() || indent > block.indent {
                block.lines.push(line.to_owned());
                self.block = Some(block);
                return;
            }
            self.end_block(&block);
        }
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        if self.base.is_none() && text.to_ascii_lowercase().starts_with("verify:") && text.len() == 7 {
            return;
        }
        let base = *self.base.get_or_insert(indent);
        if indent <= base && !text.starts_with("- ") {
            return self.top(text, indent, at);
        }
        match self.key.as_str() {
            "commands" => self.command(text, indent, at),
            _ => self.other(text),
        }
    }

    fn top(&mut self, text: &str, indent: usize, at: Extent) {
        let Some((key, value)) = text.split_once(':') else { return self.strange(at) };
        self.key = key.trim().to_lowercase();
        let value = value.trim();
        match (self.key.as_str(), value) {
            ("risk" | "rollback", _) => {
                let key = self.key.clone();
                self.value(&key, value, indent, at);
            }
            ("commands" | "acceptance" | "integration" | "manual", "" | "[]") => {}
            ("acceptance" | "integration" | "manual", _) => self.other(value),
            _ => self.strange(at),
        }
    }

    fn command(&mut self, text: &str, indent: usize, at: Extent) {
        let (entry, indent) = match text.strip_prefix("- ") {
            Some(rest) => {
                self.verify.commands.push(Run::default());
                (rest.trim_start(), indent + text.len() - rest.trim_start().len())
            }
            None => (text, indent),
        };
        if let Some(flow) = entry.strip_prefix('{').and_then(|flow| flow.strip_suffix('}')) {
            for part in commas(flow) {
                self.entry(part.trim(), indent, at);
            }
            return;
        }
        let quoted = entry.starts_with(['"', '\'']);
        if quoted && text.starts_with("- ") {
            return self.value("run", entry, indent, at);
        }
        self.entry(entry, indent, at);
    }

    fn entry(&mut self, text: &str, indent: usize, at: Extent) {
        match text.split_once(':').map(|(key, value)| (key.trim(), value.trim())) {
            Some(("run" | "command" | "cmd", value)) => self.value("run", value, indent, at),
            Some(("expect" | "expected", value)) => self.value("expect", value, indent, at),
            _ => self.strange(at),
        }
    }

    fn value(&mut self, key: &str, value: &str, indent: usize, at: Extent) {
        if matches!(value, "|" | "|-" | "|+" | ">" | ">-" | ">+") {
            let folded = value.starts_with('>');
            self.block = Some(Block { key: key.to_owned(), indent, folded, at, lines: Vec::new() });
            return;
        }
        match scalar(value) {
            Some(value) => self.set(key, value, at),
            None => self.strange(at),
        }
    }

    fn set(&mut self, key: &str, value: String, at: Extent) {
        let last = self.verify.commands.last_mut();
        match (key, last) {
            ("risk", _) => self.verify.risk = Some(value),
            ("rollback", _) => self.verify.rollback = Some(value),
            ("run", Some(run)) => (run.command, run.at) = (value, at),
            ("expect", Some(run)) => run.expect = Some(value),
            _ => self.strange(at),
        }
    }

    fn end_block(&mut self, block: &Block) {
        let indent = |line: &String| line.len() - line.trim_start().len();
        let first = block.lines.iter().find(|line| !line.trim().is_empty()).map_or(0, indent);
        // What is indented further keeps that: it may be the text of a script.
        let own = |line: &String| {
            let cut = if block.folded { indent(line) } else { first.min(indent(line)) };
            line.get(cut..).unwrap_or_default().to_owned()
        };
        let lines: Vec<String> = block.lines.iter().map(own).collect();
        let text = lines.join(if block.folded { " " } else { "\n" });
        self.set(&block.key, text.trim().to_owned(), block.at);
    }

    fn other(&mut self, text: &str) {
        match self.verify.other.last_mut() {
            Some((key, lines)) if *key == self.key => lines.push(text.to_owned()),
            _ => self.verify.other.push((self.key.clone(), vec![text.to_owned()])),
        }
    }

    fn strange(&mut self, at: Extent) {
        self.strange.get_or_insert(at.start);
    }
}

/// A YAML scalar; `None` where its quotes do not close.
fn scalar(text: &str) -> Option<String> {
    if let Some(inner) = text.strip_prefix('"') {
        return double(inner);
    }
    if let Some(inner) = text.strip_prefix('\'') {
        let mut value = String::new();
        let mut rest = inner;
        loop {
            let (part, after) = rest.split_once('\'')?;
            value.push_str(part);
            match after.strip_prefix('\'') {
                Some(after) => {
                    value.push('\'');
                    rest = after;
                }
                None => return ends(after).then_some(value),
            }
        }
    }
    let plain = text.split_once(" #").map_or(text, |(plain, _)| plain);
    Some(plain.trim().to_owned())
}

fn double(inner: &str) -> Option<String> {
    let mut value = String::new();
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return ends(inner.get(at + 1..)?).then_some(value),
            '\\' => match chars.next()?.1 {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                '0' => value.push('\0'),
                other @ ('"' | '\\' | '/' | ' ') => value.push(other),
                // No YAML, but what people write in a pattern: the backslash was meant.
                other => value.extend(['\\', other]),
            },
            _ => value.push(c),
        }
    }
    None
}

fn ends(rest: &str) -> bool {
    let rest = rest.trim();
    rest.is_empty() || rest.starts_with('#')
}

/// The parts of a flow mapping, split at commas outside quotes.
fn commas(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut quote, mut from, mut escaped) = (None, 0, false);
    for (at, c) in text.char_indices() {
        match quote {
            Some('"') if c == '\\' && !escaped => {
                escaped = true;
                continue;
            }
            Some(open) if c == open && !escaped => quote = None,
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == ',' => {
                parts.push(text.get(from..at).unwrap_or_default());
                from = at + 1;
            }
            _ => {}
        }
        escaped = false;
    }
    parts.push(text.get(from..).unwrap_or_default());
    parts
}
