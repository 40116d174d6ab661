//! Templates: text with slots for words and blocks.
//!
//! `{{name}}` within a line is a word, alone on its line a block; `{{#name}}` … `{{/name}}` around lines keeps them
//! only if the word or block is not empty, `{{^name}}` … `{{/name}}` only if it is; `{{>name}}` includes another
//! template; `{{! … }}` is a comment. Inserted text is never scanned again, so a plan cannot inject templates.

use crate::prompt::block::Block;
use std::collections::{BTreeMap, BTreeSet};
use toolkit::Fail;

/// The slots that a template can name.
#[derive(Debug, Default)]
pub(crate) struct Slots {
    /// Words within a line, already quoted.
    pub(crate) words: BTreeMap<&'static str, String>,
    /// Parts of several lines.
    pub(crate) blocks: Vec<Block>,
}

impl Slots {
    /// Sets a word; it must be on one line.
    pub(crate) fn word(&mut self, name: &'static str, text: impl Into<String>) {
        self.words.insert(name, text.into());
    }

    /// Sets a block.
    pub(crate) fn block(&mut self, block: Block) {
        self.blocks.retain(|known| known.name != block.name);
        self.blocks.push(block);
    }

    fn find(&self, name: &str) -> Option<&Block> {
        self.blocks.iter().find(|block| block.name == name)
    }

    /// Whether the slot is not empty; `None` for an unknown name.
    fn has(&self, name: &str) -> Option<bool> {
        let word = self.words.get(name).map(|word| !word.is_empty());
        word.or_else(|| self.find(name).map(|block| !block.is_empty()))
    }
}

/// A template by its name: its source, and its text.
pub(crate) type Lookup<'a> = dyn Fn(&str) -> Result<(String, String), Fail> + 'a;

/// The result of rendering.
#[derive(Debug, Default)]
pub(crate) struct Rendered {
    pub(crate) text: String,
    /// The blocks that it shows.
    pub(crate) used: BTreeSet<&'static str>,
}

/// Renders a template with the slots.
pub(crate) fn render(name: &str, slots: &Slots, lookup: &Lookup<'_>) -> Result<Rendered, Fail> {
    let mut out = Rendered::default();
    add(name, slots, lookup, 0, &mut out)?;
    Ok(Rendered { text: tidy(&out.text), ..out })
}

/// The maximum depth of includes.
const DEPTH: u8 = 3;

fn add(name: &str, slots: &Slots, lookup: &Lookup<'_>, depth: u8, out: &mut Rendered) -> Result<(), Fail> {
    let (path, text) = lookup(name)?;
    let wrong =
        |line: usize, message: String| Fail::config("bad-prompt", message).at(path.as_str(), line as u64 + 1);
    let mut open: Vec<(&str, bool)> = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let alone = line.trim().strip_prefix("{{").and_then(|rest| rest.strip_suffix("}}"));
        let alone = alone.filter(|name| !name.contains("{{")).map(str::trim);
        let hidden = open.iter().any(|(_, shown)| !shown);
        match alone {
            Some(remark) if remark.starts_with('!') => {}
            Some(part) if part.starts_with(['#', '^']) => {
                let name = part[1..].trim();
                let has = slots.has(name).ok_or_else(|| wrong(number, unknown(name)))?;
                open.push((name, has == part.starts_with('#')));
            }
            Some(part) if part.starts_with('/') => {
                let name = part[1..].trim();
                if open.pop().is_none_or(|(opened, _)| opened != name) {
                    return Err(wrong(number, format!("'{{{{/{name}}}}}' closes nothing")));
                }
            }
            _ if hidden => {}
            Some(part) if part.starts_with('>') => {
                if depth == DEPTH {
                    return Err(wrong(number, "templates take in each other too deeply".to_owned()));
                }
                add(part[1..].trim(), slots, lookup, depth + 1, out)?;
            }
            _ => {
                if let Some(block) = alone.and_then(|name| slots.find(name)) {
                    out.used.insert(block.name);
                    out.text.push_str(&block.shown());
                } else {
                    words(line, slots, &mut out.text).map_err(|name| wrong(number, unknown(&name)))?;
                }
                out.text.push('\n');
            }
        }
    }
    match open.pop() {
        None => Ok(()),
        Some((name, _)) => Err(wrong(text.lines().count(), format!("'{{{{#{name}}}}}' is not closed"))),
    }
}

fn unknown(name: &str) -> String {
    format!("there is no '{{{{{name}}}}}' in prompts of this kind")
}

