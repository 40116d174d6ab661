//! Flags that have become subcommands, accepted for one more release.
//!
//! The words are rewritten before the command line is parsed. So the definition of a command line, and with it help,
//! manual page and completions, knows the new spelling alone, and removing an old one is removing a row of its table.

use std::ffi::OsString;

/// A flag that is a subcommand now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OldSpelling {
    /// The flag, with its dashes.
    pub flag: &'static str,
    /// Whether a value follows the flag; it becomes the first argument of the subcommand.
    pub value: bool,
    /// The subcommand.
    pub command: &'static str,
}

impl OldSpelling {
    /// A flag without a value.
    pub const fn flag(flag: &'static str, command: &'static str) -> Self {
        Self { flag, value: false, command }
    }

    /// A flag with a value.
    pub const fn with_value(flag: &'static str, command: &'static str) -> Self {
        Self { flag, value: true, command }
    }
}

/// Rewrites the first old spelling: `tool --config F --tick 1 PLAN` becomes `tool tick 1 --config F PLAN`.
///
/// The first word is the tool's own name. A line that begins with a subcommand already stays as it is, and so does
/// everything after `--`.
pub fn rewrite(table: &[OldSpelling], words: Vec<OsString>) -> Vec<OsString> {
    let is_new = words.get(1).is_some_and(|word| table.iter().any(|old| word == old.command));
    if is_new {
        return words;
    }
    let options = words.iter().enumerate().skip(1).take_while(|(_, word)| *word != "--");
    let found = options.into_iter().find_map(|(at, word)| {
        let word = word.to_str()?;
        let (flag, value) = word.split_once('=').map_or((word, None), |(flag, value)| (flag, Some(value)));
        let old = table.iter().find(|old| old.flag == flag && (old.value || value.is_none()))?;
        Some((at, *old, value.map(OsString::from)))
    });
    let Some((at, old, joined)) = found else { return words };
    let mut words = words.into_iter();
    let mut rewritten: Vec<OsString> = words.by_ref().take(1).collect();
    let before: Vec<OsString> = words.by_ref().take(at - 1).collect();
    words.next();
    let value = joined.or_else(|| old.value.then(|| words.next()).flatten());
    rewritten.push(old.command.into());
    rewritten.extend(value);
    rewritten.extend(before);
    rewritten.extend(words);
    rewritten
}

#[cfg(test)]
mod tests {
    use super::{OldSpelling, rewrite};

    const TABLE: [OldSpelling; 2] =
        [OldSpelling::flag("--list", "list"), OldSpelling::with_value("--tick", "tick")];

    fn rewritten(line: &str) -> String {
        let words = line.split(' ').map(Into::into).collect();
        let words = rewrite(&TABLE, words);
        words.iter().filter_map(|word| word.to_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn an_old_flag_becomes_a_subcommand_and_takes_its_value_along() {
        for (old, new) in [
            ("checkbox --list PLAN.md", "checkbox list PLAN.md"),
            ("checkbox PLAN.md --text --list", "checkbox list PLAN.md --text"),
            ("checkbox --run r --tick 1 --reason x P", "checkbox tick 1 --run r --reason x P"),
            ("checkbox --tick=1 --reason x P", "checkbox tick 1 --reason x P"),
            ("checkbox --tick", "checkbox tick"),
            ("checkbox --tick 1 --list P", "checkbox tick 1 --list P"),
        ] {
            assert_eq!(rewritten(old), new, "{old}");
        }
    }

    #[test]
    fn every_other_line_stays_as_it_is() {
        for line in [
            "checkbox",
            "checkbox orders.ndjson",
            "checkbox tick 1 --list P",
            "checkbox --adapt -- --list",
            "checkbox --list=yes P",
            "checkbox --listing",
        ] {
            assert_eq!(rewritten(line), line);
        }
    }
}
