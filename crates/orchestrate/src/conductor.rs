//! A run: prepare, rounds, finish, as the profile of the workflow says.

pub(crate) mod course;
mod given_up;

use crate::args::Wanted;
use crate::conductor::course::Course;
use crate::conductor::given_up::{GivenUp, retries};
use crate::find::profile::Values;
use crate::history::{blame, undo};
use crate::lock::{RunLock, host};
use crate::preflight;
use crate::round::pipe::{End, Ended, Kind, Lasting, Runner};
use crate::round::signals::{Signals, Wish};
use crate::round::watch::Bounds;
use crate::show::console::Console;
use crate::show::events::EventLog;
use crate::show::hooks::Hooks;
use crate::stop_reason::{Reason, Stop};
use crate::tools::{Tools, Words};
use config::ConfigArgs;
use ledger::{Ledger, Mark};
use repo::git::settings;
use repo::tree::Tree;
use std::collections::HashSet;
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};
use toolkit::cli::clock::{Clock, RunArgs};
use toolkit::cli::env;
use toolkit::files::root::{Home, has_git};
use toolkit::{Exit, Fail};
use wire::punch::Type;
use wire::report::Report;
use wire::status::{Code, StatusDoc, Waiting};

/// Carries out a plan to its end.
pub(crate) fn carry_out(mut tools: Tools, wanted: &Wanted) -> Result<Exit, Stop> {
    let course = Course::chart(&tools, wanted, false)?;
    let mut console = Console::new(wanted.quiet || wanted.events.as_deref() == Some(Path::new("-")));
    let bounds = Bounds::load()?;
    let lock_file = course.lock_file(&tools)?;
    let lock =
        RunLock::take(&lock_file, course.values.get("plan"), wanted.shared, wanted.wait, &mut console)?;
    let run = run_id(wanted.shared)?;
    tools.run = Some(run.clone());
    undo::finish(&tools, Path::new(course.values.get("plan")), &lock_file)?;
    tools.known = known(Path::new(&course.facts.root));
    let log = course.log_file(&lock_file, wanted.shared.then_some(run.as_str()));
    let plan = course.values.get("plan").to_string_lossy().into_owned();
    let first = format!("{} run {run} of {plan}, profile {}\n", Clock::default().now(), course.profile.name);
    console.keep_log(&log, &first)?;
    let root = Path::new(&course.facts.root);
    let hooks = Hooks::new(&tools, ConfigArgs::default().load(root)?.hooks, root);
    let events = EventLog::open(wanted.events.as_deref(), root, &course.facts.path, &run, hooks)?;
    let mut conductor = Conductor {
        runner: Runner { tools: &tools, signals: &Signals::take()?, bounds, lock: Some(&lock) },
        wanted,
        course: &course,
        values: course.values.clone(),
        console,
        events,
        given_up: GivenUp::default(),
        began: Instant::now(),
        rounds: 0,
        said: String::new(),
        expanded: None,
        lasting: None,
    };
    conductor.values.set("lock", lock_file.as_os_str());
    let accept = wanted.accept.as_deref().unwrap_or(course.profile.accepts().word());
    let accepts = format!(
        "{}: workflow {}; ticks on the level '{accept}' or better\n",
        course.facts.path, course.profile.name
    );
    conductor.console.line(accepts.as_bytes());
    let done = conductor.run();
    conductor.ended(done)
}

/// What the stages need to know of git and of the tree. A stage that is not told finds it out by itself, and says what is
/// wrong.
fn known(root: &Path) -> Vec<(&'static str, String)> {
    let Ok(home) = Home::of(root) else { return Vec::new() };
    // Without an index a stage reads the whole ledger.
    let _ = Ledger::new(home.clone()).keep_index();
    let system = has_git(root).then(|| settings::system_variable(&home).ok().flatten()).flatten();
    let since = Tree::prepare(&home).ok().flatten();
    let both = [(env::GIT_SYSTEM, system), (env::SINCE, since)];
    both.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// The name of the run. Two machines may give the same number to two processes in the same second.
pub(crate) fn run_id(is_shared: bool) -> Result<String, Fail> {
    let stamp: String = Clock::default().now().chars().filter(char::is_ascii_alphanumeric).collect();
    let host: String = host().chars().filter(char::is_ascii_alphanumeric).take(40).collect();
    let host = if is_shared { format!("{host}-") } else { String::new() };
    let own = env::get(env::RUN).unwrap_or_else(|| format!("{stamp}-{host}{}", std::process::id()));
    RunArgs { run: Some(own), now: None }.run_id(&Clock::default()).map(|run| run.to_string())
}

/// How the rounds of a plan ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Came {
    /// Every task is done.
    Done,
    /// Tasks are left.
    Stuck(Reason),
}

