//! Stages that run at the same time, each reading what the one before it writes.
//!
//! The stages are direct children, so each can be named when it fails, stops or dies. The first Ctrl-C lets the running
//! task be finished; the second, or SIGTERM or SIGHUP, asks every stage twice to stop now and kills what is left after a
//! while. Supervisors of workers and checks end what they watch when their stage is gone.

use super::processes::{Process, family, signal};
use super::signals::{Signals, Wish};
use super::watch::{Bounds, Found, Watch, Watched};
use crate::lock::RunLock;
use crate::show::console::Console;
use crate::tools::{Tools, Words, code_of, continued, not_started};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::Signal;
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::time::{Duration, Instant};
use toolkit::Fail;
use toolkit::stream::pipe_ends;

/// How long stages may take to end once they were asked to stop now.
const GRACE: Duration = Duration::from_secs(10);
/// Stages count signals: two are a wish to stop now. This long is between them.
const BETWEEN_SIGNALS: Duration = Duration::from_millis(100);
/// What a stage says is held back this long: if a stage was killed, the others only say that they have no input.
const HOLD: Duration = Duration::from_millis(50);
/// How often the processes are looked at.
const LOOK: Duration = Duration::from_secs(1);

/// What runs.
#[derive(Clone, Copy)]
pub(crate) enum Kind<'a> {
    /// One round of the pipe.
    Round,
    /// A pipe that follows the plan to its end; while nothing happens in it, it is asked whether anything should.
    Follow {
        /// The ledger: what is recorded is a sign of life.
        ledger: &'a Path,
        /// Whether an order is in the pipe, or could be.
        owes: &'a dyn Fn() -> bool,
    },
    /// A pipe that lasts for several rounds.
    Rounds,
    /// A shell with command lines of the profile.
    Script,
}

/// How it ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The name and the exit code of each stage.
    pub(crate) stages: Vec<(String, i32)>,
    pub(crate) end: End,
}

impl Ended {
    /// The exit code of the last stage.
    pub(crate) fn code(&self) -> i32 {
        self.stages.last().map_or(0, |(_, code)| *code)
    }
}

/// Why the stages ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// By themselves.
    Whole,
    /// They were asked to stop now.
    Stopped,
    /// A stage was stopped by a signal again and again.
    StoppedAgain(Process),
    /// A stage did nothing any more.
    Hung(Process),
    /// A signal killed a stage.
    Killed(String),
}

/// Who runs pipes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Runner<'a> {
    pub(crate) tools: &'a Tools,
    pub(crate) signals: &'a Signals,
    pub(crate) bounds: Bounds,
    /// Stages hold the lock of the run, so that the next run waits for them if this one is killed.
    pub(crate) lock: Option<&'a RunLock>,
}

impl Runner<'_> {
    /// Runs the stages to their end; `out` gets what the last one prints.
    pub(crate) fn run(
        &self,
        kind: Kind<'_>,
        stages: &[Words],
        environment: &[(&str, &std::ffi::OsStr)],
        console: &mut Console,
        out: &mut dyn FnMut(&mut Console, &[u8]),
    ) -> Result<Ended, Fail> {
        let mut running = self.start(kind, stages, environment, Stdio::null)?;
        running.attend(self, console, out)?;
        Ok(running.ended())
    }

    /// Starts stages that last for several rounds; `ledger` shows whether they do anything.
    pub(crate) fn last(&self, stages: &[Words], ledger: &Path) -> Result<Lasting, Fail> {
        let mut running = self.start(Kind::Rounds, stages, &[], Stdio::piped)?;
        running.ledger = ledger.to_path_buf();
        let asks = running.stages.first_mut().and_then(|first| first.child.stdin.take());
        Ok(Lasting { running, asks, stages: stages.to_vec() })
    }

    fn start<'k>(
        &self,
        kind: Kind<'k>,
        stages: &[Words],
        environment: &[(&str, &std::ffi::OsStr)],
        input: impl Fn() -> Stdio,
    ) -> Result<Running<'k>, Fail> {
        let mut running = Running {
            stages: Vec::new(),
            out: None,
            held: Vec::new(),
            held_since: Instant::now(),
            kind,
            ending: None,
            told: false,
            said: 0,
            ledger: PathBuf::new(),
            line: Vec::new(),
            exit: None,
        };
        let inherited = self.lock.map(RunLock::inherited);
        for words in stages {
            let (program, args) =
                words.split_first().ok_or_else(|| Fail::usage("a command line is empty"))?;
            let input = running.out.take().map_or_else(&input, Stdio::from);
            let mut command = self.tools.command(program);
            command.args(args).envs(environment.iter().copied());
            command.stdin(input).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().map_err(|e| not_started(program, &e))?;
            running.out = child.stdout.take().map(|out| File::from(OwnedFd::from(out)));
            let err = child.stderr.take().map(|err| File::from(OwnedFd::from(err)));
            running.stages.push(Stage {
                name: program.to_string_lossy().into_owned(),
                child,
                err,
                code: None,
                is_cut_off: false,
            });
        }
        drop(inherited);
        Ok(running)
    }
}

