//! Checks one link after the other against the links before it.

use super::{Held, Loaded, rules};
use crate::file::name::Position;
use crate::rules::{Against, Ask, verify};
use wire::chain::{ChainLink, ChainProblem};

/// The number of missing subtasks to list by name.
const NAMED: u32 = 20;

/// The links so far.
pub(super) struct Judge {
    task: String,
    others: Vec<String>,
    before: Vec<Loaded>,
    links: Vec<Held>,
    problems: Vec<ChainProblem>,
}

impl Judge {
    pub(super) fn new(task: &str, others: Vec<String>) -> Self {
        Self { task: task.to_owned(), others, before: Vec::new(), links: Vec::new(), problems: Vec::new() }
    }

    pub(super) fn finish(self) -> (Vec<Held>, Vec<ChainProblem>) {
        (self.links, self.problems)
    }

    /// Reports the missing links before a position.
    pub(super) fn gap(&mut self, position: Position) {
        let last = self.links.last().map(|held| held.position);
        if last.is_none() && position != Position::Prep {
            self.say("prep", "missing-link", "there is no preparation".to_owned());
        }
        let Position::Subtask(number) = position else { return };
        let from = match last {
            Some(Position::Subtask(last)) => last + 1,
            _ => 1,
        };
        for missing in (from..number).take(NAMED as usize) {
            let message = format!("'subtask-{missing}' is missing before '{position}'");
            self.say(&format!("subtask-{missing}"), "missing-link", message);
        }
    }

    /// Takes the files at a position: one link, or several of which only one can be the link.
    pub(super) fn take(&mut self, position: Position, mut found: Vec<Loaded>) {
        let names: Vec<String> = found.iter().map(|loaded| loaded.name.file()).collect();
        if found.len() > 1 {
            let message = format!("{} stand at the same place", names.join(" and "));
            self.say(&position.to_string(), "doubled-link", message);
        }
        // Judge the newest, so that the links after it are judged too.
        let Some(loaded) = found.pop() else { return };
        let known = self.problems.len();
        let (held_by, added) = self.judge(position, &loaded);
        let (thoughts, parent) = match &loaded.read {
            Ok(content) => {
                (content.thoughts.len() as u64, content.link.as_ref().and_then(|link| link.parent.clone()))
            }
            Err(_) => (0, None),
        };
        let whole = self.problems.len() == known && self.problems.is_empty();
        self.links.push(Held {
            position,
            link: ChainLink {
                link: position.to_string(),
                path: loaded.path.display().to_string(),
                sha256: loaded.sha256.clone(),
                date: loaded.name.date.clone(),
                thoughts,
                added,
                parent,
                held_by,
            },
            whole,
        });
        self.before.push(loaded);
    }

    /// How the link is connected to the previous one, and how many thoughts are its own.
    fn judge(&mut self, position: Position, loaded: &Loaded) -> (Option<String>, u64) {
        let name = position.to_string();
        let content = match &loaded.read {
            Ok(content) => content,
            Err(fail) => {
                self.say(
                    &name,
                    "unreadable-link",
                    format!("'{}' cannot be read: {}", loaded.name.file(), fail.message),
                );
                return (None, 0);
            }
        };
        self.own(position, loaded);
        if let Some(link) = &content.link
            && link.link != name
        {
            let message = format!("'{}' was written as '{}'", loaded.name.file(), link.link);
            self.say(&name, "foreign-link", message);
        }
        let total = content.thoughts.len() as u64;
        if position == Position::Prep {
            return (None, total);
        }
        let Some(parent) = self.before.last() else { return (None, total) };
        let Ok(expected) = &parent.read else { return (None, total) };
        let added = total.saturating_sub(expected.thoughts.len() as u64);
        let Some(link) = &content.link else {
            if !content.begins_with(expected) {
                let problem = self.strayed(position, loaded);
                self.problems.push(problem);
            }
            return (Some("thoughts".to_owned()), added);
        };
        let problem = match &link.parent {
            None => Some(("missing-link", format!("'{}' names no link before it", loaded.name.file()))),
            Some(named) if named.path == parent.name.file() => (named.sha256 != parent.sha256).then(|| {
                (
                    "edited-link",
                    format!("'{}' was changed after '{}' was made from it", named.path, loaded.name.file()),
                )
            }),
            Some(named) => Some(self.other_parent(&named.path, loaded)),
        };
        if let Some((code, message)) = problem {
            let about = if code == "edited-link" { parent.name.position } else { position };
            self.say(&about.to_string(), code, message);
        } else if !content.begins_with(expected) {
            let message =
                format!("'{}' does not hold the thoughts of '{}'", loaded.name.file(), parent.name.file());
            self.say(&name, "edited-link", message);
        }
        (Some("digest".to_owned()), added)
    }

    /// A link that names another parent than the previous link: one that is missing, or one that another link follows
    /// too.
    fn other_parent(&self, named: &str, loaded: &Loaded) -> (&'static str, String) {
        let file = loaded.name.file();
        match self.before.iter().find(|before| before.name.file() == named) {
            Some(_) => {
                let last = self.before.last().map(|last| last.name.file()).unwrap_or_default();
                ("forked-link", format!("forked: '{file}' and '{last}' both follow '{named}'"))
            }
            None => ("missing-link", format!("'{named}', which '{file}' was made from, is missing")),
        }
    }

    /// A link of another program whose thoughts do not begin with those before it.
    fn strayed(&self, position: Position, loaded: &Loaded) -> ChainProblem {
        let file = loaded.name.file();
        let earlier = self.before.iter().rev().skip(1).find(|earlier| {
            let pair = earlier.read.as_ref().ok().zip(loaded.read.as_ref().ok());
            pair.is_some_and(|(earlier, own)| own.begins_with(earlier))
        });
        let last = self.before.last().map(|last| last.name.file()).unwrap_or_default();
        let (code, message) = match earlier {
            Some(earlier) => (
                "forked-link",
                format!("forked: '{file}' and '{last}' both follow '{}'", earlier.name.file()),
            ),
            None => ("foreign-link", format!("'{file}' does not begin with the thoughts of '{last}'")),
        };
        ChainProblem { link: position.to_string(), code: code.to_owned(), message }
    }

    /// Checks that the link matches its seal and belongs to its own task.
    fn own(&mut self, position: Position, loaded: &Loaded) {
        let Ok(content) = &loaded.read else { return };
        let ask = Ask {
            against: Against::of(position),
            task: Some(self.task.clone()),
            others: self.others.clone(),
            reasoning: None,
            now: None,
            least: rules(),
        };
        let Ok(verdict) = verify(&content.sheet, &ask) else { return };
        for rule in verdict.rules.iter().filter(|rule| !rule.ok) {
            let code = match rule.rule.as_str() {
                "seal" => "edited-link",
                "own-task" => "foreign-link",
                _ => continue,
            };
            let message = format!("'{}': {}", loaded.name.file(), rule.found);
            self.say(&position.to_string(), code, message);
        }
    }

    /// Reports a problem; the faulty link may be one that was judged before.
    fn say(&mut self, link: &str, code: &str, message: String) {
        for held in self.links.iter_mut().filter(|held| held.link.link == link) {
            held.whole = false;
        }
        self.problems.push(ChainProblem { link: link.to_owned(), code: code.to_owned(), message });
    }
}
