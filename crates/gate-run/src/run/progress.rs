//! While a check runs: passes signals on to it, shows a heartbeat to a person at a terminal, and shows its output if
//! requested.

use crate::args::Args;
use std::cell::Cell;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use supervise::Running;
use toolkit::cli::signals::Signals;
use toolkit::cli::tool;
use toolkit::files::redact::Redact;
use toolkit::stream::pipe_ends;

/// How much output to show at a time.
const PIECE: u64 = 256 << 10;

/// How long to continue the current order after the next stage has exited.
const LEFT: Duration = Duration::from_millis(800);

/// The state to watch while checks run.
pub(crate) struct Progress {
    signals: Signals,
    /// How long to be silent before the next heartbeat; `None` without a terminal.
    heartbeat: Option<Duration>,
    pub(crate) pass_through: bool,
    /// Whether a later stage waits for our output.
    in_pipe: bool,
    left_since: Cell<Option<Instant>>,
    /// How many of the signals arrived while there was nothing to end.
    idle: Cell<usize>,
    /// How many of the signals were passed on.
    handed_on: Cell<usize>,
}

impl Progress {
    /// Any terminating signal ends the running check.
    pub(crate) fn alone(args: &Args) -> Self {
        Self::new(args, Signals::take(), false)
    }

    /// The first SIGINT leaves the current order alone; a SIGTERM ends the running check. If a signal reached all
    /// stages while a worker was still running, its work is still checked.
    pub(crate) fn stage(args: &Args) -> Self {
        Self::new(args, Signals::take_ends(), true)
    }

    fn new(args: &Args, signals: Signals, in_pipe: bool) -> Self {
        let show = &args.show;
        let wanted = !show.json_only && !show.pass_through && !show.heartbeat_seconds.is_zero();
        let heartbeat = (wanted && std::io::stderr().is_terminal()).then_some(show.heartbeat_seconds);
        Self {
            signals,
            heartbeat,
            pass_through: args.show.pass_through,
            in_pipe,
            left_since: Cell::new(None),
            idle: Cell::new(0),
            handed_on: Cell::new(0),
        }
    }

    /// The next order has arrived: the first signal before it was meant for the stages that begin work.
    pub(crate) fn next_order(&self) {
        self.idle.set(self.idle.get().max(self.signals.count().min(1)));
    }

    fn signalled(&self) -> usize {
        self.signals.count().saturating_sub(self.idle.get())
    }

    /// Whether no new check should start: we were asked to stop, or the reader of our output has been gone for a
    /// while.
    pub(crate) fn is_over(&self) -> bool {
        self.signalled() > 0 || self.is_left()
    }

    /// Whether the next stage has been gone for so long that the current check must be a long one.
    fn is_left(&self) -> bool {
        if !self.in_pipe || !pipe_ends::reader_is_gone() {
            return false;
        }
        let since = self.left_since.get().unwrap_or_else(Instant::now);
        self.left_since.set(Some(since));
        since.elapsed() >= LEFT
    }

    /// Passes signals on to the running checks: the first asks them to end, the second kills them.
    pub(crate) fn hand_on(&self, running: &[&Running]) {
        let wanted = usize::from(self.is_over()) + usize::from(self.signalled() > 1);
        for _ in self.handed_on.get()..wanted {
            for running in running {
                running.interrupt();
            }
        }
        self.handed_on.set(wanted.max(self.handed_on.get()));
    }

    /// The heartbeat of one check.
    pub(crate) fn pulse(&self, id: &str) -> Pulse {
        let now = Instant::now();
        Pulse { id: id.to_owned(), began: now, last: now, every: self.heartbeat }
    }
}

/// Reports from time to time that a check is still running.
pub(crate) struct Pulse {
    id: String,
    began: Instant,
    last: Instant,
    every: Option<Duration>,
}

impl Pulse {
    pub(crate) fn beat(&mut self) {
        let now = Instant::now();
        if self.every.is_some_and(|every| now.duration_since(self.last) >= every) {
            self.last = now;
            let seconds = now.duration_since(self.began).as_secs();
            tool::note(&format!("gate-run: {}: still running after {seconds} s", self.id));
        }
    }
}

/// Copies the output of a running check to stderr, whole lines at a time, so that a secret is never split.
pub(crate) struct PassThrough {
    log: std::fs::File,
    held: Vec<u8>,
}

impl PassThrough {
    /// Shows the content of the log. The supervisor creates the log, so it may not exist at first.
    pub(crate) fn open(log: &Path) -> Option<Self> {
        Some(Self { log: std::fs::File::open(log).ok()?, held: Vec::new() })
    }

    /// Shows the complete lines that have arrived since, piece by piece. A line longer than a piece is shown in
    /// parts: this may split a secret, but it bounds our memory.
    pub(crate) fn show(&mut self, redact: &Redact) {
        while (&self.log).take(PIECE).read_to_end(&mut self.held).is_ok_and(|size| size > 0) {
            let end = self.held.iter().rposition(|byte| *byte == b'\n').map(|end| end + 1);
            let full = self.held.len() as u64 >= PIECE;
            if let Some(end) = end.or(full.then_some(self.held.len())) {
                let rest = self.held.split_off(end);
                self.write(redact);
                self.held = rest;
            }
        }
    }

    /// Shows the rest, even an incomplete line.
    pub(crate) fn finish(mut self, redact: &Redact) {
        self.show(redact);
        self.write(redact);
    }

    fn write(&mut self, redact: &Redact) {
        let text = redact.text(&String::from_utf8_lossy(&self.held));
        // Ignore a closed stderr.
        let _ = std::io::stderr().write_all(text.as_bytes());
        self.held.clear();
    }
}
