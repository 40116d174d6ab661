//! `orchestrate blame`: which task broke the check of a ticked one. The commits of the plan are bisected by that check, each
//! on a snapshot in a scratch worktree (`gate-run at`).
//!
//! The first end of the search is the commit of the task itself, whose tick says that the check passed there; the last is
//! the tree as it is now. Commits that changed a file of the task are looked at first, so that the search is short where
//! files say who did it, and at most a few runs longer than log2(N) where they do not. The last two places are confirmed.

use crate::args::Wanted;
use crate::conductor;
use crate::find::locate::named_or_only;
use crate::find::profile::quoted;
use crate::history::undo;
use crate::stop_reason::Stop;
use crate::tools::{Tools, Words};
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::gate::Status;
use wire::report::Report;
use wire::tick::TickDoc;
use wire::{Gate, State, TaskId};

/// What is asked.
#[derive(Debug)]
pub(crate) struct Blame {
    pub(crate) id: Option<String>,
    /// Whether the task that broke it is opened and worked again.
    pub(crate) reopen: bool,
    /// The plan, and how it is carried out then.
    pub(crate) wanted: Wanted,
}

/// A ticked task and its check that does not pass any more.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Broken {
    task: TaskId,
    title: String,
    check: String,
    /// Whether its last result on record is a failure.
    fails: bool,
}

/// Where the check runs.
#[derive(Debug, Clone)]
enum Place {
    /// After a task of the plan.
    Task(TickDoc),
    /// After a commit that belongs to no task of the plan.
    Other { hash: String, subject: String, author: String },
    /// The tree as it is now.
    Now,
}

impl Place {
    fn commit(&self) -> Option<&str> {
        match self {
            Self::Task(done) => done.commit.as_deref(),
            Self::Other { hash, .. } => Some(hash),
            Self::Now => None,
        }
    }

    /// The place in words.
    fn shown(&self) -> String {
        match self {
            Self::Task(done) => {
                format!("task {}, commit {}", done.task, short(done.commit.as_deref().unwrap_or_default()))
            }
            Self::Other { hash, .. } => format!("commit {}", short(hash)),
            Self::Now => "the tree as it is".to_owned(),
        }
    }
}

/// A place, and the result there if the check was run.
#[derive(Debug, Clone)]
struct Point {
    at: Place,
    gate: Option<Gate>,
    /// Which run of the check that was.
    number: usize,
}

impl Point {
    fn of(at: Place) -> Self {
        Self { at, gate: None, number: 0 }
    }

    fn is_at(&self, commit: &str) -> bool {
        self.at.commit() == Some(commit)
    }
}

/// What the search found.
enum Found {
    /// The check holds now.
    Holds,
    /// It passes at the first, and not at the second.
    Between(Box<(Point, Point)>),
    /// It cannot be told.
    Unknown(String),
}