/// One line with its words filled in; the error is an unknown name.
fn words(line: &str, slots: &Slots, out: &mut String) -> Result<(), String> {
    let mut rest = line;
    while let Some((before, behind)) = rest.split_once("{{") {
        out.push_str(before);
        let Some((name, after)) = behind.split_once("}}") else {
            out.push_str("{{");
            rest = behind;
            continue;
        };
        let name = name.trim();
        let word = slots.words.get(name).ok_or_else(|| name.to_owned())?;
        if (out.is_empty() || out.ends_with('\n')) && begins_something(word) {
            out.push('\\');
        }
        out.push_str(word);
        rest = after;
    }
    out.push_str(rest);
    Ok(())
}

/// Whether a word at the beginning of a line would be markup: a heading, a list, a fence, a rule.
fn begins_something(word: &str) -> bool {
    let ticks = word.len() - word.trim_start_matches('`').len();
    // A run of backticks that occurs again is code within the line, and opens no fence.
    let is_code = ticks > 0 && word[ticks..].contains(&word[..ticks]);
    word.starts_with(|c: char| c.is_ascii_punctuation()) && !is_code
}

/// Collapses empty lines outside of fences, and removes them at both ends.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    let mut empty = true;
    for line in text.lines() {
        let bare = line.trim_start_matches(' ');
        let run = bare.len() - bare.trim_start_matches(['`', '~']).len();
        match fence {
            Some(open) if bare.trim_end() == open => fence = None,
            None if run >= 3 => fence = bare.get(..run),
            _ => {}
        }
        if line.trim().is_empty() && fence.is_none() && empty {
            continue;
        }
        empty = line.trim().is_empty() && fence.is_none();
        out.push_str(line);
        out.push('\n');
    }
    let end = out.trim_end().len();
    out.truncate(end);
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::{Slots, render};
    use crate::prompt::block::{Block, Keep};
    use toolkit::Fail;

    fn slots() -> Slots {
        let mut slots = Slots::default();
        slots.word("id", "1");
        slots.word("none", "");
        slots.block(Block::fence("body", 1, "md", "{{id}}\n\n\nx", Keep::Head));
        slots.block(Block::parts("empty", 1, Vec::new()));
        slots
    }

    fn with(text: &str) -> Result<String, Fail> {
        let lookup = |name: &str| {
            let text = if name == "other" { "other {{id}}" } else { text };
            Ok((format!("{name}.md"), text.to_owned()))
        };
        render("main", &slots(), &lookup).map(|rendered| rendered.text)
    }

    #[test]
    fn what_is_put_in_is_not_looked_at_again() {
        assert_eq!(with("# {{ id }}\n\n{{body}}\n").unwrap(), "# 1\n\n```md\n{{id}}\n\n\nx\n```\n");
    }

    #[test]
    fn lines_are_kept_only_where_there_is_something() {
        let text = "a\n{{#none}}\nb\n{{#empty}}\nc\n{{/empty}}\n{{/none}}\n{{#body}}\nd {{id}}\n{{/body}}\n{{^body}}\ne\n{{/body}}\n{{^none}}\nf\n{{/none}}\n{{! no }}\n{{>other}}";
        assert_eq!(with(text).unwrap(), "a\nd 1\nf\nother 1\n");
    }

    #[test]
    fn an_empty_block_that_stands_there_says_so() {
        assert_eq!(with("{{empty}}").unwrap(), "(none)\n");
    }

    #[test]
    fn a_word_at_the_beginning_of_a_line_is_only_a_word() {
        let mut slots = slots();
        for (word, shown) in
            [("## x", "\\## x"), ("``` x", "\\``` x"), ("---", "\\---"), ("`x`", "`x`"), ("x #", "x #")]
        {
            slots.word("id", word);
            let lookup = |_: &str| Ok(("t.md".to_owned(), "{{id}}".to_owned()));
            assert_eq!(render("t", &slots, &lookup).unwrap().text, format!("{shown}\n"));
        }
    }

    #[test]
    fn mistakes_are_said_with_their_line() {
        for (text, line) in [
            ("a\n{{nothing}}", 2),
            ("a {{nothing}} b", 1),
            ("{{#nothing}}\n{{/nothing}}", 1),
            ("{{#id}}\nx", 3),
            ("{{/id}}", 1),
            ("a\n{{>main}}", 2),
        ] {
            let fail = with(text).unwrap_err();
            assert_eq!((fail.code, fail.line), ("bad-prompt", Some(line)), "{text}");
        }
    }
}
