//! The table of dialects, and the detection of a plan's dialect.
//!
//! A new dialect is one more file and one more row. Detection looks at the structure of a plan and never at its
//! marks, so no tick can change the dialect of a plan.

use crate::formats::chapters::gsd;
use crate::formats::chapters::{headings, humanlayer};
use crate::formats::chapters::{ralphex, superpowers};
use crate::formats::data::{beads, cursor, feature_list, plan_content, plan_v1};
use crate::formats::data::{prd, shrimp, sprint_status};
use crate::formats::data::{spec_json, taskmaster};
use crate::formats::folders::ccpm;
use crate::formats::folders::taskmd;
use crate::formats::lists::{bmad, cc_sdd, checklist, conductor, exec_plan, kiro, openspec, roadmap};
use crate::formats::lists::{numbered, plans_md, spec_kit, task_plan, tracker};
use crate::formats::workflows::{handoff, plan_md};
use crate::formats::workflows::{runbook, workflow};
use crate::read::beside::ReadBeside;
use crate::states::words::{COMMON, Words};
use crate::write::{self, Form, Writer};
use crate::{Ask, Folder, Plan};
use markdown::{Outline, Text};
use toolkit::Fail;
use wire::plan::Model;

/// A dialect: how it is recognised and how it is read.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own about a format")]
pub struct Dialect {
    /// The name for `--dialect`.
    pub name: &'static str,
    /// A description in a few words.
    pub about: &'static str,
    /// The strategy for a plan that states none.
    pub model: Model,
    /// The forms that a plan of this dialect can have.
    pub shapes: &'static [Shape],
    /// The files and folders (with a trailing slash) that our own stages write beside the plan; the first is the
    /// folder of the context files.
    pub own: fn(&str) -> Vec<String>,
    /// Writes the state of a task.
    pub edits: Writer,
    /// How new checks are written, the usual form first.
    pub checks: &'static [Form],
    /// Whether `edits` looks after the tasks that hold others itself.
    pub writes_parents: bool,
    /// Whether there is a mark of its own for work in progress; else the legend of a plan may have one.
    pub begins: bool,
    /// Whether a failed attempt leaves its error at the end of the task's line.
    pub notes_errors: bool,
    /// Whether a failed attempt is written down with its error and with who takes over.
    pub notes_escalations: bool,
    /// Whether a box is open or done and never in progress.
    pub open_or_done: bool,
    /// The words for the states, where a task has a word and no box.
    pub words: Words,
    /// Whether a mark may be the cell of a table, which is written like the other rows.
    pub table_cells: bool,
    /// Whether a task may have a sign in the place of a box.
    pub signs: bool,
    /// Whether tasks may be added while the plan is carried out.
    pub takes_added_tasks: bool,
    /// Whether plans follow a template with sections, a Final and categories of criteria.
    pub has_template: bool,
    /// Whether the plan is the export of an issue tracker, whose own program changes it.
    pub issue_tracker: bool,
    /// Whether the format promises that every dependency is a task of the plan.
    pub closed_graph: bool,
    /// Reads what a plan of one file keeps in other files beside it.
    pub beside: Option<ReadBeside>,
    /// The folder of the session that the plan belongs to, with a slash behind it or empty; it has the summaries of tasks.
    pub session_folder: Option<fn(&str) -> String>,
}

/// A dialect whose boxes are all there is. Every row begins with it.
pub(crate) const PLAIN: Dialect = Dialect {
    name: "",
    about: "",
    model: Model::Sequential,
    shapes: &[],
    own: |_| Vec::new(),
    edits: write::boxes::edits,
    checks: &[Form::Lines],
    writes_parents: false,
    begins: false,
    notes_errors: false,
    notes_escalations: false,
    open_or_done: false,
    words: COMMON,
    table_cells: false,
    signs: false,
    takes_added_tasks: false,
    has_template: false,
    issue_tracker: false,
    closed_graph: false,
    beside: None,
    session_folder: None,
};

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
        /// How sure we are; may look at file names and at the beginning of files.
        detect: fn(&Folder) -> u32,
        /// Reads it, opening no more files than it needs.
        read: fn(&Folder, &Ask) -> Result<Plan, Fail>,
    },
}

/// All dialects.
pub fn table() -> &'static [Dialect] {
    TABLE
}

/// The dialect of that name; for a name that is not known, one whose boxes are all there is.
pub fn row(name: &str) -> &'static Dialect {
    static UNKNOWN: Dialect = PLAIN;
    find(name).unwrap_or(&UNKNOWN)
}

/// The dialect of that name.
pub fn find(name: &str) -> Option<&'static Dialect> {
    TABLE.iter().find(|dialect| dialect.name == name)
}

static TABLE: &[Dialect] = &[
    conductor::DIALECT,
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
    roadmap::DIALECT,
    humanlayer::DIALECT,
    exec_plan::DIALECT,
    bmad::DIALECT,
    plans_md::DIALECT,
    task_plan::DIALECT,
    taskmaster::DIALECT,
    beads::DIALECT,
    prd::DIALECT,
    feature_list::DIALECT,
    shrimp::DIALECT,
    sprint_status::DIALECT,
    cursor::DIALECT,
    taskmd::DIALECT,
    ccpm::DIALECT,
    plan_v1::DIALECT,
    spec_json::DIALECT,
    plan_content::DIALECT,
    tracker::DIALECT,
    headings::DIALECT,
    numbered::DIALECT,
    checklist::DIALECT,
    checklist::EVERY_BOX,
];

/// The surest shape, given how sure each one is.
pub(crate) fn choose(
    forced: Option<&str>,
    path: &str,
    sure: impl Fn(&Shape) -> Option<u32>,
) -> Result<(&'static Dialect, &'static Shape), Fail> {
    let wanted = forced.map(by_name).transpose()?;
    let rows = TABLE.iter().filter(|dialect| wanted.is_none_or(|wanted| wanted.name == dialect.name));
    let mut found: Vec<(u32, &Dialect, &Shape)> = Vec::new();
    for dialect in rows {
        // Take the surest shape of a dialect; a forced dialect need not be sure at all.
        let shapes = dialect.shapes.iter().filter_map(|shape| Some((sure(shape)?, shape)));
        if let Some((score, shape)) = shapes.max_by_key(|(score, _)| *score) {
            // No dialect can be surer, so skip the others.
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
            let message =
                format!("the dialect may be any of {}: name one with --dialect NAME", names.join(", "));
            Err(Fail::data("ambiguous-dialect", message).at(path, 1))
        }
    }
}

/// The score of a dialect for a plan that can be of no other dialect.
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