/// Stages that were started once and carry one round after the other.
pub(crate) struct Lasting {
    running: Running<'static>,
    /// Each line to the first stage asks for a round.
    asks: Option<ChildStdin>,
    stages: Vec<Words>,
}

impl Lasting {
    /// Whether it runs these stages, all of them.
    pub(crate) fn is(&self, stages: &[Words]) -> bool {
        self.stages == stages && self.running.stages.iter().all(|stage| stage.code.is_none())
    }

    /// Whether all its stages have ended, and how is known.
    pub(crate) fn is_over(&self) -> bool {
        self.running.stages.iter().all(|stage| stage.code.is_some())
    }

    /// Runs one round.
    pub(crate) fn round(
        &mut self,
        runner: &Runner<'_>,
        console: &mut Console,
        out: &mut dyn FnMut(&mut Console, &[u8]),
    ) -> Result<Ended, Fail> {
        self.running.exit = None;
        // A first stage that is gone is found below.
        let _ = self.asks.as_mut().map(|asks| asks.write_all(b"\n"));
        self.running.attend(runner, console, out)?;
        Ok(self.running.ended())
    }

    /// Lets the stages end.
    pub(crate) fn close(
        mut self,
        runner: &Runner<'_>,
        console: &mut Console,
        out: &mut dyn FnMut(&mut Console, &[u8]),
    ) -> Result<Ended, Fail> {
        drop(self.asks.take());
        self.running.exit = None;
        self.running.attend(runner, console, out)?;
        Ok(self.running.ended())
    }
}

struct Stage {
    name: String,
    child: Child,
    /// What it says on standard error.
    err: Option<File>,
    code: Option<i32>,
    /// Whether it has said that the stage behind it takes nothing any more.
    is_cut_off: bool,
}

impl Stage {
    fn pid(&self) -> i32 {
        self.child.id().cast_signed()
    }
}

struct Running<'a> {
    stages: Vec<Stage>,
    out: Option<File>,
    /// What stages said on standard error and is not shown yet, each with the number of its stage.
    held: Vec<(usize, Vec<u8>)>,
    held_since: Instant,
    kind: Kind<'a>,
    /// Why and since when the stages are being ended, and how often they were asked.
    ending: Option<(End, Instant, u32)>,
    /// Whether the first interrupt was answered.
    told: bool,
    /// How many bytes the stages have printed.
    said: u64,
    /// The ledger that stages of several rounds write to.
    ledger: PathBuf,
    /// What the last stage of several rounds has printed since its last whole line.
    line: Vec<u8>,
    /// The exit code of the round that has ended.
    exit: Option<i32>,
}

