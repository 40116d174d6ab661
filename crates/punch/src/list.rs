//! Lists the ledger for people and scripts: the requested records, oldest first, one at a time.

use crate::args::ListArgs;
use ledger::Ledger;
use ledger::punch_files;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::Punch;
use wire::punch::Type;

/// The requested records.
struct Wanted<'a> {
    asked: &'a ListArgs,
    run: Option<&'a str>,
    /// Whether minted punches are requested too.
    minted: bool,
}

/// Prints the requested records.
pub(crate) fn run(asked: &ListArgs, run: Option<&str>, out: &mut Output) -> Result<Exit, Fail> {
    let kind = asked.kind.as_deref();
    if let Some(word) = kind.filter(|word| Type::parse(word).is_none()) {
        let known: Vec<_> = Type::ALL.iter().map(|kind| kind.word()).collect();
        return Err(Fail::usage(format!("there is no type '{word}'; types are {}", known.join(", "))));
    }
    let home = Home::of(&root::find(&asked.folder)?)?;
    let only_minted = kind.and_then(Type::parse).is_some_and(is_minted);
    let wanted = Wanted { asked, run: asked.of_run.as_deref().or(run), minted: asked.minted || only_minted };
    let path = Ledger::new(home.clone()).path();
    let file = match File::open(&path) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Exit::Ok),
        other => other.map_err(|e| Fail::io(&path, &e))?,
    };
    let mut last = None;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let mut bytes = Vec::new();
    loop {
        bytes.clear();
        if reader.read_until(b'\n', &mut bytes).map_err(|e| Fail::io(&path, &e))? == 0 {
            if let Some(punch) = last {
                wanted.print(&punch, out)?;
            }
            return Ok(Exit::Ok);
        }
        // `punch verify` reports truncated lines.
        if let Ok(punch) = serde_json::from_slice::<Punch>(&bytes) {
            if !asked.last {
                wanted.show(&punch, home.root(), out)?;
            } else if wanted.is_about(&punch) {
                last = Some(punch);
            }
        }
    }
}

impl Wanted<'_> {
    fn show(&self, punch: &Punch, root: &Path, out: &mut Output) -> Result<(), Fail> {
        self.one(punch, out)?;
        let Some(seal) = punch_files::seal_of(punch).filter(|_| self.minted && punch.kind == Type::Seal)
        else {
            return Ok(());
        };
        let mut shown = Ok(());
        let found = punch_files::walk(root, &seal, &mut |_, bytes| {
            if let (Ok(()), Ok(punch)) = (&shown, serde_json::from_slice::<Punch>(bytes)) {
                shown = self.one(&punch, out);
            }
        });
        // A file replaced by a later one of the same attempt is shown there; `punch verify` reports other faults.
        found.map(|_| ()).and(shown)
    }

    fn one(&self, punch: &Punch, out: &mut Output) -> Result<(), Fail> {
        if self.is_about(punch) { self.print(punch, out) } else { Ok(()) }
    }

    /// Whether it is a requested record, whatever its key is.
    fn is_about(&self, punch: &Punch) -> bool {
        let is = |asked: Option<&str>, value: &str| asked.is_none_or(|asked| asked == value);
        let task = punch.task.as_ref().map_or("", |task| task.as_str());
        let asked = self.asked;
        is(asked.task.as_deref(), task)
            && is(asked.plan.as_deref(), &punch.plan)
            && is(asked.kind.as_deref(), punch.kind.word())
            && is(self.run, punch.run.as_str())
    }

    fn print(&self, punch: &Punch, out: &mut Output) -> Result<(), Fail> {
        if self.asked.key.as_ref().is_some_and(|key| *key != punch.key) {
            return Ok(());
        }
        let task = punch.task.as_ref().map_or("", |task| task.as_str());
        if self.asked.format.is_text() { out.shown(&line(punch, task)) } else { out.document(punch, false) }
    }
}

fn is_minted(kind: Type) -> bool {
    use Type::{
        ChildComplete, ChildSpawn, CommandExec, CostCheckpoint, FileChange, McpCall, Message,
        SessionLifecycle, StepComplete, ToolCall,
    };
    matches!(
        kind,
        ToolCall
            | CommandExec
            | McpCall
            | FileChange
            | ChildSpawn
            | ChildComplete
            | StepComplete
            | CostCheckpoint
            | SessionLifecycle
            | Message
    )
}

/// Number, time, type, task and attempt, key; typed records are marked.
fn line(punch: &Punch, task: &str) -> String {
    let attempt = punch.attempt.map(|a| format!(" #{a}")).unwrap_or_default();
    let typed = if punch.trust == wire::punch::Trust::Typed { " (typed)" } else { "" };
    let key = punch.key.lines().next().unwrap_or_default();
    format!("{:>5} {} {:<14} {task}{attempt} {key}{typed}\n", punch.seq, punch.observed_at, punch.kind.word())
}
