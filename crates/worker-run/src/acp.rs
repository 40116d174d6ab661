//! A worker that speaks the Agent Client Protocol: `worker-run --drive-acp -- COMMAND` is the process of the attempt.
//!
//! Prompt on standard input, events on standard output: the calls, the tokens, and how it ended. What the agent sends is
//! bounded, never trusted, and never able to end us: it hangs, floods, talks nonsense, dies or asks for what it may not
//! have, and the end says so. Its processes are ours, so the supervisor's clocks and its end count for them too.

mod agent;
mod calls;
mod permission;
mod session;

use crate::args::Args;
use config::workers::Permissions;
use serde_json::{Value, json};
use session::Session;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use toolkit::cli::signals::Signals;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// The permissions of the agent, for the process that drives it.
pub(crate) const PERMISSIONS: &str = "PLANTOOLS_ACP_PERMISSIONS";
/// The model to ask for.
pub(crate) const MODEL: &str = "PLANTOOLS_ACP_MODEL";

/// How often at most a line shows that the agent lives.
const SIGN_OF_LIFE: Duration = Duration::from_secs(5);

/// Why a session came to no good end.
#[derive(Debug)]
struct Trouble {
    /// The word of the reason.
    reason: &'static str,
    message: String,
}

impl Trouble {
    fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Self { reason, message: message.into() }
    }
}

/// Carries one prompt to its end.
pub(crate) fn drive(args: &Args, out: &mut Output) -> Result<Exit, Fail> {
    let prompt = String::from_utf8_lossy(&Input::open(None)?.bytes()?).into_owned();
    let signals = Signals::take();
    let rights = match toolkit::cli::env::get(PERMISSIONS).as_deref() {
        Some("all") => Permissions::All,
        _ => Permissions::Edit,
    };
    let model = toolkit::cli::env::get(MODEL).filter(|model| !model.is_empty());
    let here = std::env::current_dir().map_err(|e| Fail::io(Path::new("."), &e))?;
    let mut events = Events { out, told: None };
    let ended = Session::new(&args.command, &here, rights, &signals)
        .and_then(|mut session| session.carry(&prompt, model.as_deref(), &mut events));
    let end = match ended {
        Ok(text) => json!({"type": "end", "ok": true, "text": text}),
        Err(Trouble { reason, message }) => {
            json!({"type": "end", "ok": false, "reason": reason, "text": message})
        }
    };
    let is_good = end["ok"] == true;
    events.tell(&end)?;
    Ok(if is_good { Exit::Ok } else { Exit::No })
}

/// The events on standard output, which are the record of the session.
struct Events<'o> {
    out: &'o mut Output,
    told: Option<Instant>,
}

impl Events<'_> {
    fn tell(&mut self, event: &Value) -> Result<(), Fail> {
        self.out.line(&event.to_string())?;
        self.told = Some(Instant::now());
        self.out.flush()
    }

    /// Shows that the agent lives: a worker that is silent for too long is ended.
    fn alive(&mut self) -> Result<(), Fail> {
        if self.told.is_some_and(|told| told.elapsed() < SIGN_OF_LIFE) {
            return Ok(());
        }
        self.tell(&json!({"type": "session"}))
    }
}

impl From<Fail> for Trouble {
    fn from(fail: Fail) -> Self {
        Self::new("died", fail.to_string())
    }
}

/// Writes a line to a pipe whose reader may be gone.
fn write_line(pipe: &mut impl Write, value: &Value) -> std::io::Result<()> {
    let mut line = value.to_string();
    line.push('\n');
    pipe.write_all(line.as_bytes())?;
    pipe.flush()
}