/// Names who broke what; 1 if something is broken, 0 if nothing is, 3 if it cannot be told.
pub(crate) fn run(tools: &Tools, mut blame: Blame, out: &mut Output) -> Result<Exit, Stop> {
    let plan = named_or_only(tools, blame.wanted.plan.clone())?;
    let plan = std::path::absolute(&plan).unwrap_or(plan);
    let lock = undo::lock(tools, &plan)?;
    let mut first = broken(tools, &plan, blame.id.as_deref())?;
    let mut is_fresh = false;
    if first.is_empty() {
        // What has not failed yet may fail now; the checks say so themselves.
        let parent = plan.parent().unwrap_or(Path::new(".")).as_os_str().to_owned();
        let args: Words = [
            &["gate-run", "--json-only", "--when", "recheck", "--again", "--plan"].map(OsString::from)[..],
            &[plan.clone().into(), "--cwd".into(), parent],
        ]
        .concat();
        let said = tools.pipe(&[args])?;
        // A check that fails, or gives no verdict, is on record; anything else says that nothing was looked at.
        let answers = [Exit::Ok, Exit::No, Exit::NoVerdict].map(|exit| i32::from(exit.code()));
        if !answers.contains(&said.code) {
            return Err(said.stop());
        }
        first = broken(tools, &plan, blame.id.as_deref())?;
        is_fresh = true;
    }
    if first.is_empty() {
        out.line("every check of the ticked tasks holds")?;
        return Ok(Exit::Ok);
    }
    let (mut exit, mut reopened): (Exit, Vec<Reopened>) = (Exit::Ok, Vec::new());
    for one in first {
        let search = Search { tools, plan: &plan, check: &one.check };
        let (found, runs) = search.find(&one, is_fresh && one.fails)?;
        out.text(&told(&one, &found, runs))?;
        match found {
            Found::Holds => {}
            Found::Unknown(_) => exit = Exit::NoVerdict,
            Found::Between(both) => {
                let (before, after) = *both;
                exit = if exit == Exit::NoVerdict { exit } else { Exit::No };
                match &after.at {
                    Place::Task(by) if blame.reopen && by.task != one.task => {
                        let row = row(&one, &before, &after);
                        match reopened.iter_mut().find(|known| known.task == by.task) {
                            Some(known) => known.broke.push((one, row)),
                            None => {
                                reopened.push(Reopened { task: by.task.clone(), broke: vec![(one, row)] });
                            }
                        }
                    }
                    _ if blame.reopen => out.line("  no task is opened, since no other task broke it")?,
                    _ => {}
                }
            }
        }
    }
    // What was found stands above what the run prints.
    out.flush()?;
    for task in &reopened {
        task.open(tools, &plan)?;
    }
    drop(lock);
    if reopened.is_empty() {
        return Ok(exit);
    }
    blame.wanted.plan = Some(plan);
    for task in reopened {
        // The attempt is judged by the broken checks as well; the run behind it looks at the other tasks.
        let wanted = Wanted {
            plan: blame.wanted.plan.clone(),
            worker: blame.wanted.worker.clone(),
            jobs: 1,
            only: Some(task.task.to_string()),
            ..Wanted::default()
        };
        let exit = conductor::carry_out(Tools::find()?, &wanted)?;
        if exit != Exit::Ok {
            return Ok(exit);
        }
    }
    conductor::carry_out(Tools::find()?, &blame.wanted)
}

/// The same at the end of a run that has just run the checks: what it found, for people.
pub(crate) fn after_a_run(tools: &Tools, plan: &Path) -> Result<String, Stop> {
    let mut text = String::new();
    // The run itself has said which checks have no verdict.
    for one in broken(tools, plan, None)?.into_iter().filter(|one| one.fails) {
        let search = Search { tools, plan, check: &one.check };
        let (found, runs) = search.find(&one, true)?;
        text.push_str(&told(&one, &found, runs));
    }
    if !text.is_empty() {
        let _ = writeln!(text, "next: orchestrate blame --reopen {}", quoted(plan.as_os_str()));
    }
    Ok(text)
}

/// The ticked tasks with a check whose last result is no pass; of a named task, its first check.
fn broken(tools: &Tools, plan: &Path, id: Option<&str>) -> Result<Vec<Broken>, Stop> {
    let args = ["--check", "--format", "json"].map(OsStr::new);
    // Its exit code says whether something is open.
    let report: Report = tools.ask("run-report", args.into_iter().chain([plan.as_os_str()]))?.json()?;
    let own = |task: &TaskId| id.is_none_or(|id| task.as_str() == id);
    let tasks = report.tasks.into_iter().filter(|line| line.state == State::Completed && own(&line.id));
    let mut found = Vec::new();
    for line in tasks {
        let last = |status: &str| line.checks.iter().find(|check| check.status == status);
        let failed = last("fail").or_else(|| last("fault"));
        // A person who names a task wants its check to be looked at, whatever is on record.
        let check = failed.or(line.checks.first().filter(|_| id.is_some()));
        found.extend(check.map(|check| Broken {
            task: line.id.clone(),
            title: line.title.clone(),
            check: check.id.clone(),
            fails: check.status == "fail",
        }));
    }
    if let (Some(id), true) = (id, found.is_empty()) {
        let message = format!("task '{id}' is not ticked, or has no check that was run");
        return Err(Fail::new(Exit::No, "no-such-task", message).into());
    }
    Ok(found)
}

/// The search for one check.
struct Search<'a> {
    tools: &'a Tools,
    plan: &'a Path,
    check: &'a str,
}