struct Conductor<'a> {
    runner: Runner<'a>,
    wanted: &'a Wanted,
    course: &'a Course,
    values: Values,
    console: Console,
    events: EventLog<'a>,
    given_up: GivenUp,
    began: Instant,
    rounds: u64,
    /// Why tasks are left, or what is open at the end, in a sentence.
    said: String,
    /// The stages of the last round, and the values that they were expanded with.
    expanded: Option<(Values, Vec<Words>)>,
    /// The stages of the rounds, while they run.
    lasting: Option<Lasting>,
}

impl Conductor<'_> {
    fn run(&mut self) -> Result<Reason, Stop> {
        self.preflight()?;
        match self.script(&self.course.profile.prepare)? {
            0 => {}
            1 => return Err(Stop::Reason(Reason::Refused, String::new())),
            4 => return Ok(Reason::Done),
            code => return Err(said(code)),
        }
        let mut came = self.rounds()?;
        if came == Came::Done && self.wanted.only.is_none() {
            came = self.reviews()?;
        }
        let approval = self.approval(came)?;
        let _alone = match (self.wanted.shared, self.runner.lock) {
            (true, Some(lock)) => Some(lock.alone_at_the_end()?),
            _ => None,
        };
        match came {
            Came::Stuck(reason) if !approval => {
                self.script(&self.course.profile.unfinished)?;
                self.check_signals()?;
                Err(Stop::Reason(reason, String::new()))
            }
            _ => self.finish(approval),
        }
    }

    /// What can be known before the first worker.
    fn preflight(&mut self) -> Result<(), Stop> {
        let may_ask = self.may_ask() && self.wanted.unclear_note.is_none();
        preflight::before_a_run(self.runner.tools, self.course, &self.values, may_ask, &mut self.console)
    }

    /// Everything is done, or only the approval is open.
    fn finish(&mut self, waits: bool) -> Result<Reason, Stop> {
        let is_approved = !waits || !self.course.profile.approval || self.is_approved()?;
        self.values.set("approved", if is_approved { "yes" } else { "" });
        let code = self.script(&self.course.profile.finish)?;
        // What a signal cut off at the end is no verdict.
        if code != 0 {
            self.check_signals()?;
        }
        match code {
            0 => Ok(Reason::Done),
            1 => {
                self.said = self.first_open().unwrap_or_default();
                if self.wanted.only.is_none() {
                    let found = blame::after_a_run(self.runner.tools, Path::new(self.values.get("plan")))?;
                    self.console.last(found.as_bytes());
                }
                Err(Stop::Reason(Reason::Open, String::new()))
            }
            3 => Err(Stop::Reason(Reason::NoVerdict, String::new())),
            5 if waits && !is_approved => Err(Stop::Reason(Reason::Approval, String::new())),
            5 => {
                let plan = crate::find::profile::quoted(self.values.get("plan"));
                let note = format!(
                    "waits for a person: tick what holds with checkbox criterion ID --reason WHY {plan}, defer what can \
                     wait with --defer; run-report --check names each ID; then run it again"
                );
                // The workflow's own words say how an approval goes on.
                let note = if waits { String::new() } else { note };
                Err(Stop::Reason(Reason::Criteria, note))
            }
            code => Err(said(code)),
        }
    }

    /// Whether a person approves the report that was presented.
    fn is_approved(&mut self) -> Result<bool, Stop> {
        if !self.wanted.approve {
            return Ok(false);
        }
        let task = std::ffi::OsStr::new(&self.course.profile.approval_task);
        let args = [std::ffi::OsStr::new("presented"), task, self.values.get("plan")];
        let (said, no) = (self.runner.tools.ask("checkbox", args)?, Exit::Stuck);
        if said.code == i32::from(no.code()) {
            self.console.note(said.err.trim().trim_start_matches("checkbox: "));
            return Ok(false);
        }
        said.success().map(|_| true)
    }

    /// The first item that is still open at the end.
    fn first_open(&self) -> Option<String> {
        let args = ["--check", "--format", "json"]
            .map(std::ffi::OsStr::new)
            .into_iter()
            .chain([self.values.get("plan")]);
        let report: Report = self.runner.tools.ask("run-report", args).ok()?.json().ok()?;
        report.open.into_iter().next()
    }

    /// Whether the only task that is left is the approval of a person.
    fn approval(&mut self, came: Came) -> Result<bool, Stop> {
        let task = &self.course.profile.approval_task;
        if task.is_empty() || came != Came::Stuck(Reason::Stuck) {
            return Ok(false);
        }
        let status = self.status()?;
        let open: Vec<&str> = status.waiting.iter().map(|waiting| waiting.id.as_str()).collect();
        Ok(status.ready.is_empty() && open == [task])
    }

    /// Rounds until nothing is left, or what is left waits for a person; their stages end with them.
    fn rounds(&mut self) -> Result<Came, Stop> {
        let came = self.rounds_of_plan();
        let closed = self.close_pipe();
        came.and_then(|came| closed.map(|()| came))
    }

    fn rounds_of_plan(&mut self) -> Result<Came, Stop> {
        // A plan or a task that cannot be handed out is the message of one tool, not of every stage.
        let stages = self.values.expand(self.runner.tools, &self.course.profile.round)?;
        let read = self.runner.tools.pipe(stages.get(..2).unwrap_or_default())?;
        if read.code != i32::from(Exit::Data.code()) || !self.repaired()? {
            read.success()?;
        }
        if let Some(id) = self.wanted.retry.clone() {
            self.give_fresh(&id)?;
        }
        self.owed_commits()?;
        let plan = self.values.get("plan").to_owned();
        let mut head: Option<Mark> = None;
        loop {
            if let Some(reason) = self.may_go_on()? {
                self.console.hide_board();
                return Ok(Came::Stuck(reason));
            }
            self.console.show_board(self.runner.tools, &plan);
            let before = head;
            let stages = self.stages()?;
            let code = match self.round(&stages) {
                Err(Stop::Said(Exit::Data)) if self.repaired()? => {
                    // The stages that could not read the plan are over.
                    let _ = self.close_pipe();
                    head = before;
                    continue;
                }
                other => other?,
            };
            head = self.on_record(before.as_ref())?;
            let came = match code {
                0 | 1 => None,
                4 => Some(Came::Done),
                5 => Some(Came::Stuck(Reason::Stuck)),
                6 => {
                    self.pause(Duration::from_secs(1));
                    continue;
                }
                code => return Err(said(code)),
            };
            let between = self.script(&self.course.profile.between)?;
            if between != 0 {
                return Err(said(between));
            }
            if came == Some(Came::Stuck(Reason::Stuck)) && self.review(head.as_ref())? {
                continue;
            }
            // A followed stream goes on beside what it gives up, and ends with it.
            if self.course.follows && came == Some(Came::Stuck(Reason::Stuck)) {
                self.goes_on_after_halts()?;
                if self.given_up.takes_retry() {
                    continue;
                }
            }
            if let Some(came) = came {
                self.console.hide_board();
                if came != Came::Done && !self.approval(came)? && self.say_why()? {
                    return Ok(Came::Stuck(Reason::Budget));
                }
                return Ok(came);
            }
            if code == 1 {
                self.script(&self.course.profile.settle)?;
            }
            if code == 1 && !self.restore()? {
                return Ok(self.left(Reason::Stuck, "the line is not restored: a person decides"));
            }
            if before.is_some() && before == head {
                let why = "the last round recorded nothing, so the next one would change nothing either";
                let came = self.left(Reason::NoProgress, why);
                self.say_why()?;
                return Ok(came);
            }
            if code == 1 && !self.goes_on_after_halts()? {
                self.console.hide_board();
                self.say_why()?;
                return Ok(Came::Stuck(Reason::GivenUp));
            }
        }
    }

    /// Whether the workflow has restored a file of the plan.
    fn repaired(&mut self) -> Result<bool, Stop> {
        let before = self.on_record(None)?;
        let script = self.course.profile.repair.clone();
        Ok(!script.is_empty() && self.script(&script)? == 0 && self.on_record(before.as_ref())? != before)
    }

    fn left(&mut self, reason: Reason, why: &str) -> Came {
        self.console.hide_board();
        self.console.note(why);
        why.clone_into(&mut self.said);
        Came::Stuck(reason)
    }

    /// Lets other workers review what waits for that; no if nothing does.
    fn review(&mut self, head: Option<&Mark>) -> Result<bool, Stop> {
        let stages = self.values.expand(self.runner.tools, self.course.profile.review_pipe())?;
        let ended =
            self.runner.run(Kind::Round, &stages, &[], &mut self.console, &mut |console, bytes| {
                console.line(bytes);
            })?;
        self.events.catch_up();
        self.check_end(&ended)?;
        self.check_signals()?;
        if let Some((_, code)) = failed(&ended).first() {
            return Err(said(*code));
        }
        Ok(self.on_record(head)?.as_ref() != head)
    }

    /// The stages of a round. They are the same as in the last one where the values are, and no command says a part of them.
    fn stages(&mut self) -> Result<Vec<Words>, Stop> {
        let pipe = self.course.pipe();
        if let Some((values, stages)) = &self.expanded
            && *values == self.values
            && !pipe.contains('`')
            && !pipe.contains("$(")
        {
            return Ok(stages.clone());
        }
        let stages = self.values.expand(self.runner.tools, pipe)?;
        self.expanded = Some((self.values.clone(), stages.clone()));
        Ok(stages)
    }

    /// The commits that an interrupted run owes; one that is refused stays owed and is named.
    fn owed_commits(&mut self) -> Result<(), Stop> {
        let line = "commit-run pending ${push:+--push} \"$plan\"";
        match self.script(line)? {
            0 | 1 => Ok(()),
            code => Err(said(code)),
        }
    }

    /// One round; the exit code of its last stage.
    fn round(&mut self, stages: &[Words]) -> Result<i32, Stop> {
        self.rounds += 1;
        self.events.round(self.rounds);
        self.console.take_round();
        let ledger = Path::new(&self.course.facts.root).join(".plantools/ledger.ndjson");
        let lasting = if self.course.follows { None } else { lasting(stages) };
        if self.lasting.as_ref().is_some_and(|last| lasting.as_ref().is_none_or(|stages| !last.is(stages))) {
            self.close_pipe()?;
        }
        let (tools, values, course) = (self.runner.tools, &self.values, self.course);
        let owes = || owes(tools, values, course);
        let events = &mut self.events;
        let mut out = |console: &mut Console, bytes: &[u8]| {
            console.line(bytes);
            events.catch_up();
        };
        let ended = if let Some(stages) = &lasting {
            let running = match self.lasting.take() {
                Some(running) => running,
                None => self.runner.last(stages, &ledger)?,
            };
            self.lasting.insert(running).round(&self.runner, &mut self.console, &mut out)?
        } else {
            let follow = Kind::Follow { ledger: &ledger, owes: &owes };
            let kind = if self.course.follows { follow } else { Kind::Round };
            self.runner.run(kind, stages, &[], &mut self.console, &mut out)?
        };
        self.events.catch_up();
        self.console.mind_board();
        self.check_end(&ended)?;
        self.check_signals()?;
        self.check_stages(&ended)?;
        if self.wanted.quiet {
            let status = self.status()?;
            let done = status.states.get("completed").copied().unwrap_or(0);
            self.console
                .progress(&format!("{}: {done} of {} tasks done", self.course.facts.path, status.total));
        }
        Ok(ended.code())
    }

    /// Ends the run if a stage has failed.
    fn check_stages(&mut self, ended: &Ended) -> Result<(), Stop> {
        let failed: Vec<&(String, i32)> = failed(ended);
        let Some((_, code)) = failed.first() else { return Ok(()) };
        let names: Vec<String> = failed.iter().map(|(name, code)| format!("{name} with {code}")).collect();
        self.console.hide_board();
        self.console.note(&format!("failed: {}", names.join(", ")));
        Err(said(*code))
    }

    /// Lets the stages of the rounds end.
    fn close_pipe(&mut self) -> Result<(), Stop> {
        let Some(lasting) = self.lasting.take().filter(|lasting| !lasting.is_over()) else { return Ok(()) };
        let ended =
            lasting.close(&self.runner, &mut self.console, &mut |console, bytes| console.line(bytes))?;
        self.check_end(&ended)?;
        self.check_stages(&ended)
    }

    /// Ends the run if the stages did not end by themselves.
    fn check_end(&mut self, ended: &Ended) -> Result<(), Stop> {
        let stop = match &ended.end {
            End::Whole => {
                let stopped = ended.stages.iter().any(|(_, code)| *code == i32::from(Exit::Stopped.code()));
                if !stopped {
                    return Ok(());
                }
                Stop::Reason(Reason::Interrupted, STOPPED.to_owned())
            }
            End::Stopped => Stop::Reason(Reason::Interrupted, STOPPED.to_owned()),
            End::StoppedAgain(process) => {
                let why = format!(
                    "{} was stopped by a signal again and again; the round was ended: run it again to go on",
                    process.shown()
                );
                Stop::Reason(Reason::StageStopped, why)
            }
            End::Hung(process) => {
                let why = format!(
                    "{} did nothing any more; the round was ended: run it again to go on",
                    process.shown()
                );
                Stop::Reason(Reason::StageHung, why)
            }
            End::Killed(name) => {
                let why = format!("a signal killed {name}; the round was ended: run it again to go on");
                Stop::Reason(Reason::StageKilled, why)
            }
        };
        self.console.hide_board();
        Err(stop)
    }

    fn check_signals(&mut self) -> Result<(), Stop> {
        if self.runner.signals.wish() == Wish::None {
            return Ok(());
        }
        self.console.hide_board();
        Err(Stop::Reason(Reason::Interrupted, STOPPED.to_owned()))
    }

    /// Runs command lines of the profile; their exit code.
    fn script(&mut self, script: &str) -> Result<i32, Stop> {
        if script.is_empty() {
            return Ok(0);
        }
        let ended = self
            .values
            .run(script, &self.runner, &mut self.console, &mut |console, bytes| console.last(bytes))?;
        self.check_end(&ended)?;
        self.events.catch_up();
        Ok(ended.code())
    }

    /// What a command line of the profile prints.
    fn answer(&self, script: &str) -> Result<String, Stop> {
        Ok(self.values.answer(self.runner.tools, script)?.success()?.line())
    }

    /// The plan that must be carried out when every task is done, if the profile has one.
    fn reviews(&mut self) -> Result<Came, Stop> {
        let script = &self.course.profile.reviews;
        let plan = if script.is_empty() { String::new() } else { self.answer(script)? };
        if plan.is_empty() {
            return Ok(Came::Done);
        }
        let own = self.values.clone();
        let facts = course::facts(self.runner.tools, Path::new(&plan))?;
        self.values.set("plan", plan);
        self.values.set("path", facts.path);
        let came = self.preflight().and_then(|()| self.rounds());
        self.values = own;
        let came = came?;
        if came != Came::Done {
            self.console.note("the steps are done, and a review is not: a person decides");
        }
        Ok(came)
    }

    /// Lets a gate that gave no verdict be restored; no if that failed.
    fn restore(&mut self) -> Result<bool, Stop> {
        let profile = &self.course.profile;
        if profile.restore.is_empty() || self.script(&profile.restore_if)? != 0 {
            return Ok(true);
        }
        self.console.note("line fault: the Fitter is asked");
        let stages = self.values.expand(self.runner.tools, &profile.restore)?;
        let ended =
            self.runner.run(Kind::Round, &stages, &[], &mut self.console, &mut |console, bytes| {
                console.line(bytes);
            })?;
        self.check_end(&ended)?;
        self.check_signals()?;
        Ok(ended.code() <= 1)
    }

    /// Where the plan stands.
    fn status(&self) -> Result<StatusDoc, Stop> {
        status(self.runner.tools, &self.values, self.course)
    }

    /// Why nothing more is handed out, task by task. A task that was given up has been named, and so has what waits for
    /// it: the report at the end lists both.
    /// Says why tasks are left; yes if the reason is a budget.
    fn say_why(&mut self) -> Result<bool, Stop> {
        const SHOWN: usize = 20;
        let status = self.status()?;
        self.note_first(&status);
        if let Some(first) = status.waiting.first() {
            self.said = said_first(&self.said, first);
        }
        let untold = |waiting: &&Waiting| {
            let last = waiting.chain.last().unwrap_or(&waiting.id);
            !self.given_up.was_named(last)
        };
        let untold: Vec<&Waiting> = status.waiting.iter().filter(untold).collect();
        for waiting in untold.iter().take(SHOWN) {
            toolkit::cli::tool::note(&format!("  {}", shown(waiting)));
        }
        if let Some(more) = untold.len().checked_sub(SHOWN).filter(|more| *more > 0) {
            toolkit::cli::tool::note(&format!("  and {more} more"));
        }
        if !status.given_up.is_empty() && !self.course.profile.unfinished.contains(END_REPORT) {
            let again = self.again();
            let release = match self.values.get("pull").to_string_lossy() {
                pull if pull.is_empty() => String::new(),
                pull => format!("pr-state continue {pull} && "),
            };
            self.console.note(&format!(
                "fix the cause, then: {release}orchestrate {again}; fresh attempts without a change: \
                 {release}orchestrate --retry {again}"
            ));
        }
        Ok(status.waiting.iter().any(|waiting| waiting.code == Code::Budget))
    }

    /// The argument that continues this run: the pull request, else the plan.
    fn again(&self) -> String {
        let values = &self.course.values;
        let pull = values.get("pull");
        crate::find::profile::quoted(if pull.is_empty() { values.get("plan") } else { pull })
    }

    /// Before each round: what was asked for meanwhile, and what may still be spent.
    fn may_go_on(&mut self) -> Result<Option<Reason>, Stop> {
        let Some(lock) = self.runner.lock else { return Ok(None) };
        let mut told = false;
        while lock.is_paused() {
            if !std::mem::replace(&mut told, true) {
                self.console.note("paused; orchestrate --unpause goes on");
            }
            self.check_signals()?;
            self.pause(Duration::from_millis(200));
        }
        self.check_signals()?;
        if lock.takes_stop()? {
            "the run was stopped as asked".clone_into(&mut self.said);
            self.console.note("stopped as asked; run it again to go on");
            return Ok(Some(Reason::Asked));
        }
        let spent = self.began.elapsed();
        if let Some(budget) = self.wanted.budget_time.filter(|budget| spent >= *budget) {
            self.said = format!("the time is used up: {} of {} seconds", spent.as_secs(), budget.as_secs());
            self.console.note(&self.said.clone());
            return Ok(Some(Reason::TimeUp));
        }
        Ok(None)
    }

    /// Waits, or until a signal arrives.
    fn pause(&self, time: Duration) {
        let end = Instant::now() + time;
        while Instant::now() < end && self.runner.signals.wish() == Wish::None {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// The last record of the ledger. Fails if the one that was seen before is gone.
    fn on_record(&mut self, seen: Option<&Mark>) -> Result<Option<Mark>, Stop> {
        let ledger = Ledger::new(Home::of(Path::new(&self.course.facts.root))?);
        let is_there = match seen {
            Some(mark) => ledger.has_mark(mark)?,
            None => true,
        };
        if !is_there {
            let why =
                "the ledger was cut or rewritten, so attempts cannot be counted any more; see punch verify";
            return Err(Stop::Reason(Reason::LedgerCut, why.to_owned()));
        }
        Ok(ledger.mark()?)
    }

    /// Runs what the profile has for every way out, and gives the exit code of the run.
    fn ended(mut self, done: Result<Reason, Stop>) -> Result<Exit, Stop> {
        self.console.hide_board();
        self.console.end_progress();
        let (exit, reason, sentence) = match &done {
            Ok(reason) => (reason.exit(), *reason, String::new()),
            Err(Stop::Reason(reason, sentence)) => (reason.exit(), *reason, sentence.clone()),
            Err(Stop::Said(exit)) => (*exit, Reason::ToolFailed, String::new()),
            Err(Stop::Fail(fail)) => (fail.exit, Reason::ToolFailed, fail.to_string()),
        };
        if !sentence.is_empty() && !matches!(done, Err(Stop::Fail(_))) {
            self.console.note(&sentence);
        }
        let why = match reason {
            Reason::Interrupted => "the run was stopped".to_owned(),
            _ if !self.said.is_empty() => self.said.clone(),
            _ if !sentence.is_empty() => sentence,
            _ => format!("the run ended with exit code {}", exit.code()),
        };
        let plan = crate::find::profile::quoted(self.values.get("plan"));
        let named = if reason.next().starts_with("orchestrate") { self.again() } else { plan };
        let next = reason.next().replace("PLAN", &named);
        self.events.end(reason.word(), &why, exit, &next);
        self.runner.signals.forget();
        self.values.set("code", exit.code().to_string());
        self.values.set("why", why);
        if let Some(task) = self.given_up.first(reason) {
            self.values.set("task", task.id.as_str());
            self.values.set("why", task.message.as_str());
            self.values.set("retries", retries(task));
        }
        let script = self.course.profile.ended.clone();
        if let Err(Stop::Fail(fail)) = self.script(&script) {
            self.console.note(&fail.to_string());
        }
        match done {
            Err(Stop::Fail(fail)) => Err(Stop::Fail(fail)),
            _ => Ok(exit),
        }
    }
}

/// Where the plan stands.
fn status(tools: &Tools, values: &Values, course: &Course) -> Result<StatusDoc, Stop> {
    let mut stages = values.expand(tools, &course.profile.round)?;
    stages.truncate(2);
    if let Some(next) = stages.get_mut(1) {
        next.push("--status".into());
    }
    let said = tools.pipe(&stages)?;
    if said.out.is_empty() { Err(said.stop()) } else { Ok(said.json()?) }
}

/// Whether an attempt of this run waits for its end, or a task could be handed out. What cannot be told is a yes: a pipe
/// that does nothing is ended, and the next run goes on.
fn owes(tools: &Tools, values: &Values, course: &Course) -> bool {
    let ledger = Home::of(Path::new(&course.facts.root)).map(Ledger::new);
    let Ok(records) = ledger.and_then(|ledger| ledger.read_of(&course.facts.path)) else { return true };
    let mut open = HashSet::new();
    for record in records.iter().filter(|record| Some(record.run.as_str()) == tools.run.as_deref()) {
        match record.kind {
            Type::AttemptBegin => drop(open.insert(&record.task)),
            Type::Tick | Type::Halt => drop(open.remove(&record.task)),
            _ => {}
        }
    }
    !open.is_empty() || status(tools, values, course).map_or(true, |status| !status.ready.is_empty())
}

/// The report that ends with the next command.
const END_REPORT: &str = "run-report --end";

/// A task that waits, what it waits for, and the cause.
fn shown(waiting: &Waiting) -> String {
    let chain: Vec<&str> =
        std::iter::once(&waiting.id).chain(&waiting.chain).map(wire::TaskId::as_str).collect();
    format!("{}: {}", chain.join(" ← "), waiting.cause)
}

/// Why tasks are left: what was said before, or the cause of the first task that waits.
fn said_first(said: &str, waiting: &Waiting) -> String {
    if said.is_empty() { format!("TODO #{}", shown(waiting)) } else { said.to_owned() }
}

const STOPPED: &str = "stopped; run it again to go on";

/// A tool has said why; its code is ours.
fn said(code: i32) -> Stop {
    match Exit::from_code(code) {
        Some(Exit::Stopped) => Stop::Reason(Reason::Interrupted, STOPPED.to_owned()),
        Some(exit) => Stop::Said(exit),
        None => Stop::Fail(Fail::new(
            Exit::Bug,
            "unknown-exit",
            format!("a tool ended with the unknown exit code {code}"),
        )),
    }
}

/// The stages that failed. Those behind the first had nothing whole to read, and say 65.
fn failed(ended: &Ended) -> Vec<&(String, i32)> {
    let before_last = ended.stages.split_last().map_or(&[][..], |(_, before)| before);
    let mut found: Vec<&(String, i32)> = Vec::new();
    for stage in before_last.iter().filter(|(_, code)| *code != 0) {
        if found.is_empty() || stage.1 != i32::from(Exit::Data.code()) {
            found.push(stage);
        }
    }
    found
}

/// The stages of a round as they are started for several: the first prints the plan when it is asked to, and the last says
/// how each round ended. `None` if one of them is no tool of ours, and may not pass a line on before its input ends.
fn lasting(stages: &[Words]) -> Option<Vec<Words>> {
    const OURS: [&str; 11] = [
        "plan-parse",
        "dag-next",
        "handoff",
        "checkbox",
        "gate-run",
        "worker-run",
        "punch",
        "session-export",
        "context-save",
        "commit-run",
        "run-report",
    ];
    let name = |words: &Words| OURS.into_iter().find(|name| words.first().is_some_and(|word| word == name));
    let names: Vec<&str> = stages.iter().map(name).collect::<Option<_>>()?;
    if names.get(..2)? != ["plan-parse", "dag-next"] || names.last() != Some(&"run-report") {
        return None;
    }
    let mut stages = stages.to_vec();
    let last = stages.len() - 1;
    for at in [0, 1, last] {
        stages.get_mut(at)?.insert(1, "--each".into());
    }
    Some(stages)
}

/// The words of a command line.
pub(crate) fn words(words: &[&str]) -> Words {
    words.iter().map(OsString::from).collect()
}
