//! The table of dialects, and which of them a text is written in.
//!
//! A new dialect is one more file and one more row. Detection looks at the structure of a text and never at its
//! marks, so that no tick can turn a plan into one of another dialect.

use crate::{Outline, Plan, checklist, plan_md};
use toolkit::Fail;
use wire::plan::Model;

/// A dialect: how it is recognised and how it is read.
pub struct Dialect {
    /// The name for `--dialect`.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The strategy where the plan states none.
    pub model: Model,
    /// How sure we are that a text is written in it; 0 is no.
    pub detect: fn(&Outline) -> u32,
    /// Reads a text; the caller fills in where it came from.
    pub read: fn(&Outline) -> Plan,
    /// The files and folders (with a trailing slash) that our own stages write beside the plan.
    pub own: fn(&str) -> Vec<String>,
}

/// All dialects.
pub fn table() -> &'static [Dialect] {
    &TABLE
}

/// The dialect of that name.
pub fn find(name: &str) -> Option<&'static Dialect> {
    TABLE.iter().find(|dialect| dialect.name == name)
}

static TABLE: [Dialect; 2] = [plan_md::DIALECT, checklist::DIALECT];

/// The dialect of a text: the forced one, or the one that is surest.
pub(crate) fn choose(outline: &Outline, forced: Option<&str>) -> Result<&'static Dialect, Fail> {
    if let Some(name) = forced {
        return find(name).ok_or_else(|| {
            let names: Vec<_> = TABLE.iter().map(|dialect| dialect.name).collect();
            Fail::usage(format!("no dialect '{name}'; there are: {}", names.join(", ")))
        });
    }
    let sure: Vec<_> = TABLE.iter().map(|dialect| ((dialect.detect)(outline), dialect)).collect();
    let best = sure.iter().map(|(score, _)| *score).max().unwrap_or(0);
    if best == 0 {
        let message = "not a plan: no task heading and no task-list item";
        return Err(Fail::data("not-a-plan", message).at(outline.path, 1));
    }
    let tied: Vec<_> = sure.iter().filter(|(score, _)| *score == best).map(|(_, dialect)| *dialect).collect();
    if let [only] = tied.as_slice() {
        return Ok(only);
    }
    let names: Vec<_> = tied.iter().map(|dialect| dialect.name).collect();
    let message = format!("the dialect may be any of {}: choose one", names.join(", "));
    Err(Fail::data("ambiguous-dialect", message).at(outline.path, 1))
}