impl Search<'_> {
    /// Bisects; `is_fresh` says that the check has just failed on the tree as it is. Also how often the check ran.
    ///
    /// First the commits of the plan, then the commits of others between the two that are left. In the end the check runs
    /// once more at both: what cannot be repeated names nothing.
    fn find(&self, one: &Broken, is_fresh: bool) -> Result<(Found, usize), Stop> {
        let mut runs = 0;
        let mut last = Point::of(Place::Now);
        if !is_fresh {
            let gate = self.at(&Place::Now, &mut runs)?;
            match gate.status {
                // A failure is on record: one pass does not speak against it.
                Status::Pass if one.fails && self.at(&Place::Now, &mut runs)?.status != Status::Pass => {
                    return Ok((Found::Unknown(not_twice(&Place::Now)), runs));
                }
                Status::Pass => return Ok((Found::Holds, runs)),
                Status::Fault => return Ok((Found::Unknown(no_verdict(&Place::Now, &gate)), runs)),
                Status::Fail => (last.gate, last.number) = (Some(gate), runs),
            }
        }
        let mut commits = self.commits()?;
        let Some(own) = commits.iter().rposition(|done| done.task == one.task) else {
            let why =
                format!("no commit of task {} is in the history, so there is nothing to bisect", one.task);
            return Ok((Found::Unknown(why), runs));
        };
        let suspects = self.touching(commits.get(own));
        let known = commits.clone();
        let mut points: Vec<Point> = Vec::new();
        for done in commits.split_off(own) {
            if !done.commit.as_deref().is_some_and(|commit| points.last().is_some_and(|p| p.is_at(commit))) {
                points.push(Point::of(Place::Task(done)));
            }
        }
        points.push(last);
        if let Some(why) = self.narrow(&mut points, &suspects, &mut runs)? {
            return Ok((Found::Unknown(why), runs));
        }
        self.add_others(&mut points, &known);
        if let Some(why) = self.narrow(&mut points, &suspects, &mut runs)? {
            return Ok((Found::Unknown(why), runs));
        }
        let Ok([mut before, mut after]) = <[Point; 2]>::try_from(points) else {
            let why = "the tree is that of the task's own commit, where it passed: the cause is not in git, or the check \
                       does not give the same result twice";
            return Ok((Found::Unknown(why.to_owned()), runs));
        };
        if let Some(why) = self.confirm(&mut before, &mut after, &mut runs)? {
            return Ok((Found::Unknown(why), runs));
        }
        Ok((Found::Between(Box::new((before, after))), runs))
    }

    /// Bisects until two points are left; why it cannot. A point that changed a file of the broken task, and the one
    /// before it, come first.
    fn narrow(
        &self,
        points: &mut Vec<Point>,
        suspects: &[String],
        runs: &mut usize,
    ) -> Result<Option<String>, Stop> {
        let (mut good, mut bad) = (0, points.len() - 1);
        while bad - good > 1 {
            let half = good + (bad - good) / 2;
            let is_suspect = |at: &usize| {
                let changed = |at: usize| points.get(at).is_some_and(|p| suspects.iter().any(|s| p.is_at(s)));
                changed(*at) || changed(*at + 1)
            };
            let first = (good + 1..bad).filter(is_suspect).min_by_key(|at| at.abs_diff(half));
            let middle = first.unwrap_or(half);
            let Some(point) = points.get_mut(middle) else { break };
            let gate = self.at(&point.at, runs)?;
            match gate.status {
                Status::Pass => good = middle,
                Status::Fail => bad = middle,
                Status::Fault => return Ok(Some(no_verdict(&point.at, &gate))),
            }
            (point.gate, point.number) = (Some(gate), *runs);
        }
        points.truncate(bad + 1);
        points.drain(..good);
        Ok(None)
    }

    /// Puts the commits of others between the two points that are left. If the tree as it is has no change, the last commit
    /// takes its place; one point is left if nothing at all is between them. A task that was done again has earlier commits.
    fn add_others(&self, points: &mut Vec<Point>, known: &[TickDoc]) {
        const FORMAT: &str = "--format=%H%x1f%s%x1f%an%x1f%(trailers:key=Plan,valueonly,separator=%x1e)%x1f\
                              %(trailers:key=Task,valueonly,separator=%x1e)";
        let (Some(mut last), Some(first)) = (points.pop(), points.first()) else { return };
        let (from, to) = (first.at.commit().unwrap_or_default(), last.at.commit().unwrap_or("HEAD"));
        let folder = root::find(self.plan).unwrap_or_default();
        let log = ["log", "--first-parent", "--reverse", FORMAT, &format!("{from}..{to}")];
        let listed = self.tools.git(&folder, &log).unwrap_or_default();
        let other = |line: &str| {
            let mut fields = line.split('\x1f').map(str::to_owned);
            let (hash, subject, author) = (fields.next()?, fields.next()?, fields.next()?);
            let (plan, tasks) = (fields.next()?, fields.next()?);
            let own = known
                .iter()
                .find(|done| done.plan == plan && tasks.split('\x1e').any(|task| task == done.task.as_str()));
            Some(Point::of(match own {
                Some(own) => Place::Task(TickDoc { commit: Some(hash), ..own.clone() }),
                None => Place::Other { hash, subject, author },
            }))
        };
        let mut others: Vec<Point> = listed.lines().filter_map(other).collect();
        let is_clean = || self.tools.git(&folder, &["status", "--porcelain"]).is_some_and(|s| s.is_empty());
        match &last.at {
            // It is the last of its own range.
            Place::Task(_) | Place::Other { .. } => drop(others.pop()),
            Place::Now if is_clean() => match others.pop() {
                Some(head) => last.at = head.at,
                None => return,
            },
            Place::Now => {}
        }
        points.extend(others);
        points.push(last);
    }

    /// Runs the check once more at both ends, where it ran last first: a check that changes its mind shows it there.
    fn confirm(
        &self,
        before: &mut Point,
        after: &mut Point,
        runs: &mut usize,
    ) -> Result<Option<String>, Stop> {
        let mut both = [(after, Status::Fail), (before, Status::Pass)];
        both.sort_by_key(|(point, _)| std::cmp::Reverse(point.number));
        for (point, expected) in both {
            let gate = self.at(&point.at, runs)?;
            let place = point.at.shown();
            match (gate.status, &point.gate) {
                (Status::Fault, _) => return Ok(Some(no_verdict(&point.at, &gate))),
                (status, _) if status == expected => {}
                (_, Some(_)) => return Ok(Some(not_twice(&point.at))),
                (Status::Pass, None) => {
                    return Ok(Some(format!(
                        "it passes on a copy of {place}: the cause is a file that git does not look at, or the check does not \
                         give the same result twice"
                    )));
                }
                (_, None) => {
                    return Ok(Some(format!(
                        "it fails after {place} as well, where it passed when the task was ticked: the cause is not in git"
                    )));
                }
            }
            point.gate = Some(gate);
        }
        Ok(None)
    }

    /// The commits after the task's own that changed a file of it; the plan is in each of them.
    fn touching(&self, own: Option<&TickDoc>) -> Vec<String> {
        let Some((own, plan)) = own.and_then(|own| Some((own.commit.as_deref()?, own.plan.as_str()))) else {
            return Vec::new();
        };
        let folder = root::find(self.plan).unwrap_or_default();
        let git = |args: &[&str]| self.tools.git(&folder, args).unwrap_or_default();
        let shown = git(&["show", "--name-only", "-z", "--format=", own]);
        let files: Vec<String> = shown
            .split('\0')
            .filter(|path| !path.is_empty() && *path != plan)
            .map(|path| format!(":(top,literal){path}"))
            .collect();
        if files.is_empty() {
            return Vec::new();
        }
        let range = format!("{own}..HEAD");
        let args: Vec<&str> = ["log", "--format=%H", &range, "--"]
            .into_iter()
            .chain(files.iter().map(String::as_str))
            .collect();
        git(&args).lines().map(str::to_owned).collect()
    }

    /// The check on the tree of a commit, or on the tree as it is.
    fn at(&self, place: &Place, runs: &mut usize) -> Result<Gate, Stop> {
        *runs += 1;
        let mut words: Words = vec!["gate-run".into(), "at".into()];
        words.extend(place.commit().map(|commit| format!("--commit={commit}").into()));
        words.extend(["--".into(), self.check.into(), self.plan.into()]);
        let said = self.tools.pipe(&[words])?;
        if said.out.is_empty() { Err(said.stop()) } else { Ok(said.json()?) }
    }

    /// The commits of the plan's tasks, oldest first.
    fn commits(&self) -> Result<Vec<TickDoc>, Stop> {
        let said =
            self.tools.ask("commit-run", ["rebuild-state".as_ref(), self.plan.as_os_str()])?.success()?;
        let text = String::from_utf8_lossy(&said.out).into_owned();
        let bad =
            |e: serde_json::Error| Fail::data("bad-answer", format!("commit-run gave no valid answer: {e}"));
        text.lines().map(|line| serde_json::from_str(line).map_err(|e| bad(e).into())).collect()
    }
}

