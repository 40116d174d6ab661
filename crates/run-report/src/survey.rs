//! The survey of a whole plan: what is done, on what evidence, what happened, what is open.
//!
//! Only this module combines plan, ledger, context files, sessions and git; every format prints its result.

pub(crate) mod book;
pub(crate) mod changed_files;
pub(crate) mod estimate;
pub(crate) mod figures;
pub(crate) mod hosts;
pub(crate) mod ledger_scan;
pub(crate) mod record;
pub(crate) mod record_data;
pub(crate) mod reproved;
pub(crate) mod task_line;
pub(crate) mod task_state;
pub(crate) mod task_story;

use crate::survey::book::Book;

use crate::survey::figures::count;

use crate::survey::task_story::Story;
use config::ConfigArgs;
use config::commits::Commits;
use config::profile::Profile;
use dialects::Ask;
use graph::{Critical, Graph};
use ledger::Ledger;
use ledger::punch_files;
use repo::git::Git;
use repo::{anchors, prior_changes};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::cli::env;
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use wire::history::Check;
use wire::order::Tokens;
use wire::plan::{Kind, Model, State};
use wire::punch::Type;
use wire::report::{Goal, Line, Proof, Report, SCHEMA, Stand, Trusted};
use wire::{Plan, Task, TaskId};

/// A plan with its root and home.
pub(crate) struct OpenedPlan {
    pub(crate) plan: Plan,
    /// The same with the content of the tasks' own files, if the dialect has such files.
    pub(crate) loaded: Option<Plan>,
    pub(crate) graph: Option<Graph>,
    pub(crate) root: PathBuf,
    pub(crate) home: Home,
    /// The policy of its workflow.
    pub(crate) profile: Profile,
    /// When its tasks are committed.
    commits: Commits,
}

impl OpenedPlan {
    /// Reads the plan at a path, with the files of all tasks that have one.
    pub(crate) fn at(path: &Path) -> Result<Self, Fail> {
        Self::with_files(path, |_| true)
    }

    /// The same for a run in progress: does not open the file of a task that is still pending, and not handed out.
    pub(crate) fn so_far(path: &Path, begins: &[TaskId]) -> Result<Self, Fail> {
        Self::with_files(path, |task| task.state != State::Pending || begins.contains(&task.id))
    }

    fn with_files(path: &Path, wanted: impl Fn(&Task) -> bool) -> Result<Self, Fail> {
        let root = root::find(path)?;
        let plan = dialects::open_with(path, &root, &Ask::default())?;
        let load = plan.tasks.iter().filter(|task| task.detail.is_some() && wanted(task));
        let load: Vec<String> = load.map(|task| task.id.0.clone()).collect();
        // If a task file cannot be read, the task stays as in the list.
        let filled = (!load.is_empty())
            .then(|| dialects::open_with(path, &root, &Ask { load, ..Ask::default() }).ok())
            .flatten()
            .filter(|filled| filled.tasks.len() == plan.tasks.len());
        let graph = graph::meant(&plan).ok();
        let home = Home::of(&root)?;
        let profile = policy(&root, &plan.source.dialect)?;
        let commits = ConfigArgs::default().load(&root).unwrap_or_default().commits(&plan)?;
        Ok(Self { plan, loaded: filled, graph, root, home, profile, commits })
    }

    /// The graph with the links that the strategy adds: the lower bound for any number of workers.
    fn bound(&self) -> Option<Graph> {
        let graph = self.graph.clone()?;
        let model = self.plan.strategy.as_ref().map(|strategy| strategy.model);
        if !matches!(model, Some(Model::Sequential | Model::Tdd)) || graph.cycle().is_some() {
            return Some(graph);
        }
        let turns = graph::model::rules::in_turn(&graph);
        Some(graph.with_rule(&turns))
    }

    /// Notes for each task whether its own file has steps to carry out before the work.
    pub(crate) fn with_flow_control(mut self, begins: &[TaskId]) -> Self {
        let root = self.root.clone();
        let has_steps = |path: &str| {
            let bytes = fs::read_if_there(&root::inside(&root, path).ok()?).ok().flatten()?;
            let file: serde_json::Value = serde_json::from_slice(&bytes).ok()?;
            file.pointer("/flow_control/pre_analysis")?.as_array().map(|steps| !steps.is_empty())
        };
        let begun = |task: &&mut Task| task.state != State::Pending || begins.contains(&task.id);
        for task in self.loaded.iter_mut().flat_map(|plan| &mut plan.tasks).filter(begun) {
            if task.detail.as_ref().and_then(|detail| has_steps(&detail.path)) == Some(true) {
                task.extra.insert("flow_control".to_owned(), true.into());
            }
        }
        self
    }