impl Running<'_> {
    /// Attends to the stages until they have ended, or the round has.
    fn attend(
        &mut self,
        runner: &Runner<'_>,
        console: &mut Console,
        out: &mut dyn FnMut(&mut Console, &[u8]),
    ) -> Result<(), Fail> {
        let mut watch = Watch::new(runner.bounds);
        let mut looked = Instant::now();
        loop {
            // The signals first: a child that ends after the look at the children leaves one for the next wait.
            let wish = runner.signals.wish();
            self.reap()?;
            self.obey(wish, console);
            if self.is_over() {
                // A program that a stage left behind may keep a pipe open: only what is there by now is read.
                while self.read_now(console, out, None) {}
                self.show_held(console);
                return Ok(());
            }
            self.read(runner.signals, console, out);
            if looked.elapsed() >= LOOK {
                looked = Instant::now();
                self.look(&mut watch, console);
            }
            if self.held_since.elapsed() >= HOLD {
                self.show_held(console);
            }
            self.press();
        }
    }

    fn is_over(&self) -> bool {
        let round = self.exit.is_some() && self.ending.is_none();
        round || self.stages.iter().all(|stage| stage.code.is_some())
    }

    /// How it ended; stages that still run have not failed.
    fn ended(&mut self) -> Ended {
        let failed = self.failed();
        let code = |(at, stage): (usize, &Stage)| {
            let is_behind = failed.is_none_or(|failed| at >= failed);
            (stage.name.clone(), stage.code.filter(|_| is_behind || !stage.is_cut_off).unwrap_or(0))
        };
        let mut stages: Vec<(String, i32)> = self.stages.iter().enumerate().map(code).collect();
        if let Some((last, exit)) = stages.last_mut().zip(self.exit) {
            last.1 = exit;
        }
        Ended { stages, end: self.ending.take().map_or(End::Whole, |(end, ..)| end) }
    }

    /// Hands on what the last stage has printed. In a pipe of several rounds the `end/1` of a round is for us.
    fn printed(&mut self, bytes: &[u8], console: &mut Console, out: &mut dyn FnMut(&mut Console, &[u8])) {
        if !matches!(self.kind, Kind::Rounds) {
            return out(console, bytes);
        }
        self.line.extend_from_slice(bytes);
        while let Some(end) = self.line.iter().position(|byte| *byte == b'\n') {
            let rest = self.line.split_off(end + 1);
            let line = std::mem::replace(&mut self.line, rest);
            match serde_json::from_slice::<wire::End>(&line).ok().and_then(|end| end.exit) {
                Some(exit) => self.exit = Some(exit.into()),
                None => out(console, &line),
            }
        }
    }

    /// Notes the stages that have ended. If a signal killed one, the others cannot finish.
    fn reap(&mut self) -> Result<(), Fail> {
        let mut killed = None;
        for stage in self.stages.iter_mut().filter(|stage| stage.code.is_none()) {
            let ended = stage.child.try_wait().map_err(|e| Fail::io(Path::new(&stage.name), &e))?;
            stage.code = ended.map(code_of);
            let asked = [Signal::INT, Signal::TERM, Signal::HUP].map(|signal| 128 + signal.as_raw());
            if ended.is_some_and(|ended| ended.code().is_none())
                && stage.code.is_some_and(|code| !asked.contains(&code))
            {
                killed = Some(stage.name.clone());
            }
        }
        if let Some(name) = killed.filter(|_| !matches!(self.kind, Kind::Script)) {
            self.end(End::Killed(name));
        }
        Ok(())
    }

    fn obey(&mut self, wish: Wish, console: &mut Console) {
        if wish == Wish::Finish && !self.told {
            self.told = true;
            // A person who ends the run reads the lines from now on.
            console.close_board();
            console.note("finishing the running task, then stopping; Ctrl-C again stops now");
            // The head of a following pipe ends, so that nothing new is handed out.
            if let Some(head) = self.stages.first().filter(|_| matches!(self.kind, Kind::Follow { .. })) {
                signal(head.pid(), Signal::INT);
            }
        }
        if wish == Wish::Now {
            self.end(End::Stopped);
        }
    }

    fn end(&mut self, why: End) {
        if self.ending.is_none() {
            self.ending = Some((why, Instant::now(), 0));
        }
    }

    /// Asks the stages to stop, twice, and kills what is left in the end.
    fn press(&mut self) {
        let Some((_, since, asked)) = &mut self.ending else { return };
        let due = BETWEEN_SIGNALS * *asked;
        let kills = since.elapsed() >= GRACE;
        if !kills && (*asked >= 2 || since.elapsed() < due) {
            return;
        }
        *asked += 1;
        let wanted = if kills { Signal::KILL } else { Signal::INT };
        for stage in self.stages.iter().filter(|stage| stage.code.is_none()) {
            if kills || matches!(self.kind, Kind::Script) {
                for process in family(stage.pid()) {
                    signal(process.pid, Signal::CONT);
                    signal(process.pid, wanted);
                }
            }
            signal(stage.pid(), Signal::CONT);
            signal(stage.pid(), wanted);
        }
    }

    fn look(&mut self, watch: &mut Watch, console: &mut Console) {
        console.mind_board();
        let left: Vec<i32> =
            self.stages.iter().filter(|stage| stage.code.is_none()).map(Stage::pid).collect();
        let watched = match self.kind {
            Kind::Round => Watched::Round(&left),
            Kind::Follow { ledger, .. } => {
                let recorded = ledger.metadata().map_or(0, |about| about.len());
                Watched::Follow(&left, recorded + self.said)
            }
            Kind::Rounds => {
                let recorded = self.ledger.metadata().map_or(0, |about| about.len());
                Watched::Rounds(&left, recorded + self.said)
            }
            Kind::Script => Watched::Script,
        };
        for found in watch.look(watched) {
            match found {
                Found::Quiet(process) => {
                    if let Kind::Follow { owes, .. } = self.kind
                        && owes()
                    {
                        self.kill(End::Hung(self.named(process)));
                    }
                }
                Found::Continued(process) => console.note(&continued(&self.named(process))),
                Found::StoppedAgain(process) => self.kill(End::StoppedAgain(self.named(process))),
                Found::Hung(process) => self.kill(End::Hung(self.named(process))),
            }
        }
    }

    /// The process by the name of its stage, if it is one.
    fn named(&self, mut process: Process) -> Process {
        if let Some(stage) = self.stages.iter().find(|stage| stage.pid() == process.pid) {
            process.name.clone_from(&stage.name);
        }
        process
    }

    /// Ends what cannot be asked.
    fn kill(&mut self, why: End) {
        self.end(why);
        for stage in self.stages.iter().filter(|stage| stage.code.is_none()) {
            let below = family(stage.pid());
            signal(stage.pid(), Signal::KILL);
            for process in &below {
                signal(process.pid, Signal::KILL);
            }
        }
    }

    /// The stage that failed first: those before it report a closed pipe, those behind it a cut-off
    /// input.
    fn failed(&self) -> Option<usize> {
        let before_last = self.stages.split_last().map_or(&[][..], |(_, before)| before);
        let failed = |stage: &Stage| stage.code.is_some_and(|code| code != 0);
        let by_itself = before_last.iter().position(|stage| failed(stage) && !stage.is_cut_off);
        by_itself.or_else(|| before_last.iter().position(failed))
    }

    /// Shows what stages have said. While they are being ended it is no news, and around a stage that has failed they only
    /// say that their pipe is cut off: that goes to the log alone.
    fn show_held(&mut self, console: &mut Console) {
        let failed = self.failed();
        for (at, bytes) in std::mem::take(&mut self.held) {
            let is_words = !bytes.trim_ascii().is_empty() && !says_cut_off(&bytes);
            let is_news = failed.is_none_or(|failed| at == failed || at < failed && is_words);
            console.said(&bytes, self.ending.is_none() && is_news);
        }
    }

    /// Waits for output, a signal or the next look, and hands on what there is.
    fn read(&mut self, signals: &Signals, console: &mut Console, out: &mut dyn FnMut(&mut Console, &[u8])) {
        let pause = match (self.held.is_empty(), self.ending.is_some()) {
            (false, _) => HOLD,
            (true, true) => BETWEEN_SIGNALS,
            (true, false) => LOOK,
        };
        self.read_now(console, out, Some((signals, pause)));
    }

    /// Hands on what can be read; whether there was anything.
    fn read_now(
        &mut self,
        console: &mut Console,
        out: &mut dyn FnMut(&mut Console, &[u8]),
        wait: Option<(&Signals, Duration)>,
    ) -> bool {
        let errs = self.stages.iter().map(|stage| &stage.err);
        let fds: Vec<_> =
            std::iter::once(&self.out).chain(errs).map(|file| file.as_ref().map(AsFd::as_fd)).collect();
        let mut polled: Vec<PollFd<'_>> =
            fds.iter().flatten().map(|fd| PollFd::from_borrowed_fd(*fd, PollFlags::IN)).collect();
        if let Some((signals, _)) = wait {
            polled.extend(signals.descriptors().map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
        }
        let limit = Timespec::try_from(wait.map_or(Duration::ZERO, |(_, pause)| pause)).unwrap_or_default();
        if poll(&mut polled, Some(&limit)).is_err() {
            return false;
        }
        let mut ready = polled.iter().map(|fd| !fd.revents().is_empty());
        let is_ready: Vec<bool> = fds.iter().map(|fd| fd.is_some() && ready.next() == Some(true)).collect();
        let mut bytes = [0; 1 << 14];
        let mut any = false;
        for (at, is_ready) in is_ready.into_iter().enumerate() {
            let file = match at.checked_sub(1).and_then(|stage| self.stages.get_mut(stage)) {
                Some(stage) => &mut stage.err,
                None => &mut self.out,
            };
            if !is_ready {
                continue;
            }
            match file.as_mut().map(|file| file.read(&mut bytes)) {
                Some(Ok(n)) if n > 0 => {
                    any = true;
                    self.said += n as u64;
                    let read = bytes.get(..n).unwrap_or_default();
                    if at == 0 {
                        self.printed(read, console, out);
                        continue;
                    }
                    if self.held.is_empty() {
                        self.held_since = Instant::now();
                    }
                    if let Some(stage) = self.stages.get_mut(at - 1) {
                        stage.is_cut_off |= says_cut_off(read);
                    }
                    self.held.push((at - 1, read.to_vec()));
                }
                _ => *file = None,
            }
        }
        any
    }
}

/// Whether a stage says that its reader is gone, as [`pipe_ends::gone`] puts it.
fn says_cut_off(bytes: &[u8]) -> bool {
    let gone = pipe_ends::gone().to_string();
    String::from_utf8_lossy(bytes).trim_end().ends_with(&gone)
}
