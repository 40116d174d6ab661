//! `--suggest`: checks for the open tasks that state none, one `suggestion/1` a line. It reads the repository and runs
//! nothing; `gate-run try` tries them, `checkbox adopt` writes them into the plan.

use crate::sources::Sources;
use checks::suggest::{Project, Taken, Tree, Work, makes, suggest};
use std::collections::HashMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::inside;
use toolkit::stream::output::Output;
use wire::order::PlanRef;
use wire::plan::Kind;
use wire::plan::suggestion::{SCHEMA, Suggestion};
use wire::{Answer, End, Plan, Task};

/// Writes the suggestions, for programs or for people.
pub(crate) fn run(plan: &Plan, sources: &Sources, text: bool, out: &mut Output) -> Result<(), Fail> {
    let found = of(plan, sources);
    if text {
        return out.shown(&for_people(plan, &found));
    }
    for suggestion in &found {
        let line = serde_json::to_string(suggestion).map_err(|e| Fail::data("bad-json", e.to_string()))?;
        out.line(&line)?;
    }
    out.document(&End::new(Answer::Done, found.len() as u64), false)
}

/// All suggestions of a plan, in its order.
pub(crate) fn of(plan: &Plan, sources: &Sources) -> Vec<Suggestion> {
    let tree = Root(PathBuf::from(&plan.source.root));
    let texts = plan.source.files.iter().filter_map(|file| sources.bytes(&file.path));
    let whole: String = texts.map(|bytes| String::from_utf8_lossy(bytes).into_owned()).collect();
    let project = Project::of(&tree, &whole);
    let source = &plan.source;
    let reference = PlanRef {
        path: source.path.clone(),
        dialect: source.dialect.clone(),
        root: source.root.clone(),
        sha256: source.sha256.clone(),
    };
    let mut all: Vec<Suggestion> = Vec::new();
    let mut taken = Taken::before_all(&whole);
    let open: Vec<&Task> = plan.tasks.iter().filter(|task| !task.state.is_settled()).collect();
    let bodies: Vec<String> = open.iter().map(|task| body(task, sources)).collect();
    let work: Vec<Work<'_>> = open
        .iter()
        .zip(&bodies)
        .map(|(task, body)| Work { title: &task.title, body, files: &task.files, criteria: &task.criteria })
        .collect();
    // The source files of each phase in the plan's order, and where those behind a task begin.
    let mut made: HashMap<Option<&str>, Vec<String>> = HashMap::new();
    let mut behind = Vec::with_capacity(open.len());
    for (task, work) in open.iter().zip(&work) {
        let of_phase = made.entry(task.phase.as_deref()).or_default();
        of_phase.extend(makes(work, &tree));
        behind.push(of_phase.len());
    }
    for (at, task) in open.iter().enumerate().filter(|(_, task)| needs_check(task)) {
        let later =
            made.get(&task.phase.as_deref()).and_then(|made| made.get(behind[at]..)).unwrap_or_default();
        let (found, paths) = suggest(&work[at], later, &project, &tree, &mut taken);
        all.extend(found.into_iter().map(|one| Suggestion {
            schema: SCHEMA.to_owned(),
            plan: reference.clone(),
            task: task.id.clone(),
            title: task.title.clone(),
            fingerprint: task.fingerprint.clone(),
            check: one.check,
            command: one.command,
            kind: one.kind,
            reason: one.reason,
            sure: one.sure,
            paths: paths.clone(),
            ..Suggestion::default()
        }));
    }
    all
}

fn body(task: &Task, sources: &Sources) -> String {
    let read = || {
        let bytes = sources.bytes(task.span.path.as_str()).unwrap_or_default();
        String::from_utf8_lossy(dialects::body(bytes, &task.span)).into_owned()
    };
    task.body.clone().unwrap_or_else(read)
}

/// Whether a task is open work without a check that can be run.
pub(crate) fn needs_check(task: &Task) -> bool {
    let is_work = matches!(task.kind, Kind::Work | Kind::Verification);
    is_work && !task.state.is_settled() && !task.criteria.iter().any(|criterion| criterion.runnable)
}

fn for_people(plan: &Plan, found: &[Suggestion]) -> String {
    let open = plan.tasks.iter().filter(|task| needs_check(task)).count();
    let mut tasks: Vec<&str> = found.iter().map(|one| one.task.as_str()).collect();
    tasks.dedup();
    let mut text = format!("{open} open tasks have no check; suggestions for {} of them\n", tasks.len());
    let mut last = "";
    for one in found {
        if one.task.as_str() != last {
            last = one.task.as_str();
            let _ = writeln!(text, "{last} {}", one.title);
        }
        let _ = writeln!(text, "  Verify: {}\n    {}", one.check, one.reason);
    }
    text
}

/// A larger file is not searched for names.
const LARGEST: u64 = 1 << 20;

/// The repository of a plan.
struct Root(PathBuf);

impl Root {
    /// A path that a plan names, unless it leads out of the repository.
    fn at(&self, path: &str) -> Option<PathBuf> {
        inside(&self.0, path.trim_end_matches('/')).ok()
    }
}

impl Tree for Root {
    fn exists(&self, path: &str) -> bool {
        self.at(path).is_some_and(|path| path.exists())
    }

    fn text(&self, path: &str) -> Option<String> {
        let path = self.at(path).filter(|path| is_small_file(path))?;
        String::from_utf8(fs::read(&path).ok()?).ok()
    }
}

fn is_small_file(path: &Path) -> bool {
    path.metadata().is_ok_and(|about| about.is_file() && about.len() <= LARGEST)
}