    /// The tasks as reported: with the content of their own files.
    pub(crate) fn told(&self) -> &Plan {
        self.loaded.as_ref().unwrap_or(&self.plan)
    }
}

/// The policy for plans of a dialect below a root. What happened must be shown even where `plantools.toml` is broken, which
/// the other tools report: then the profile counts as it is built in.
pub(crate) fn policy(root: &Path, dialect: &str) -> Result<Profile, Fail> {
    ConfigArgs::default().load(root).unwrap_or_default().profile(dialect)
}

/// Surveys a plan.
pub(crate) fn of(ground: &OpenedPlan, now: Option<String>) -> Result<Report, Fail> {
    let mut book = Book::new(&ground.plan, ground.loaded.as_ref());
    let anchors = anchors::read(&ground.home)?;
    let ledger = Ledger::new(ground.home.clone());
    // Outside of a run nothing has guarded the old part.
    let old = env::get(env::SINCE).and_then(|_| ledger.old_part());
    let old = old.as_ref().map(|old| (old, ground.plan.source.path.as_str()));
    let mut trusted = ledger_scan::read(&ledger.path(), old, &anchors, &mut |record| {
        book.take(record);
    })?;
    reproved::note(ground, &mut book.stories)?;
    let punches = unseal(&ground.root, &book.stories, &mut trusted)?;
    let mut report = report(ground, &book);
    for (line, punches) in report.tasks.iter_mut().zip(punches) {
        line.punches = punches;
    }
    report.ledger = Some(trusted);
    report.made_at = now;
    sessions(ground, &mut report);
    for line in &mut report.tasks {
        task_line::read_results(&ground.root, line);
    }
    let costs: Vec<f64> = report.tasks.iter().flat_map(|l| &l.history).filter_map(|a| a.cost).collect();
    if let Some(numbers) = report.numbers.as_mut().filter(|_| !costs.is_empty()) {
        numbers.cost = Some(costs.iter().sum());
    }
    let tokens = report.tasks.iter().flat_map(|line| &line.history).filter_map(|attempt| attempt.tokens);
    let tokens = Tokens::sum(tokens);
    if let Some(numbers) = &mut report.numbers {
        numbers.tokens = tokens;
    }
    report.changes = changed_files::since(&ground.home, book.start.as_deref(), &report.files)?;
    report.learnings = noted(ground, "learnings.md", "- ")?;
    report.issues = noted(ground, "issues.md", "- [ ] ")?;
    report.open = open(ground, &report, &book.stories)?;
    Ok(report)
}

/// The report from plan and ledger alone.
pub(crate) fn report(ground: &OpenedPlan, book: &Book) -> Report {
    let plan = ground.told();
    let graph = ground.graph.as_ref();
    let stands = task_state::all(plan, graph, &book.stories, &ground.home);
    let critical = graph.filter(|graph| graph.cycle().is_none()).map(Critical::of);
    let tasks = plan.tasks.iter().zip(&book.stories).zip(&stands).zip(0..);
    let tasks: Vec<Line> = tasks
        .map(|(((task, story), &stand), i)| Line {
            stand,
            critical: critical.as_ref().is_some_and(|path| path.has(i)),
            ..task_line::of(task, story)
        })
        .collect();
    let files: BTreeSet<String> = tasks.iter().flat_map(|line| line.files.iter().cloned()).collect();
    let passed = |id: &str| book.whole.get(id).is_some_and(|ran| ran.status == "pass");
    let goals = dialects::goals(plan).into_iter().map(|goal| {
        let deferred = book.deferred.get(&goal.text).filter(|_| !goal.checked).cloned().or(goal.skip);
        let open = !goal.checked && deferred.is_none();
        Goal { id: goal.id, text: goal.text, checked: goal.checked, open, deferred }
    });
    let gates = plan.gates.iter().map(|gate| {
        let checked = gate.checked || passed(&gate.id) || book.decided.contains(&gate.text);
        let deferred = book.deferred.get(&gate.text).filter(|_| !checked).cloned();
        // What a command can show was run; a sentence that calls the work a success waits for a person.
        let open = !checked && deferred.is_none() && gate.category == "success" && !gate.runnable;
        Goal { id: gate.id.clone(), text: gate.text.clone(), checked, open, deferred }
    });
    // What is unclear has no result of its own once a person has settled it.
    let is_judged = |id: &str| {
        let is_settled = |text: &String| book.decided.contains(text) || book.deferred.contains_key(text);
        plan.gates.iter().any(|gate| gate.id == id && gate.holds().is_some() && is_settled(&gate.text))
    };
    Report {
        schema: SCHEMA.to_owned(),
        plan: plan.source.path.clone(),
        title: plan.title.clone(),
        dialect: plan.source.dialect.clone(),
        numbers: Some(figures::of(&tasks, &book.stories, ground.bound().as_ref())),
        hosts: book.hosts.told(&tasks),
        tasks,
        gates: book.whole.values().filter(|ran| !is_judged(&ran.id)).cloned().collect(),
        goals: goals.chain(gates).collect(),
        files: files.into_iter().collect(),
        ..Report::default()
    }
}

