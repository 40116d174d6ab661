//! The agent's process, and JSON-RPC with it: one message a line.

use super::{Trouble, write_line};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

/// The longest message of an agent.
const LONGEST: u64 = 8 << 20;
/// How many lines may be no messages: some agents print a few words at their start.
const NONSENSE: usize = 200;
/// How many messages wait to be read; then the agent waits.
const WAITING: usize = 64;

/// What comes from the agent.
pub(super) enum Heard {
    Message(Value),
    /// Nothing yet.
    Nothing,
}

enum Line {
    Message(Value),
    Trouble(Trouble),
}

/// The agent's process.
pub(super) struct Agent {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Line>,
    next: u64,
}

impl Agent {
    pub(super) fn start(command: &[OsString]) -> Result<Self, Trouble> {
        let missing = || Trouble::new("missing", "there is no command to start the agent with");
        let (program, args) = command.split_first().ok_or_else(missing)?;
        let mut child =
            Command::new(program).args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().map_err(
                |e| Trouble::new("missing", format!("'{}' does not start: {e}", program.to_string_lossy())),
            )?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(missing());
        };
        let (sender, messages) = sync_channel(WAITING);
        std::thread::spawn(move || listen(output, &sender));
        Ok(Self { child, input, messages, next: 0 })
    }

    /// Sends a request and returns its number.
    pub(super) fn ask(&mut self, method: &str, params: &Value) -> Result<u64, Trouble> {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}))?;
        Ok(self.next)
    }

    pub(super) fn send(&mut self, message: &Value) -> Result<(), Trouble> {
        write_line(&mut self.input, message).map_err(|_| self.died())
    }

    /// The next message, if there is one within a moment.
    pub(super) fn hear(&mut self, moment: Duration) -> Result<Heard, Trouble> {
        match self.messages.recv_timeout(moment) {
            Ok(Line::Message(value)) => Ok(Heard::Message(value)),
            Ok(Line::Trouble(trouble)) => Err(trouble),
            Err(RecvTimeoutError::Timeout) => Ok(Heard::Nothing),
            Err(RecvTimeoutError::Disconnected) => Err(self.died()),
        }
    }

    /// The agent has closed its output.
    fn died(&mut self) -> Trouble {
        std::thread::sleep(Duration::from_millis(100));
        let how = match self.child.try_wait() {
            Ok(Some(status)) => status.to_string(),
            _ => "its output is closed".to_owned(),
        };
        Trouble::new("died", format!("the agent ended before its turn did: {how}"))
    }
}

impl Drop for Agent {
    /// The supervisor ends what the agent has started.
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Reads messages until the agent closes its output or breaks a bound.
fn listen(output: ChildStdout, sender: &SyncSender<Line>) {
    let mut reader = BufReader::new(output);
    let (mut line, mut nonsense) = (Vec::new(), 0);
    loop {
        line.clear();
        let Ok(length) = (&mut reader).take(LONGEST).read_until(b'\n', &mut line) else { return };
        if length == 0 {
            return;
        }
        let trouble = if line.last() != Some(&b'\n') && length as u64 >= LONGEST {
            Some(Trouble::new("flood", format!("the agent sent a message of more than {LONGEST} bytes")))
        } else {
            match serde_json::from_slice::<Value>(&line) {
                Ok(value) if value.is_object() => {
                    if sender.send(Line::Message(value)).is_err() {
                        return;
                    }
                    continue;
                }
                _ => {
                    nonsense += 1;
                    let words = || format!("the agent sent {NONSENSE} lines that are no messages");
                    (nonsense >= NONSENSE).then(|| Trouble::new("nonsense", words()))
                }
            }
        };
        if let Some(trouble) = trouble {
            drop(sender.send(Line::Trouble(trouble)));
            return;
        }
    }
}
