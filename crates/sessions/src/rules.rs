//! The rules that a session must satisfy before it is executed: each is decidable, has a name, and reports its
//! finding.

pub(crate) mod content;
mod form;

use crate::file::File;
use crate::file::moment::Moment;
use crate::file::name::{Name, Position};
use crate::thought::numbering::{Numbering, Odd};
use crate::{SessionText, Thought};
use config::SessionRule;
use toolkit::Fail;
use wire::verify::{Rule, SCHEMA, VerifyDoc};

/// The rules to check a session against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The preparation: what must be thought before any work.
    Prep,
    /// A later link.
    Execution,
}

impl Against {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Prep => "prep",
            Self::Execution => "execution",
        }
    }

    /// The rules for a link of the chain.
    pub fn of(position: Position) -> Self {
        if position == Position::Prep { Self::Prep } else { Self::Execution }
    }
}

/// Facts about a session besides its file.
#[derive(Debug, Clone)]
pub struct Ask {
    /// The rules to check.
    pub against: Against,
    /// Its task, from its name or from the caller.
    pub task: Option<String>,
    /// The tasks of other sessions in the same folder.
    pub others: Vec<String>,
    /// The subtask whose reasoning must be present.
    pub reasoning: Option<u32>,
    /// The current time, to detect times in the future.
    pub now: Option<Moment>,
    /// The minimum counts.
    pub least: SessionRule,
}

impl Ask {
    /// The facts that the name of a file gives.
    pub fn of_name(file: &str, least: SessionRule) -> Self {
        let name = Name::parse(file);
        Self {
            against: name.as_ref().map_or(Against::Prep, |name| Against::of(name.position)),
            task: name.map(|name| name.task),
            others: Vec::new(),
            reasoning: None,
            now: None,
            least,
        }
    }
}

/// Checks a session against every rule.
pub fn verify(sheet: &SessionText, ask: &Ask) -> Result<VerifyDoc, Fail> {
    let ((format, rules), sha256) = sheet.judged(|file| {
        let subject = Subject::new(sheet, file, ask);
        let asked = TABLE.iter().filter(|row| (row.when)(&subject));
        let rules: Vec<Rule> = asked.map(|row| (row.check)(&subject).of(row.name)).collect();
        (file.format, rules)
    })?;
    Ok(VerifyDoc {
        schema: SCHEMA.to_owned(),
        what: "session".to_owned(),
        path: sheet.path.clone(),
        sha256,
        format: format.name().to_owned(),
        stage: ask.against.name().to_owned(),
        ok: rules.iter().all(|rule| rule.ok),
        rules,
    })
}

/// The session to judge.
struct Subject<'s> {
    sheet: &'s SessionText,
    file: &'s File<'s, Thought<'s>>,
    ask: &'s Ask,
    /// Irregular numbers, each with the index of its thought.
    odd: Vec<(usize, Odd)>,
}

impl<'s> Subject<'s> {
    fn new(sheet: &'s SessionText, file: &'s File<'s, Thought<'s>>, ask: &'s Ask) -> Self {
        let mut numbering = Numbering::default();
        let mut odd = Vec::new();
        for (place, thought) in file.thoughts.iter().enumerate() {
            odd.extend(numbering.take(&thought.into()).into_iter().map(|odd| (place + 1, odd)));
        }
        Self { sheet, file, ask, odd }
    }

    fn thoughts(&self) -> &'s [Thought<'s>] {
        &self.file.thoughts
    }
}

/// The result of a rule.
struct Found {
    ok: bool,
    found: String,
}

impl Found {
    fn new(ok: bool, found: impl Into<String>) -> Self {
        Self { ok, found: found.into() }
    }

    /// At least as many as wanted.
    fn least(count: u64, wanted: u64) -> Self {
        Self::new(count >= wanted, format!("{count}, at least {wanted} wanted"))
    }

    /// Nothing wrong, or the first few faults.
    fn none(wrong: impl IntoIterator<Item = String>, fine: &str) -> Self {
        const SHOWN: usize = 3;
        let wrong: Vec<String> = wrong.into_iter().collect();
        if wrong.is_empty() {
            return Self::new(true, fine);
        }
        let more =
            if wrong.len() > SHOWN { format!("; and {} more", wrong.len() - SHOWN) } else { String::new() };
        Self::new(false, format!("{}{more}", wrong[..wrong.len().min(SHOWN)].join("; ")))
    }

    fn of(self, name: &str) -> Rule {
        Rule { rule: name.to_owned(), ok: self.ok, found: self.found }
    }
}

struct Row {
    name: &'static str,
    /// Whether the rule applies to a session.
    when: fn(&Subject<'_>) -> bool,
    check: fn(&Subject<'_>) -> Found,
}

const fn row(name: &'static str, when: fn(&Subject<'_>) -> bool, check: fn(&Subject<'_>) -> Found) -> Row {
    Row { name, when, check }
}

fn always(_: &Subject<'_>) -> bool {
    true
}

fn prep(subject: &Subject<'_>) -> bool {
    subject.ask.against == Against::Prep
}

fn linked(subject: &Subject<'_>) -> bool {
    subject.file.member("chain").is_some()
}

fn reasoned(subject: &Subject<'_>) -> bool {
    subject.ask.against == Against::Execution && subject.ask.reasoning.is_some()
}

/// Every rule, in the order of the report.
const TABLE: &[Row] = &[
    row("readable", always, form::readable),
    row("not-empty", always, form::not_empty),
    row("stages", always, form::stages),
    row("words", always, form::words),
    row("numbering", always, form::numbering),
    row("references", always, form::references),
    row("metadata", always, form::metadata),
    row("timestamps", always, form::timestamps),
    row("seal", linked, form::seal),
    row("own-task", always, content::own_task),
    row("conclusion", prep, content::conclusion),
    row("problem-definitions", prep, content::problem_definitions),
    row("analyses", prep, content::analyses),
    row("interpretations", prep, content::interpretations),
    row("approaches", prep, content::approaches),
    row("reasoning", reasoned, content::reasoning),
];
