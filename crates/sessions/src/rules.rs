//! What a session must be before anything is carried out on it: each rule decidable, named, and said with what was
//! found.

pub(crate) mod content;
mod form;

use crate::file::File;
use crate::moment::Moment;
use crate::name::{Name, Position};
use crate::numbering::{Numbering, Odd};
use crate::{Sheet, Thought};
use toolkit::Fail;
use toolkit::config::SessionRule;
use wire::verify::{Rule, SCHEMA, VerifyDoc};

/// What a session is held against.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Against {
    /// The preparation: what must be thought before any work.
    Prep,
    /// A link that came after it.
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

    /// What a link of the chain is held against.
    pub fn of(position: Position) -> Self {
        if position == Position::Prep { Self::Prep } else { Self::Execution }
    }
}

/// What is known about a session besides its file.
#[derive(Debug, Clone)]
pub struct Ask {
    /// What it is held against.
    pub against: Against,
    /// Its task, by its name or as the caller says.
    pub task: Option<String>,
    /// The tasks of other sessions in the same folder.
    pub others: Vec<String>,
    /// The subtask whose reasoning must be there.
    pub reasoning: Option<u32>,
    /// Now, for times in the future.
    pub now: Option<Moment>,
    /// The least numbers.
    pub least: SessionRule,
}

impl Ask {
    /// What is asked of a file by its name.
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

/// Holds a session against every rule.
pub fn verify(sheet: &Sheet, ask: &Ask) -> Result<VerifyDoc, Fail> {
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

/// The session that is judged.
struct Subject<'s> {
    sheet: &'s Sheet,
    file: &'s File<'s, Thought<'s>>,
    ask: &'s Ask,
    /// What is odd about the numbers, each with the thought's place.
    odd: Vec<(usize, Odd)>,
}

impl<'s> Subject<'s> {
    fn new(sheet: &'s Sheet, file: &'s File<'s, Thought<'s>>, ask: &'s Ask) -> Self {
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

/// How a rule came out.
struct Found {
    ok: bool,
    found: String,
}

impl Found {
    fn new(ok: bool, found: impl Into<String>) -> Self {
        Self { ok, found: found.into() }
    }

    /// As many as are wanted.
    fn least(count: u64, wanted: u64) -> Self {
        Self::new(count >= wanted, format!("{count}, at least {wanted} wanted"))
    }

    /// Nothing wrong, or the first few things that are.
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
    /// Whether it is asked of a session.
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

/// Every rule, in the order in which they are told.
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
