//! Asks a person at the terminal about each suggestion. The suggestions come from standard input, so that the answers come
//! from the terminal itself.

use crate::adopt::read_back::read_check;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use toolkit::cli::tool::note;
use toolkit::{Exit, Fail};
use wire::plan::suggestion::Suggestion;

const TERMINAL: &str = "/dev/tty";

/// The terminal, and what it said about all that follows.
pub(crate) struct Terminal {
    answers: BufReader<File>,
    rest: Option<bool>,
    /// Whether a person stopped the questions.
    pub(crate) is_stopped: bool,
    last_task: String,
}

/// An answer about one suggestion.
pub(crate) enum Answer {
    Yes,
    No,
    /// The check as a person wrote it.
    Edited(String),
}

impl Terminal {
    pub(crate) fn open() -> Result<Self, Fail> {
        let file = File::open(TERMINAL).map_err(|_| {
            Fail::usage("no terminal to ask on: name '--adopt=all', '--adopt=suggested' or '--adopt=none'")
        })?;
        Ok(Self { answers: BufReader::new(file), rest: None, is_stopped: false, last_task: String::new() })
    }

    pub(crate) fn ask(&mut self, one: &Suggestion) -> Result<Answer, Fail> {
        if let Some(rest) = self.rest {
            return Ok(if rest { Answer::Yes } else { Answer::No });
        }
        if self.last_task != one.task.as_str() {
            self.last_task = one.task.to_string();
            note(&format!("\n{} {}", one.task, one.title));
        }
        note(&format!("  Verify: {}", one.check));
        note(&format!("    why: {}", one.reason));
        if let Some(trial) = &one.trial {
            note(&format!("    now: {}", trial.message));
            for line in trial.output.lines() {
                note(&format!("      {line}"));
            }
            if let Some(level) = trial.level {
                note(&format!("    with it the task can be: {}", level.shown()));
            }
        }
        loop {
            note("  take it? y: yes, n: no, e: edit, a: this and all others, q: stop");
            match self.line()?.map(|line| if line.len() == 1 { line.to_lowercase() } else { line }).as_deref()
            {
                Some("y" | "yes") => return Ok(Answer::Yes),
                Some("n" | "no") => return Ok(Answer::No),
                Some("a" | "all") => {
                    self.rest = Some(true);
                    return Ok(Answer::Yes);
                }
                Some("q" | "quit") | None => {
                    (self.rest, self.is_stopped) = (Some(false), true);
                    return Ok(Answer::No);
                }
                Some("e" | "edit") => {
                    note("  the check, as `COMMAND` → CLAUSE; an empty line leaves it as it is");
                    match self.line()?.filter(|check| !check.is_empty()) {
                        Some(check) if read_check(&check).is_some() => return Ok(Answer::Edited(check)),
                        Some(_) => note(
                            "  no legal check: a command in backquotes, and behind '→' what it must give; plantools-checks(7)",
                        ),
                        None => {}
                    }
                }
                Some(_) => note(
                    "  answer with one letter: y takes this check, n leaves it, e lets you write another",
                ),
            }
        }
    }

    /// The next line; `None` at the end.
    fn line(&mut self) -> Result<Option<String>, Fail> {
        let mut line = String::new();
        let read = self.answers.read_line(&mut line);
        let count =
            read.map_err(|e| Fail::new(Exit::Io, "io", e.to_string()).in_file(Path::new(TERMINAL)))?;
        Ok((count > 0).then(|| line.trim().to_owned()))
    }
}
