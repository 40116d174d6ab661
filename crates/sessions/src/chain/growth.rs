//! A task's own link: the last link before it, extended by the worker's thoughts.
//!
//! A link that the worker exported itself is adopted: its content beyond the previous link is the worker's. A second
//! run on the same work adds nothing.

use crate::chain::{self, Chain};
use crate::export::compose::Changed;
use crate::export::{Over, Target, write};
use crate::file::name::Position;
use crate::live::LiveSession;
use crate::live::draft::Draft;
use crate::rules::content::missing_reasoning;
use crate::thought::numbering::Numbering;
use crate::{ChainLocation, SessionText};
use serde::Deserialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use toolkit::{Exit, Fail};
use wire::chain::{ChainProblem, Link, LinkDoc, Seal};
use wire::digest::Sealed;

/// A link to be written.
#[derive(Debug)]
pub struct Growth {
    place: ChainLocation,
    position: Position,
    parent: Sealed,
    kept: LiveSession,
    /// The existing link, if it is sealed and nothing was added to it.
    there: Option<PathBuf>,
    fresh: bool,
}

impl Growth {
    /// Begins with the last link before a position. The chain up to there must be intact, and nothing may follow.
    pub fn begin(place: &ChainLocation, position: Position) -> Result<Self, Fail> {
        let chain = match Chain::read(&place.dir, &place.task) {
            Err(fail) if fail.exit == Exit::NoInput => {
                let message = format!("no preparation for '{}'", place.task);
                return Err(Fail::data("no-preparation", message).in_file(&place.dir));
            }
            other => other?,
        };
        // If another program made the own link from an earlier one, it is rebuilt on the last link.
        let own = position.to_string();
        let hurts = |problem: &&ChainProblem| problem.link != own || problem.code != "forked-link";
        if let Some(problem) = chain.problems().iter().find(hurts) {
            return Err(Fail::data(chain::code(&problem.code), problem.message.clone()).in_file(&place.dir));
        }
        if let Some(later) = chain.after(position) {
            let message = format!("'{}' stands behind '{position}' already", later.path);
            return Err(Fail::data("later-link", message).in_file(&place.dir));
        }
        let Some(parent) = chain.before(position) else {
            let message = format!("nothing stands before '{position}'");
            return Err(Fail::data("missing-link", message).in_file(&place.dir));
        };
        let file = Path::new(&parent.path).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let mut growth = Self {
            place: place.clone(),
            position,
            parent: Sealed { path: file, sha256: parent.sha256.clone() },
            kept: LiveSession::of(&SessionText::open(Path::new(&parent.path))?)?,
            there: None,
            fresh: true,
        };
        if let Some(own) = chain.at(position) {
            growth.take_over(Path::new(&own.path))?;
        }
        Ok(growth)
    }

    /// Adopts the content of the existing link beyond the previous one.
    fn take_over(&mut self, path: &Path) -> Result<(), Fail> {
        let sheet = SessionText::open(path)?;
        let held: HashSet<String> = self.kept.thoughts.iter().cloned().collect();
        self.kept.thoughts.extend(sheet.compact()?.into_iter().filter(|thought| !held.contains(thought)));
        let sealed = sheet.link()?.is_some_and(|link| link.parent.as_ref() == Some(&self.parent));
        self.there = Some(path.to_path_buf());
        self.fresh = !sealed;
        Ok(())
    }

    /// Adds the worker's thoughts; skips those that are present. Numbers continue where the link ends.
    pub fn add(&mut self, drafts: Vec<Draft>) -> Result<(), Fail> {
        #[derive(Deserialize)]
        struct Id {
            #[serde(default)]
            id: String,
        }
        let bad = |e: serde_json::Error| Fail::data("bad-thought", e.to_string());
        let mut ids: HashSet<String> = HashSet::new();
        for thought in &self.kept.thoughts {
            ids.insert(serde_json::from_str::<Id>(thought).map_err(bad)?.id);
        }
        let mut numbering = Numbering::default();
        for thought in self.kept.judged()? {
            numbering.take(&(&thought).into());
        }
        let wanted: Vec<Draft> = drafts.into_iter().filter(|draft| !ids.contains(&draft.id())).collect();
        let total = numbering.next() + wanted.len() as u64 - 1;
        for draft in wanted {
            let draft = Draft { number: numbering.next(), total, ..draft };
            draft.check()?;
            numbering.take(&(&draft).into());
            self.kept.thoughts.push(draft.json(self.kept.format()));
            self.fresh = true;
        }
        Ok(())
    }

    /// The missing stages of the subtask's own reasoning.
    pub fn missing_reasoning(&self) -> Result<Vec<&'static str>, Fail> {
        let Position::Subtask(number) = self.position else { return Ok(Vec::new()) };
        Ok(missing_reasoning(&self.kept.judged()?, number))
    }

    /// The number of thoughts that the link has beyond the previous one.
    pub fn added(&self) -> u64 {
        self.kept.added() as u64
    }

    /// The previous link.
    pub fn parent(&self) -> &Sealed {
        &self.parent
    }

    /// Writes the link; an existing link keeps its name, and its bytes if nothing was added.
    pub fn write(self, now: &str) -> Result<LinkDoc, Fail> {
        let date = now.get(..10).unwrap_or(now);
        let mut target = Target::link(&self.place.dir, &self.place.task, self.position, date, Over::Refuse);
        if let Some(there) = self.there {
            target.path = there;
        }
        let link = Link {
            task: self.place.task,
            link: self.position.to_string(),
            parent: Some(self.parent),
            seal: Seal::default(),
        };
        if !self.fresh {
            return crate::export::written(&target.path, link);
        }
        write(&self.kept, &target, Changed::At(now.to_owned()), Some(link))
    }
}
