//! The location of a plan's chain, and whether work may begin on it.
//!
//! Only some workflows keep one. It must be there where the plan names its session or has a pre-execution gate; else it
//! is there only where a project keeps one.

use crate::SessionText;
use crate::chain::{self, Chain};
use crate::file::moment::Moment;
use crate::file::name::{Name, Position};
use crate::rules::{Against, Ask, verify};
use config::SessionRule;
use config::profile::Profile;
use std::path::{Path, PathBuf};
use toolkit::files::root;
use toolkit::{Exit, Fail};
use wire::chain::{ChainLink, ChainProblem};
use wire::plan::{Kind, Plan, Task};

/// The folder of the sessions if the plan names none.
const USUAL: &str = ".kilocode/thinking";

/// The location of a plan's chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChainLocation {
    /// The folder.
    pub dir: PathBuf,
    /// The task.
    pub task: String,
}

/// Whether work may begin.
#[derive(Debug)]
pub enum Ready {
    /// Yes: this is the last link.
    Yes(ChainLink),
    /// No.
    No {
        /// A stable kebab-case word.
        code: &'static str,
        /// A sentence for people.
        message: String,
    },
}

impl ChainLocation {
    /// Where the chain of a plan lies; or why it keeps none.
    pub fn of(plan: &Plan, root: &Path, profile: &Profile) -> Result<Result<Self, String>, Fail> {
        if !profile.sessions {
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

    /// Whether work may begin: the chain is intact, and its preparation satisfies the rules. A link at the position
    /// of the work itself is left from an earlier attempt and is ignored. `made` are the links that finished work left.
    pub fn ready(
        &self,
        at: Option<Position>,
        made: &[Position],
        rules: SessionRule,
        now: &str,
    ) -> Result<Ready, Fail> {
        let chain = match Chain::read(&self.dir, &self.task) {
            Err(fail) if fail.exit == Exit::NoInput => {
                let message = format!(
                    "no preparation for '{}' in '{}': run start-task first",
                    self.task,
                    self.dir.display()
                );
                return Ok(Ready::No { code: "no-preparation", message });
            }
            other => other?,
        };
        let before = |problem: &&ChainProblem| match (Position::parse(&problem.link), at) {
            (Some(link), Some(at)) => link < at,
            _ => true,
        };
        if let Some(problem) = chain.problems().iter().find(before) {
            let is_prep = Position::parse(&problem.link) == Some(Position::Prep);
            let again = if is_prep { ": run start-task first" } else { "" };
            let message = format!("the chain of '{}' is broken: {}{again}", self.task, problem.message);
            return Ok(Ready::No { code: "broken-chain", message });
        }
        let is_before = |link: &&Position| at.is_none_or(|at| **link < at);
        if let Some(gone) = made.iter().filter(is_before).find(|link| chain.at(**link).is_none()) {
            let message = format!(
                "the chain of '{}' is broken: the link of '{gone}' is gone from '{}'; put its file back, or open its box again \
                 (checkbox state TASK=in_progress --reason WHY PLAN), so that its work is checked and exported anew",
                self.task,
                self.dir.display()
            );
            return Ok(Ready::No { code: "broken-chain", message });
        }
        let last = at.map_or_else(|| chain.last_whole(), |at| chain.before(at));
        let (Some(prep), Some(last)) = (chain.at(Position::Prep), last) else {
            let message = format!(
                "no preparation for '{}' in '{}': run start-task first",
                self.task,
                self.dir.display()
            );
            return Ok(Ready::No { code: "no-preparation", message });
        };
        Ok(match self.refused(prep, rules, now)? {
            Some(message) => Ready::No { code: "preparation-refused", message },
            None => Ready::Yes(last.clone()),
        })
    }

    /// Why the preparation does not satisfy the rules.
    fn refused(&self, prep: &ChainLink, rules: SessionRule, now: &str) -> Result<Option<String>, Fail> {
        let sheet = SessionText::open(Path::new(&prep.path))?;
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
        let message = || {
            format!(
                "the preparation '{}' does not hold: {}: run start-task first",
                prep.path,
                failed.join(", ")
            )
        };
        Ok((!failed.is_empty()).then(message))
    }
}

/// The position of a task of a plan in the chain; `None` for tasks that check or report.
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
    // Tasks with other names count by their index; the lines around the subtasks do not count.
    let around = ["runtime-report", "pre-execution-gate", "complete"];
    if around.contains(&task.id.as_str()) || plan.tasks.iter().any(|task| around.contains(&task.id.as_str()))
    {
        return None;
    }
    let place = plan.tasks.iter().position(|other| other.id == task.id)?;
    u32::try_from(place + 1).ok().map(Position::Subtask)
}

/// The task's id from the name of its todo list.
fn stem(path: &str) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{ChainLocation, position};
    use crate::file::name::Position;
    use config::profile::Profile;
    use std::path::Path;
    use wire::plan::{Kind, Plan, Task};

    fn profile() -> &'static Profile {
        Profile::by_name("execute-task").unwrap()
    }

    fn task(id: &str, title: &str, kind: Kind) -> Task {
        Task { id: id.into(), title: title.into(), kind, ..Task::default() }
    }

    fn todo() -> Plan {
        let mut plan = Plan::default();
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
        let place = ChainLocation::of(&todo(), &root, profile()).unwrap().unwrap();
        assert_eq!((place.task.as_str(), place.dir.ends_with(".kilocode/thinking")), ("core-82w", true));
        let mut bare = todo();
        bare.tasks.remove(0);
        assert!(ChainLocation::of(&bare, &root, profile()).unwrap().is_err());
    }

    #[test]
    fn a_packet_says_where_its_sessions_are_and_never_outside() {
        let mut plan = Plan::default();
        plan.extra.insert("session_export".into(), "notes/thinking/task-a.1-prep-2026-01-01.json".into());
        let root = std::env::temp_dir();
        let place = ChainLocation::of(&plan, &root, profile()).unwrap().unwrap();
        assert_eq!((place.task.as_str(), place.dir), ("a.1", root.join("notes/thinking")));
        plan.extra.insert("session_export".into(), "../x/task-a-prep-2026-01-01.json".into());
        assert_eq!(ChainLocation::of(&plan, Path::new("/"), profile()).unwrap_err().code, "path-outside");
    }
}
