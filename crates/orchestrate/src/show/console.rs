//! What a person sees: lines on standard output with a copy in the log, notes on standard error, and the board.

use crate::tools::Tools;
use rustix::process::Signal;
use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use toolkit::Fail;
use toolkit::cli::tool;
use toolkit::files::fs;
use toolkit::stream::output::Output;

/// Where the words of a run go.
pub(crate) struct Console {
    out: Output,
    log: Option<File>,
    board: Option<Child>,
    /// Whether the person has closed the board: it does not come back.
    is_closed: bool,
    /// Whether the rounds are printed.
    is_quiet: bool,
    /// What the current round has printed: it stands above a question.
    round: Vec<u8>,
}

impl Console {
    /// A console that prints and keeps no log yet.
    pub(crate) fn new(is_quiet: bool) -> Self {
        Self { out: Output::stdout(), log: None, board: None, is_closed: false, is_quiet, round: Vec::new() }
    }

    /// Keeps a copy of everything in a log, which is not a link.
    pub(crate) fn keep_log(&mut self, path: &Path, first: &str) -> Result<(), Fail> {
        let mut log = fs::open_own(path, OpenOptions::new().append(true).create(true))?;
        log.write_all(first.as_bytes()).map_err(|e| Fail::io(path, &e))?;
        self.log = Some(log);
        Ok(())
    }

    /// Lines of a round: they go to the log, and to standard output unless a board stands there.
    pub(crate) fn line(&mut self, bytes: &[u8]) {
        self.round.extend_from_slice(bytes);
        self.print(bytes, self.board.is_none() && !self.is_quiet);
    }

    /// Lines of the end of a run.
    pub(crate) fn last(&mut self, bytes: &[u8]) {
        self.print(bytes, true);
    }

    fn print(&mut self, bytes: &[u8], shown: bool) {
        // A run goes on without a reader, and without space for its log: plan and ledger are its state.
        let _ = self.log.as_mut().map(|log| log.write_all(bytes));
        if shown {
            let _ = self.out.bytes(bytes).and_then(|()| self.out.flush());
        }
    }

    /// What a stage said on standard error; not shown while a board stands there, or once the stages are being ended.
    pub(crate) fn said(&mut self, bytes: &[u8], shown: bool) {
        if shown && self.board.is_none() {
            let _ = std::io::stderr().lock().write_all(bytes);
        } else {
            let _ = self.log.as_mut().map(|log| log.write_all(bytes));
        }
    }

    /// One line for people.
    pub(crate) fn note(&mut self, text: &str) {
        if self.board.is_some() {
            let _ = self.log.as_mut().map(|log| writeln!(log, "orchestrate: {text}"));
        } else {
            tool::note(&format!("orchestrate: {text}"));
        }
    }

    /// What the round has printed so far; the next one begins empty.
    pub(crate) fn take_round(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.round)
    }

    /// How far the plan is, as one line that replaces the last.
    pub(crate) fn progress(&mut self, text: &str) {
        if self.is_quiet && std::io::stderr().is_terminal() {
            let _ = write!(std::io::stderr().lock(), "\r\u{1b}[K{text}");
        }
    }

    /// Ends the line of progress.
    pub(crate) fn end_progress(&mut self) {
        self.progress("");
    }

    /// On a terminal a board takes the place of the lines while rounds run; the log has them all the same.
    pub(crate) fn show_board(&mut self, tools: &Tools, plan: &OsStr) {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        if !is_terminal || self.is_quiet || self.is_closed || self.board.is_some() {
            return;
        }
        let mut command = tools.command(OsStr::new("run-report"));
        command.arg("--follow").arg(plan).stderr(Stdio::null());
        self.board = command.spawn().ok();
    }

    /// Takes the board away.
    pub(crate) fn hide_board(&mut self) {
        let Some(mut board) = self.board.take() else { return };
        if let Ok(None) = board.try_wait() {
            crate::round::processes::signal(board.id().cast_signed(), Signal::INT);
        }
        let _ = board.wait();
    }

    /// Takes the board away for the rest of the run.
    pub(crate) fn close_board(&mut self) {
        self.hide_board();
        self.is_closed = true;
    }

    /// Says once that the run goes on if the person has closed the board.
    pub(crate) fn mind_board(&mut self) {
        if self.board.as_mut().is_some_and(|board| !matches!(board.try_wait(), Ok(None))) {
            self.board = None;
            self.is_closed = true;
            self.note("the board is closed; the run goes on (Ctrl-C finishes the running task and stops)");
        }
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.hide_board();
    }
}