fn no_verdict(place: &Place, gate: &Gate) -> String {
    let measured = gate.measured.as_deref().unwrap_or("no result");
    format!("the check has no verdict ({}): {measured}", place.shown())
}

fn not_twice(place: &Place) -> String {
    format!("the check does not give the same result twice ({})", place.shown())
}

/// The finding as text.
fn told(one: &Broken, found: &Found, runs: usize) -> String {
    let head = format!("task {} {}: its check {}", one.task, one.title, one.check);
    let runs = format!("  the check ran {runs} {}\n", if runs == 1 { "time" } else { "times" });
    match found {
        Found::Holds => format!("{head} holds\n{runs}"),
        Found::Unknown(why) => {
            format!("{head} does not pass, and what broke it cannot be told: {why}\n{runs}")
        }
        Found::Between(both) => {
            let (before, after) = (&both.0, &both.1);
            let by = match &after.at {
                Place::Task(by) => format!(
                    "task {} (commit {} '{}')",
                    by.task,
                    short(by.commit.as_deref().unwrap_or_default()),
                    by.title
                ),
                Place::Other { hash, subject, author } => {
                    format!(
                        "commit {} '{subject}' of {author}, which belongs to no task of the plan",
                        short(hash)
                    )
                }
                Place::Now => "changes that are in no commit".to_owned(),
            };
            format!("{head} fails, broken by {by}\n{}{}{runs}", line("before", before), line("after", after))
        }
    }
}

