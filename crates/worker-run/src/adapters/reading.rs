//! The result of a run according to the client, in one form for every client.
//!
//! An exit code alone says little: some clients exit with 0 when the service refuses the key, some when they were
//! told to stop. So each adapter reads the final event, the other output and the exit code together.

use wire::order::Outcome;

/// The output of a client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ClientOutput<'a> {
    pub(crate) stdout: &'a str,
    pub(crate) stderr: &'a str,
    /// The exit code; `None` if a signal ended it.
    pub(crate) exit: Option<i32>,
    pub(crate) signal: Option<i32>,
}

/// The parsed output.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Reading {
    /// The client's last words, which contain the answer.
    pub(crate) text: String,
    /// Why the run is not done, according to the client.
    pub(crate) fault: Option<Fault>,
    /// The client's own name for the session.
    pub(crate) session: Option<String>,
    pub(crate) model: Option<String>,
    /// In dollars.
    pub(crate) cost: Option<f64>,
    /// The tools that it was not allowed to use.
    pub(crate) denied: Vec<String>,
}

/// Why a run is not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    pub(crate) outcome: Outcome,
    pub(crate) message: String,
    /// Whether the same request would fail again.
    pub(crate) lasting: bool,
}

impl Fault {
    pub(crate) fn new(outcome: Outcome, message: impl Into<String>) -> Self {
        Self { outcome, message: message.into(), lasting: false }
    }
}

impl ClientOutput<'_> {
    /// The fault of a client without a final event: it was asked to stop, or it crashed.
    pub(crate) fn without_end(&self) -> Fault {
        const ASKED: [i32; 3] = [1, 2, 15];
        let signal =
            self.signal.or(self.exit.filter(|code| (129..160).contains(code)).map(|code| code - 128));
        match signal {
            Some(number) if ASKED.contains(&number) => {
                Fault::new(Outcome::Interrupted, format!("ended by signal {number}"))
            }
            Some(number) => Fault::new(Outcome::Crashed, format!("ended by signal {number}")),
            None => {
                let code = self.exit.map_or_else(|| "no exit code".to_owned(), |code| format!("exit {code}"));
                Fault::new(Outcome::Crashed, format!("ended without a result: {code}{}", self.last_error()))
            }
        }
    }

    /// The last line of stderr that is not empty, for people.
    fn last_error(&self) -> String {
        let line = self.stderr.lines().map(str::trim).rfind(|line| !line.is_empty());
        line.map(|line| format!(", {}", cut(line, 200))).unwrap_or_default()
    }
}

/// At most `most` characters.
pub(crate) fn cut(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| &text[..end])
}