/// Counts the punches of each task by their type, and checks the files that contain them.
fn unseal(root: &Path, stories: &[Story], trusted: &mut Trusted) -> Result<Vec<BTreeMap<String, u64>>, Fail> {
    let mut all = Vec::with_capacity(stories.len());
    for story in stories {
        let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
        for seal in story.seals.values() {
            trusted.seals += 1;
            let wrong = punch_files::walk(root, seal, &mut |_, bytes| {
                if let Some(record) = record::Record::of(bytes) {
                    trusted.punches += 1;
                    *kinds.entry(record.kind.word().to_owned()).or_default() += 1;
                }
            })?;
            for (line, words) in wrong {
                trusted.ok = false;
                trusted.problems.push(format!("{}: line {line} {words}", seal.path));
            }
        }
        all.push(kinds);
    }
    Ok(all)
}

/// Adds the sessions of the chain, each to its task.
fn sessions(ground: &OpenedPlan, report: &mut Report) {
    let Ok(Ok(place)) = ::sessions::ChainLocation::of(&ground.plan, &ground.root, &ground.profile) else {
        return;
    };
    let Ok(chain) = ::sessions::Chain::read(&place.dir, &place.task) else { return };
    let shown = |path: &str| ground.home.relative(&place.dir.join(path));
    report.sessions = chain.document().links.iter().map(|link| shown(&link.path)).collect();
    for (line, task) in report.tasks.iter_mut().zip(&ground.plan.tasks) {
        let position = ::sessions::position(&ground.plan, task);
        line.session = position.and_then(|at| chain.at(at)).map(|link| shown(&link.path));
    }
}

/// The work that is left before the plan is finished.
fn open(ground: &OpenedPlan, report: &Report, stories: &[Story]) -> Result<Vec<String>, Fail> {
    let plan = &ground.plan;
    // A container is done when its tasks are, and its own checks pass.
    let is_own = |line: &Line, task: &Task| {
        let has_checks = task.mark.is_some() && dialects::write::has_checks(task);
        let waits = line.kind != Kind::Container || has_checks && !line.state.is_settled();
        // An optional task that was skipped is not open.
        waits && !(task.optional && line.stand == Stand::Skipped)
    };
    let own = report.tasks.iter().zip(&plan.tasks).filter(|(line, task)| is_own(line, task));
    let mut open: Vec<String> = own.filter_map(|(line, _)| open_of(line)).collect();
    let has_git = root::has_git(&ground.root);
    for (task, story) in plan.tasks.iter().zip(stories) {
        let owed = task.state == State::Completed && ground.commits.of(task).is_some();
        if has_git && owed && story.standing.standing_tick().is_some() && !story.standing.committed {
            open.push(format!("task {}: its commit is owed", task.id));
        }
    }
    for (line, story) in report.tasks.iter().zip(stories).filter(|(line, _)| line.state == State::Completed) {
        open.extend(
            line.checks
                .iter()
                .filter(|check| story.broken.contains(&check.id))
                .map(|check| broken(line, check)),
        );
    }
    // A task that a typo hides is not done.
    let lost = plan.diagnostics.iter().filter(|found| dialects::is_lost(found));
    open.extend(lost.map(|found| format!("{}:{}: {}", found.path, found.line, found.message)));
    // A broken ledger proves nothing.
    let problems = report.ledger.iter().flat_map(|ledger| &ledger.problems);
    open.extend(problems.map(|problem| format!("the ledger cannot be trusted: {problem}")));
    open.extend(crate::final_report::figures::failing(report).map(|ran| {
        let measured = ran.measured.as_deref().unwrap_or("no result");
        format!("the check '{}' of the whole plan did not pass: {measured}", ran.id)
    }));
    open.extend(bead(ground, report)?);
    let goals = report.goals.iter().filter(|goal| goal.open);
    open.extend(goals.map(|goal| format!("{} is open: {}", goal.id, goal.text)));
    // Where a person commits, the changes of the work are no loose end.
    if has_git && !ground.commits.never() {
        open.extend(unclean(ground)?);
    }
    Ok(open)
}

