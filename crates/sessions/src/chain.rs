//! The sessions of a task as a chain: preparation, subtask 1, subtask 2, …, tests.
//!
//! A link names the previous link with its digest, and seals its own thoughts. If another program wrote a link
//! without either, its thoughts must begin with those of the previous link. Every violation is reported with its
//! link; nothing is repaired.

pub(crate) mod growth;
mod judge;
pub(crate) mod location;
pub(crate) mod resume;

use crate::SessionText;
use crate::chain::judge::Judge;
use crate::file::name::{Name, Position};
use config::SessionRule;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolkit::files::{fs, sha};
use toolkit::{Exit, Fail};
use wire::chain::{ChainDoc, ChainLink, ChainProblem, Link, SCHEMA};

/// The chain of a task.
#[derive(Debug)]
pub struct Chain {
    dir: PathBuf,
    task: String,
    links: Vec<Held>,
    problems: Vec<ChainProblem>,
}

/// One link with its position.
#[derive(Debug)]
struct Held {
    position: Position,
    link: ChainLink,
    /// Whether this link and all links before it are intact.
    whole: bool,
}

impl Chain {
    /// Reads the chain of a task from a folder.
    pub fn read(dir: &Path, task: &str) -> Result<Self, Fail> {
        let key = wire::ids::key_of(task);
        let names = names(dir)?;
        let mut own: BTreeMap<Position, Vec<Loaded>> = BTreeMap::new();
        for name in names.iter().filter(|name| name.task == key) {
            own.entry(name.position).or_default().push(Loaded::open(dir, name.clone())?);
        }
        if own.is_empty() {
            let message = format!("there is no session of task '{task}'");
            return Err(Fail::new(Exit::NoInput, "no-chain", message).in_file(dir));
        }
        let others = other_tasks(&names, &key);
        let mut judge = Judge::new(&key, others);
        for found in own.values_mut() {
            found.sort_by(|a, b| a.name.date.cmp(&b.name.date));
        }
        choose_prep(&mut own);
        for (position, found) in own {
            judge.gap(position);
            judge.take(position, found);
        }
        let (links, problems) = judge.finish();
        Ok(Self { dir: dir.to_path_buf(), task: task.to_owned(), links, problems })
    }

    /// Whether the chain is intact.
    pub fn is_whole(&self) -> bool {
        self.problems.is_empty()
    }

    /// The problems of the chain.
    pub fn problems(&self) -> &[ChainProblem] {
        &self.problems
    }

    /// The last link of the intact beginning.
    pub fn last_whole(&self) -> Option<&ChainLink> {
        self.links.iter().take_while(|held| held.whole).last().map(|held| &held.link)
    }

    /// The position of the last link of the intact beginning.
    pub fn last_position(&self) -> Option<Position> {
        self.links.iter().take_while(|held| held.whole).last().map(|held| held.position)
    }

    /// The link at a position.
    pub fn at(&self, position: Position) -> Option<&ChainLink> {
        self.links.iter().find(|held| held.position == position).map(|held| &held.link)
    }

    /// The last link before a position.
    pub fn before(&self, position: Position) -> Option<&ChainLink> {
        self.links.iter().rfind(|held| held.position < position).map(|held| &held.link)
    }

    /// The first link after a position.
    pub fn after(&self, position: Position) -> Option<&ChainLink> {
        self.links.iter().find(|held| held.position > position).map(|held| &held.link)
    }

    /// The chain as a document.
    pub fn document(&self) -> ChainDoc {
        ChainDoc {
            schema: SCHEMA.to_owned(),
            dir: self.dir.display().to_string(),
            task: self.task.clone(),
            ok: self.is_whole(),
            links: self.links.iter().map(|held| held.link.clone()).collect(),
            problems: self.problems.clone(),
        }
    }
}

/// Of several preparations, the one that a later link was made from counts, otherwise the newest.
fn choose_prep(own: &mut BTreeMap<Position, Vec<Loaded>>) {
    let Some(preps) = own.get(&Position::Prep) else { return };
    let later = || own.range(Position::Subtask(0)..).flat_map(|(_, found)| found);
    let followed = |prep: &Loaded| later().any(|link| link.follows(prep));
    let chosen = preps.iter().rposition(followed).unwrap_or(preps.len() - 1);
    if let Some(preps) = own.get_mut(&Position::Prep) {
        let chosen = preps.swap_remove(chosen);
        *preps = vec![chosen];
    }
}

/// The failure code of a problem.
pub(crate) fn code(word: &str) -> &'static str {
    const CODES: [&str; 6] =
        ["doubled-link", "missing-link", "forked-link", "edited-link", "foreign-link", "unreadable-link"];
    CODES.into_iter().find(|code| *code == word).unwrap_or("broken-chain")
}

/// The names of the sessions in a folder.
pub(crate) fn names(dir: &Path) -> Result<Vec<Name>, Fail> {
    Ok(fs::names(dir)?
        .iter()
        .filter_map(|file| Name::parse(file).filter(|name| name.file() == *file))
        .collect())
}

/// The tasks of the other sessions in a folder; empty if it cannot be read.
pub fn others(dir: &Path, task: &str) -> Vec<String> {
    names(dir).map(|names| other_tasks(&names, task)).unwrap_or_default()
}

fn other_tasks(names: &[Name], task: &str) -> Vec<String> {
    let mut others: Vec<String> =
        names.iter().filter(|name| name.task != task).map(|name| name.task.clone()).collect();
    others.sort_unstable();
    others.dedup();
    others
}

/// An opened link, or why it cannot be opened.
struct Loaded {
    name: Name,
    path: PathBuf,
    sha256: String,
    read: Result<Content, Fail>,
}

/// The content of a link.
struct Content {
    sheet: SessionText,
    link: Option<Link>,
    /// Each thought without white space between its parts.
    thoughts: Vec<String>,
}

impl Loaded {
    fn open(dir: &Path, name: Name) -> Result<Self, Fail> {
        let path = dir.join(name.file());
        let bytes = fs::read(&path)?;
        let sha256 = sha::hex(&bytes);
        let read = SessionText::of(&path.display().to_string(), bytes).and_then(Content::of);
        Ok(Self { name, path, sha256, read })
    }

    /// Whether it was made from another link.
    fn follows(&self, other: &Self) -> bool {
        let Ok(own) = &self.read else { return false };
        match own.link.as_ref().and_then(|link| link.parent.as_ref()) {
            Some(parent) => parent.path == other.name.file(),
            None => other.read.as_ref().is_ok_and(|other| own.begins_with(other)),
        }
    }
}

impl Content {
    fn of(sheet: SessionText) -> Result<Self, Fail> {
        let link = sheet.link()?;
        let thoughts = sheet.compact()?;
        // Every thought must be valid: a link that cannot be judged is not a link.
        sheet.thoughts()?;
        Ok(Self { sheet, link, thoughts })
    }

    /// Whether the thoughts begin with those of another.
    fn begins_with(&self, other: &Self) -> bool {
        self.thoughts.starts_with(&other.thoughts)
    }
}

/// The rules for a link in a chain, which require no minimum counts.
fn rules() -> SessionRule {
    SessionRule {
        thoughts: 0,
        problem_definitions: 0,
        analyses: 0,
        interpretations: 0,
        approaches: 0,
        require_reasoning: false,
    }
}