/// What the check gave at a point.
fn line(when: &str, point: &Point) -> String {
    let Some(gate) = &point.gate else { return String::new() };
    let measured = gate.measured.as_deref().unwrap_or("no result");
    let mut text = format!("  {when} ({}): '{}', {measured}\n", point.at.shown(), gate.invocation);
    for shown in gate.last_output_lines.iter().rev().take(TAIL).rev().filter(|_| when == "after") {
        let _ = writeln!(text, "    | {shown}");
    }
    text
}

/// How many lines of the output are shown.
const TAIL: usize = 10;

/// A task that is opened because its work broke checks of other tasks, each with what was measured for the next worker.
struct Reopened {
    task: TaskId,
    broke: Vec<(Broken, Value)>,
}

/// What was measured for a check before and after the work that broke it.
fn row(one: &Broken, before: &Point, after: &Point) -> Value {
    let (before, after) = (before.gate.as_ref(), after.gate.as_ref());
    json!({
        "id": one.check,
        "command": after.map(|gate| gate.invocation.clone()),
        "expect": "as after the task before, where it passed",
        "reason": after.and_then(|gate| gate.measured.clone()),
        "before": before.and_then(|gate| gate.measured.clone()),
        "tail": after.map(|gate| gate.last_output_lines.clone()),
    })
}

impl Reopened {
    /// Clears the box.
    fn open(&self, tools: &Tools, plan: &Path) -> Result<(), Stop> {
        let home = Home::of(&root::find(plan)?)?;
        let rows: Vec<&Value> = self.broke.iter().map(|(_, row)| row).collect();
        let checks: Vec<&str> = self.broke.iter().map(|(one, _)| one.check.as_str()).collect();
        let file: PathBuf = home.folder("tmp")?.join(format!("blame-{}.json", std::process::id()));
        fs::create(&file, json!({ "failed": rows, "mend": checks }).to_string().as_bytes())?;
        let broken: Vec<String> = self
            .broke
            .iter()
            .map(|(one, _)| format!("the check {} of task {} '{}'", one.check, one.task, one.title))
            .collect();
        let them = if checks.len() == 1 { "that check pass" } else { "those checks pass" };
        let reason = format!(
            "the work broke {}: keep what this task asks for, and make {them} again",
            broken.join(" and ")
        );
        let args: Words = [
            &["untick", self.task.as_str(), "--reason", &reason, "--evidence"].map(OsString::from)[..],
            &[file.clone().into(), plan.into()],
        ]
        .concat();
        let said = tools.ask("checkbox", args)?.success();
        fs::remove(&file)?;
        said.map(|_| ())
    }
}

fn short(hash: &str) -> &str {
    hash.get(..8).unwrap_or(hash)
}
