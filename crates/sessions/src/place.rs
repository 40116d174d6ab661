//! Where the chain of a plan lies, and whether work may begin on it.
//!
//! Only handoff plans keep one. It must be there where the plan names its session or has a pre-execution gate; else it
//! is there where somebody keeps one.

use crate::Sheet;
use crate::chain::{self, Chain};
use crate::moment::Moment;
use crate::name::{Name, Position};
use crate::rules::{Against, Ask, verify};
use std::path::{Path, PathBuf};
use toolkit::config::SessionRule;
use toolkit::{Exit, Fail, root};
use wire::chain::{ChainLink, ChainProblem};
use wire::plan::{Kind, Plan, Task};

/// The folder of the sessions where the plan names none.
const USUAL: &str = ".kilocode/thinking";

/// Where the chain of a plan lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder.
    pub dir: PathBuf,
    /// The task.
    pub task: String,
}

/// Whether work may begin.
#[derive(Debug)]
pub enum Ready {
    /// It may: this is the last link.
    Yes(ChainLink),
    /// It may not.
    No {
        /// A stable kebab-case word.
        code: &'static str,
        /// A sentence for people.
        message: String,
    },
}

impl Place {
    /// Where the chain of a plan lies; or why it keeps none.
    pub fn of(plan: &Plan, root: &Path) -> Result<Result<Self, String>, Fail> {
        if plan.source.dialect != "handoff" {
            return Ok(Err(format!("the dialect '{}' keeps no thinking sessions", plan.source.dialect)));
        }
        let word =
            |key: &str| plan.extra.get(key).and_then(|value| value.as_str()).filter(|word| !word.is_empty());
        let export = word("session_export").or_else(|| word("session_export_path"));
        let named = export.and_then(|path| Path::new(path).file_name()?.to_str().and_then(Name::parse));
        let task = word("task_id").or_else(|| word("bead_id")).map(str::to_owned);
        let task = task.or_else(|| named.map(|name| name.task)).unwrap_or_else(|| stem(&plan.source.path));
        let folder = export.and_then(|path| path.rsplit_once('/')).map_or(USUAL, |(folder, _)| folder);
        let dir = root::inside(root, folder)?;
        let stated =
            export.is_some() || plan.tasks.iter().any(|task| task.id.as_str() == "pre-execution-gate");
        let place = Self { dir, task };
        if !stated && !place.has_links() {
            return Ok(Err("the plan names no session and none is kept for it".to_owned()));
        }
        Ok(Ok(place))
    }

    fn has_links(&self) -> bool {
        let key = wire::ids::key_of(&self.task);
        chain::names(&self.dir).is_ok_and(|names| names.iter().any(|name| name.task == key))
    }

    /// Whether work may begin: the chain is whole, and its preparation is what it must be. What stands at the place
    /// of the work itself is left from an earlier attempt and says nothing yet.
    pub fn ready(&self, at: Option<Position>, rules: SessionRule, now: &str) -> Result<Ready, Fail> {
        let chain = match Chain::read(&self.dir, &self.task) {
            Err(fail) if fail.exit == Exit::NoInput => {
                let message = format!("no preparation for '{}' in '{}'", self.task, self.dir.display());
                return Ok(Ready::No { code: "no-preparation", message });
            }
            other => other?,
        };
        let before = |problem: &&ChainProblem| match (Position::parse(&problem.link), at) {
            (Some(link), Some(at)) => link < at,
            _ => true,
        };
        if let Some(problem) = chain.problems().iter().find(before) {
            let message = format!("the chain of '{}' is broken: {}", self.task, problem.message);
            return Ok(Ready::No { code: "broken-chain", message });
        }
        let last = at.map_or_else(|| chain.last_whole(), |at| chain.before(at));
        let (Some(prep), Some(last)) = (chain.at(Position::Prep), last) else {
            let message = format!("no preparation for '{}' in '{}'", self.task, self.dir.display());
            return Ok(Ready::No { code: "no-preparation", message });
        };
        Ok(match self.refused(prep, rules, now)? {
            Some(message) => Ready::No { code: "preparation-refused", message },
            None => Ready::Yes(last.clone()),
        })
    }

