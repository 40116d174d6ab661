//! While a check runs: signals to us reach it, a person who looks is told that it still runs, and its output is
//! shown where that was asked for.

use crate::args::Args;
use std::cell::Cell;
use std::io::{IsTerminal, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use supervise::Running;
use toolkit::redact::Redact;
use toolkit::signals::Signals;
use toolkit::{ends, tool};

/// How much output is shown at a time.
const PIECE: u64 = 256 << 10;

/// How long the order in hand is finished for after the stage behind us has gone.
const LEFT: Duration = Duration::from_millis(800);

/// What is looked at while checks run.
pub(crate) struct Watch {
    signals: Signals,
    /// How long we are silent before a person hears from us; `None` where nobody looks.
    heartbeat: Option<Duration>,
    pub(crate) pass_through: bool,
    /// Whether a stage behind us waits for what we say.
    in_pipe: bool,
    left_since: Cell<Option<Instant>>,
    /// How many of the signals came while there was nothing to end.
    idle: Cell<usize>,
    /// How many of the signals were handed on.
    handed_on: Cell<usize>,
}

impl Watch {
    /// Any signal that ends a program ends the check that runs.
    pub(crate) fn alone(args: &Args) -> Self {
        Self::new(args, Signals::take(), false)
    }

    /// The first SIGINT leaves the order in hand alone; a SIGTERM ends the check that runs. One that all stages got while
    /// a worker was still at it lets its work be checked.
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

    /// The next order has come: the first signal from before it meant those who begin work.
    pub(crate) fn next_order(&self) {
        self.idle.set(self.idle.get().max(self.signals.count().min(1)));
    }

    fn signalled(&self) -> usize {
        self.signals.count().saturating_sub(self.idle.get())
    }

    /// Whether no new check should begin: we were told to stop, or nobody has been there to hear of it for a while.
    pub(crate) fn is_over(&self) -> bool {
        self.signalled() > 0 || self.is_left()
    }

    /// Whether the stage behind us is gone, and has been for so long that a check in hand would have to be a long one.
    fn is_left(&self) -> bool {
        if !self.in_pipe || !ends::reader_is_gone() {
            return false;
        }
        let since = self.left_since.get().unwrap_or_else(Instant::now);
        self.left_since.set(Some(since));
        since.elapsed() >= LEFT
    }

    /// Hands signals on to the checks that run: the first asks them to end, the second ends them.
    pub(crate) fn hand_on(&self, running: &[&Running]) {
        let wanted = usize::from(self.is_over()) + usize::from(self.signalled() > 1);
        for _ in self.handed_on.get()..wanted {
            for running in running {
                running.interrupt();
            }
        }
        self.handed_on.set(wanted.max(self.handed_on.get()));
    }

    /// A pulse for one check.
    pub(crate) fn pulse(&self, id: &str) -> Pulse {
        let now = Instant::now();
        Pulse { id: id.to_owned(), began: now, last: now, every: self.heartbeat }
    }
}

/// Says now and then that a check still runs.
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

/// The output of a running check on its way to stderr, whole lines at a time, so that a secret is never cut in two.
pub(crate) struct PassThrough {
    log: std::fs::File,
    held: Vec<u8>,
}

impl PassThrough {
    /// Shows what the log takes. The supervisor makes the log, so it may not be there at the first look.
    pub(crate) fn open(log: &Path) -> Option<Self> {
        Some(Self { log: std::fs::File::open(log).ok()?, held: Vec::new() })
    }

    /// Shows the whole lines that have come since, piece by piece. What has no line end within a piece is shown as it
    /// is: a secret may be cut there, but our memory is bounded.
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

    /// Shows what is left, finished line or not.
    pub(crate) fn finish(mut self, redact: &Redact) {
        self.show(redact);
        self.write(redact);
    }

    fn write(&mut self, redact: &Redact) {
        let text = redact.text(&String::from_utf8_lossy(&self.held));
        // A stderr that is gone is nobody's loss.
        let _ = std::io::stderr().write_all(text.as_bytes());
        self.held.clear();
    }
}
