//! `punch append`: adds a record for a person or a script. Such a record is always typed.
//!
//! Records that steer the pipe are written only by the tool that acts: a tick or an acceptance that could be typed
//! would be no better than a claim.

use crate::args::AppendArgs;
use ledger::{Entry, Ledger};
use serde_json::Value;
use toolkit::cli::clock::RunArgs;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::punch::{SourceKind, Trust, Type};

/// Appends a record and prints it.
pub(crate) fn run(asked: &AppendArgs, run: &RunArgs, out: &mut Output) -> Result<Exit, Fail> {
    let kind = Type::parse(&asked.kind).ok_or_else(|| {
        let known: Vec<_> =
            Type::ALL.iter().filter(|kind| may_type(**kind)).map(|kind| kind.word()).collect();
        Fail::usage(format!("there is no type '{}'; you may add {}", asked.kind, known.join(", ")))
    })?;
    if !may_type(kind) {
        let message = format!("only the tool that does the work writes a record '{}'", kind.word());
        return Err(Fail::usage(message));
    }
    let data = match &asked.data {
        None => Value::Null,
        Some(text) => {
            serde_json::from_str(text).map_err(|e| Fail::usage(format!("'{text}' is no JSON: {e}")))?
        }
    };
    let clock = run.clock()?;
    let ledger = Ledger::new(Home::of(&root::find(&asked.root)?)?);
    let entry = Entry {
        plan: asked.plan.clone().unwrap_or_default(),
        task: asked.task.as_deref().map(Into::into),
        source: SourceKind::Human,
        trust: Trust::Typed,
        data,
        ..Entry::new(run.run_id(&clock)?, kind, asked.key.clone(), clock.now())
    };
    out.line(&ledger.append_shown(entry)?)?;
    Ok(Exit::Ok)
}

/// Whether such a record may be typed: it must not steer the pipe.
fn may_type(kind: Type) -> bool {
    use Type::{
        AttemptBegin, AttemptEnd, Checkpoint, Commit, Halt, Override, Restoration, Seal, Skip, Takeover,
        Tick, Torn, Untick,
    };
    !matches!(
        kind,
        AttemptBegin
            | AttemptEnd
            | Halt
            | Tick
            | Untick
            | Commit
            | Skip
            | Override
            | Seal
            | Torn
            | Checkpoint
            | Restoration
            | Takeover
    )
}