    /// Why the preparation is not what it must be.
    fn refused(&self, prep: &ChainLink, rules: SessionRule, now: &str) -> Result<Option<String>, Fail> {
        let sheet = Sheet::open(Path::new(&prep.path))?;
        let key = wire::ids::key_of(&self.task);
        let ask = Ask {
            against: Against::Prep,
            others: chain::others(&self.dir, &key),
            task: Some(key),
            reasoning: None,
            now: Moment::parse(now),
            least: rules,
        };
        let verdict = verify(&sheet, &ask)?;
        let failed: Vec<String> = verdict
            .rules
            .iter()
            .filter(|rule| !rule.ok)
            .map(|rule| format!("{} ({})", rule.rule, rule.found))
            .collect();
        let message = || format!("the preparation '{}' does not hold: {}", prep.path, failed.join(", "));
        Ok((!failed.is_empty()).then(message))
    }
}

/// The place in the chain of a task of a plan; none for those that check or report.
pub fn position(plan: &Plan, task: &Task) -> Option<Position> {
    let title = task.title.to_lowercase();
    if task.kind != Kind::Work {
        return None;
    }
    let words = |words: &[&str]| words.iter().any(|word| title.contains(word));
    let own = task.id.as_str().strip_prefix("subtask-").unwrap_or(task.id.as_str());
    let expanded = own.len() < task.id.as_str().len();
    if expanded && words(&["add/update tests", "add or update tests"]) {
        return Some(Position::Tests);
    }
    if let Some(position) = Position::parse(&format!("subtask-{own}")) {
        return Some(position);
    }
    // Other names count by their place; the lines around the subtasks are none.
    let around = ["runtime-report", "pre-execution-gate", "complete"];
    if around.contains(&task.id.as_str()) || plan.tasks.iter().any(|task| around.contains(&task.id.as_str()))
    {
        return None;
    }
    let place = plan.tasks.iter().position(|other| other.id == task.id)?;
    u32::try_from(place + 1).ok().map(Position::Subtask)
}

/// The task's id by the name of its todo list.
fn stem(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Place, position};
    use crate::name::Position;
    use std::path::Path;
    use wire::plan::{Kind, Plan, Task};

    fn task(id: &str, title: &str, kind: Kind) -> Task {
        Task { id: id.into(), title: title.into(), kind, ..Task::default() }
    }

    fn todo() -> Plan {
        let mut plan = Plan::default();
        plan.source.dialect = "handoff".into();
        plan.source.path = ".kilocode/todo/core-82w.md".into();
        plan.tasks = vec![
            task(
                "pre-execution-gate",
                "Pre-Execution Gate: Load and verify prep session",
                Kind::Verification,
            ),
            task("subtask-1", "Subtask 1: Build", Kind::Work),
            task("subtask-2", "Subtask 2: Add/update tests", Kind::Work),
            task("subtask-3", "Subtask 3: Run quality gates", Kind::Verification),
            task("complete", "Complete: Update beads and present results", Kind::Work),
        ];
        plan
    }

    #[test]
    fn the_lines_of_a_run_have_their_places() {
        let plan = todo();
        let places: Vec<_> = plan.tasks.iter().map(|task| position(&plan, task)).collect();
        assert_eq!(places, [None, Some(Position::Subtask(1)), Some(Position::Tests), None, None]);
        let tasks = vec![task("a", "x", Kind::Work), task("b", "y", Kind::Work)];
        let packet = Plan { tasks, ..Plan::default() };
        assert_eq!(position(&packet, &packet.tasks[1]), Some(Position::Subtask(2)));
    }

    #[test]
    fn a_todo_list_with_a_gate_needs_a_chain_by_its_own_name() {
        let root = std::env::temp_dir();
        let place = Place::of(&todo(), &root).unwrap().unwrap();
        assert_eq!((place.task.as_str(), place.dir.ends_with(".kilocode/thinking")), ("core-82w", true));
        let mut bare = todo();
        bare.tasks.remove(0);
        assert!(Place::of(&bare, &root).unwrap().is_err());
    }

    #[test]
    fn a_packet_says_where_its_sessions_are_and_never_outside() {
        let mut plan = Plan::default();
        plan.source.dialect = "handoff".into();
        plan.extra.insert("session_export".into(), "notes/thinking/task-a.1-prep-2026-01-01.json".into());
        let root = std::env::temp_dir();
        let place = Place::of(&plan, &root).unwrap().unwrap();
        assert_eq!((place.task.as_str(), place.dir), ("a.1", root.join("notes/thinking")));
        plan.extra.insert("session_export".into(), "../x/task-a-prep-2026-01-01.json".into());
        assert_eq!(Place::of(&plan, Path::new("/")).unwrap_err().code, "path-outside");
    }
}