/// The bead of an approved task that is not closed yet, where the workflow closes it.
fn bead(ground: &OpenedPlan, report: &Report) -> Result<Option<String>, Fail> {
    let source = &ground.plan.source;
    let bead =
        ground.plan.extra.get("bead_id").and_then(|bead| bead.as_str()).filter(|bead| !bead.is_empty());
    let approved = report
        .tasks
        .iter()
        .any(|line| line.id.as_str() == ground.profile.approval_task && line.state == State::Completed);
    let Some(bead) = bead.filter(|_| approved) else { return Ok(None) };
    let records = Ledger::new(ground.home.clone()).read_of(&source.path)?;
    let is_closed = records.iter().any(|p| p.kind == Type::StepComplete && p.key == BEAD_CLOSED);
    Ok((!is_closed).then(|| format!("bead '{bead}' is not closed; run this again once bd works")))
}

/// The key of the record that the bead is closed; the last commands of the workflow write it.
const BEAD_CLOSED: &str = "bead-closed";

/// What is not committed. Files that a person had changed before the run are left alone, unless the work changed them too;
/// where the profile asks for a clean tree, they count too.
fn unclean(ground: &OpenedPlan) -> Result<Vec<String>, Fail> {
    let source = &ground.plan.source;
    let mut dirty: Vec<_> =
        Git::new(ground.home.clone()).status()?.into_iter().map(|(_, path)| path).collect();
    // A file that was removed from the index and still exists is listed twice.
    dirty.dedup();
    let mut open = Vec::new();
    if !dirty.is_empty() && !ground.profile.clean_tree {
        let theirs =
            prior_changes::worked_on(&Ledger::new(ground.home.clone()).read_of(&source.path)?, &source.path);
        let both: Vec<_> =
            dirty.iter().filter_map(|path| Some((path, theirs.get(path)?.as_ref()?))).collect();
        open.extend(both.into_iter().map(|(path, task)| {
            format!(
                "{path} was changed before the run, and by the work of task {task} as well: it is not committed; \
                 look at it (git diff HEAD -- {path}), commit it, and run this again"
            )
        }));
        dirty.retain(|path| !theirs.contains_key(path));
    }
    if !dirty.is_empty() {
        open.push(format!("the tree is not clean: {}", dirty.join(", ")));
    }
    Ok(open)
}

/// A check that passed when its task was ticked and does not pass now.
fn broken(line: &Line, check: &Check) -> String {
    let now = if check.status == "fail" { "fails" } else { "has no verdict" };
    let measured = check.measured.as_deref().unwrap_or_default();
    format!("task {}: ticked, and its check {} {now} since: {measured}", line.id, check.id)
}

fn open_of(line: &Line) -> Option<String> {
    match line.state {
        State::Completed if line.proof == Proof::Unverified => {
            Some(format!("task {}: ticked, and nothing on record says why", line.id))
        }
        State::Completed | State::Skipped => None,
        State::Pending if line.kind == Kind::Container => {
            Some(format!("task {}: pending, its own checks have not passed", line.id))
        }
        state => {
            let why = line.halt.as_ref().map(|h| format!(", {}", h.message)).unwrap_or_default();
            Some(format!("task {}: {}{why}", line.id, state.word()))
        }
    }
}

/// The items of a context file.
fn noted(ground: &OpenedPlan, name: &str, bullet: &str) -> Result<Vec<String>, Fail> {
    let source = &ground.plan.source;
    let folder = dialects::context::dir(&source.path, &source.dialect);
    let text = fs::read_if_there(&ground.root.join(folder).join(name))?.unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(text.lines().filter_map(|l| l.strip_prefix(bullet)).map(str::to_owned).collect())
}

/// How many criteria of a task have this status.
pub(crate) fn checks_with(line: &Line, status: &str) -> u32 {
    count(line.checks.iter().filter(|check| check.status == status).count())
}
