//! Asks a person at the terminal about each suggestion. The suggestions come from standard input, so that the answers come
//! from the terminal itself.

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
        Ok(Self { answers: BufReader::new(file), rest: None, last_task: String::new() })
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
            match self.line()?.as_deref() {
                Some("y" | "yes") => return Ok(Answer::Yes),
                Some("n" | "no") => return Ok(Answer::No),
                Some("a" | "all") => {
                    self.rest = Some(true);
                    return Ok(Answer::Yes);
                }
                Some("q" | "quit") | None => {
                    self.rest = Some(false);
                    return Ok(Answer::No);
                }
                Some("e" | "edit") => {
                    note("  the check, as `COMMAND` → CLAUSE; an empty line leaves it as it is");
                    if let Some(check) = self.line()?.filter(|check| !check.is_empty()) {
                        return Ok(Answer::Edited(check));
                    }
                }
                Some(_) => {}
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
