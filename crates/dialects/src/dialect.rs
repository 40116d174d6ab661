//! The table of dialects, and which of them a plan is written in.
//!
//! A new dialect is one more file and one more row. Detection looks at the structure of a plan and never at its
//! marks, so that no tick can turn a plan into one of another dialect.

use crate::{Ask, Folder, Outline, Plan, Text};
use crate::{beads, cc_sdd, ccpm, checklist, gsd, handoff, kiro, openspec, plan_content, plan_md, plan_v1};
use crate::{ralphex, runbook, spec_json, spec_kit, superpowers, taskmaster, taskmd, tracker, workflow};
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
    /// What a plan of this dialect can be.
    pub shapes: &'static [Shape],
    /// The files and folders (with a trailing slash) that our own stages write beside the plan; the first is the
    /// folder of the context files.
    pub own: fn(&str) -> Vec<String>,
}

/// What a plan can be. `detect` says how sure we are that it is one of the dialect; 0 is no. `read` leaves the schema
/// and the source to the caller.
pub enum Shape {
    /// One Markdown text.
    Markdown {
        /// How sure we are.
        detect: fn(&Outline) -> u32,
        /// Reads it.
        read: fn(&Outline) -> Plan,
    },
    /// One file of data: JSON, JSON lines, TOML.
    Data {
        /// How sure we are.
        detect: fn(&Text) -> u32,
        /// Reads it.
        read: fn(&Text) -> Result<Plan, Fail>,
    },
    /// A folder.
    Folder {
        /// How sure we are; may look at names and at the beginning of files.
        detect: fn(&Folder) -> u32,
        /// Reads it, opening no more files than it needs.
        read: fn(&Folder, &Ask) -> Result<Plan, Fail>,
    },
}

/// All dialects.
pub fn table() -> &'static [Dialect] {
    TABLE
}

/// The dialect of that name.
pub fn find(name: &str) -> Option<&'static Dialect> {
    TABLE.iter().find(|dialect| dialect.name == name)
}

static TABLE: &[Dialect] = &[
    plan_md::DIALECT,
    workflow::DIALECT,
    runbook::DIALECT,
    handoff::DIALECT,
    spec_kit::DIALECT,
    kiro::DIALECT,
    cc_sdd::DIALECT,
    openspec::DIALECT,
    superpowers::DIALECT,
    ralphex::DIALECT,
    gsd::DIALECT,
    taskmaster::DIALECT,
    beads::DIALECT,
    taskmd::DIALECT,
    ccpm::DIALECT,
    plan_v1::DIALECT,
    spec_json::DIALECT,
    plan_content::DIALECT,
    tracker::DIALECT,
    checklist::DIALECT,
];

/// The shape that is surest, given how sure each one is.
pub(crate) fn choose(
    forced: Option<&str>,
    path: &str,
    sure: impl Fn(&Shape) -> Option<u32>,
) -> Result<(&'static Dialect, &'static Shape), Fail> {
    let wanted = forced.map(by_name).transpose()?;
    let rows = TABLE.iter().filter(|dialect| wanted.is_none_or(|wanted| wanted.name == dialect.name));
    let mut found: Vec<(u32, &Dialect, &Shape)> = Vec::new();
    for dialect in rows {
        // Of the shapes of one dialect the surest; a forced dialect need not be sure at all.
        let shapes = dialect.shapes.iter().filter_map(|shape| Some((sure(shape)?, shape)));
        if let Some((score, shape)) = shapes.max_by_key(|(score, _)| *score) {
            // Nobody can be surer than that, so the others need not be asked.
            if score >= SURE {
                return Ok((dialect, shape));
            }
            found.push((if wanted.is_some() { score.max(1) } else { score }, dialect, shape));
        }
    }
    let best = found.iter().map(|(score, _, _)| *score).max().unwrap_or(0);
    found.retain(|(score, _, _)| *score == best && best > 0);
    match found.as_slice() {
        [(_, dialect, shape)] => Ok((dialect, shape)),
        [] => Err(no_plan(wanted, path)),
        several => {
            let names: Vec<_> = several.iter().map(|(_, dialect, _)| dialect.name).collect();
            let message = format!("the dialect may be any of {}: choose one", names.join(", "));
            Err(Fail::data("ambiguous-dialect", message).at(path, 1))
        }
    }
}

/// How sure a dialect is of a plan that can be of no other.
pub(crate) const SURE: u32 = 100;

fn by_name(name: &str) -> Result<&'static Dialect, Fail> {
    find(name).ok_or_else(|| {
        let names: Vec<_> = TABLE.iter().map(|dialect| dialect.name).collect();
        Fail::usage(format!("no dialect '{name}'; there are: {}", names.join(", ")))
    })
}

fn no_plan(wanted: Option<&Dialect>, path: &str) -> Fail {
    let message = match wanted {
        Some(dialect) => format!("no plan of the dialect '{}' can be read from this", dialect.name),
        None => "not a plan: no task heading and no task-list item".to_owned(),
    };
    Fail::data("not-a-plan", message).at(path, 1)
}
