//! `Adapter`: one row for every client that can be a worker, and the choice among them.
//!
//! A new client is one file in `adapters/` and one row here.

use crate::adapters::reading::{ClientOutput, Reading};
use crate::adapters::{acp, aider, claude, cline, codex, gemini, goose, opencode, plain};
use config::workers::{ACP, Permissions};
use serde_json::Value;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

/// The request to a client for one task.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ask<'a> {
    /// Our name for the session, a UUID.
    pub(crate) session: &'a str,
    pub(crate) model: Option<&'a str>,
    /// The agent or mode, if the configuration names one of the client's own.
    pub(crate) agent: Option<&'a str>,
    pub(crate) max_turns: Option<u32>,
    /// In dollars.
    pub(crate) max_cost: Option<f64>,
    pub(crate) permissions: Permissions,
    /// The prompt as a file.
    pub(crate) prompt: &'a Path,
    /// The folder of the attempt.
    pub(crate) folder: &'a Path,
}

/// How the prompt reaches the client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Prompt {
    Stdin,
    /// As the last argument.
    Last,
    /// The arguments name the file already.
    Named,
}

/// The information needed to find a client's record.
pub(crate) struct RecordLocation<'a> {
    /// The client's name for the session, or ours if we set it.
    pub(crate) session: &'a str,
    /// The folder of the attempt.
    pub(crate) folder: &'a Path,
    /// The tree that it worked in.
    pub(crate) tree: &'a Path,
    /// A variable as the client saw it.
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
}

impl RecordLocation<'_> {
    /// The folder that a variable names, or one below the home folder.
    pub(crate) fn folder_of(&self, variable: &str, below_home: &str) -> Option<PathBuf> {
        let named = (self.variable)(variable).map(PathBuf::from);
        named.or_else(|| Some(PathBuf::from((self.variable)("HOME")?).join(below_home)))
    }

    /// The client's own state: sessions, settings, credentials.
    pub(crate) fn state(&self, adapter: &Adapter) -> Vec<PathBuf> {
        let paths = adapter.state.iter();
        paths
            .filter_map(|(variable, home, below)| Some(self.folder_of(variable, home)?.join(below)))
            .collect()
    }
}

/// One client.
pub(crate) struct Adapter {
    pub(crate) name: &'static str,
    pub(crate) program: &'static str,
    pub(crate) prompt: Prompt,
    /// The arguments for one task.
    pub(crate) arguments: fn(&Ask<'_>) -> Vec<OsString>,
    /// The arguments that continue a session, if the client supports it.
    pub(crate) again: Option<fn(&Ask<'_>, &str) -> Vec<OsString>>,
    /// Variables that switch off telemetry, updates and endless retries.
    pub(crate) environment: fn(&Ask<'_>) -> Vec<(&'static str, String)>,
    /// Whether the client knows a model of this name.
    pub(crate) takes: fn(&str) -> bool,
    pub(crate) read: fn(&ClientOutput<'_>) -> Reading,
    /// The client's own record of the session.
    pub(crate) record: fn(&RecordLocation<'_>) -> Option<PathBuf>,
    /// The client's own state: a variable, its default below the home folder, and the path below that.
    pub(crate) state: &'static [(&'static str, &'static str, &'static str)],
    /// What it reports of its use.
    pub(crate) reports: Reports,
}

/// What a client reports of its use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reports {
    Nothing,
    Tokens,
    /// Tokens, and what they cost in dollars where it knows the price of the model.
    Cost,
}

#[rustfmt::skip]
static TABLE: [Adapter; 10] = [
    Adapter { name: "claude", program: "claude", prompt: Prompt::Stdin, arguments: claude::arguments, again: Some(claude::again), environment: claude::environment, takes: claude::takes, read: claude::read, record: claude::record, state: &[("CLAUDE_CONFIG_DIR", ".claude", ""), ("HOME", "", ".claude.json")], reports: Reports::Cost },
    Adapter { name: "codex", program: "codex", prompt: Prompt::Stdin, arguments: codex::arguments, again: Some(codex::again), environment: codex::environment, takes: codex::takes, read: codex::read, record: codex::record, state: &[("CODEX_HOME", ".codex", "")], reports: Reports::Tokens },
    Adapter { name: "opencode", program: "opencode", prompt: Prompt::Stdin, arguments: opencode::arguments, again: Some(opencode::again), environment: opencode::environment, takes: opencode::takes, read: opencode::read, record: opencode::record, state: &[("XDG_DATA_HOME", ".local/share", "opencode"), ("XDG_STATE_HOME", ".local/state", "opencode"), ("XDG_CACHE_HOME", ".cache", "opencode"), ("XDG_CONFIG_HOME", ".config", "opencode")], reports: Reports::Cost },
    Adapter { name: "kilo", program: "kilo", prompt: Prompt::Stdin, arguments: opencode::arguments, again: Some(opencode::again), environment: opencode::environment, takes: opencode::takes, read: opencode::read, record: opencode::kilo_record, state: &[("XDG_DATA_HOME", ".local/share", "kilo"), ("XDG_STATE_HOME", ".local/state", "kilo"), ("XDG_CACHE_HOME", ".cache", "kilo"), ("XDG_CONFIG_HOME", ".config", "kilo")], reports: Reports::Cost },
    Adapter { name: "gemini", program: "gemini", prompt: Prompt::Stdin, arguments: gemini::arguments, again: None, environment: gemini::environment, takes: gemini::takes, read: gemini::read, record: gemini::record, state: &[("HOME", "", ".gemini")], reports: Reports::Tokens },
    Adapter { name: "goose", program: "goose", prompt: Prompt::Stdin, arguments: goose::arguments, again: Some(goose::again), environment: goose::environment, takes: any, read: goose::read, record: goose::record, state: &[("XDG_DATA_HOME", ".local/share", "goose"), ("XDG_STATE_HOME", ".local/state", "goose"), ("XDG_CONFIG_HOME", ".config", "goose")], reports: Reports::Cost },
    Adapter { name: "cline", program: "cline", prompt: Prompt::Last, arguments: cline::arguments, again: None, environment: cline::environment, takes: any, read: cline::read, record: cline::record, state: &[("CLINE_DIR", ".cline", "")], reports: Reports::Cost },
    Adapter { name: "aider", program: "aider", prompt: Prompt::Named, arguments: aider::arguments, again: None, environment: aider::environment, takes: any, read: aider::read, record: aider::record, state: &[("HOME", "", ".aider")], reports: Reports::Cost },
    Adapter { name: "acp", program: "", prompt: Prompt::Stdin, arguments: |_| Vec::new(), again: None, environment: |_| Vec::new(), takes: any, read: acp::read, record: none, state: &[], reports: Reports::Cost },
    Adapter { name: "plain", program: "", prompt: Prompt::Stdin, arguments: |_| Vec::new(), again: None, environment: |_| Vec::new(), takes: any, read: plain::read, record: none, state: &[], reports: Reports::Nothing },
];

/// The adapter of a name.
pub(crate) fn named(name: &str) -> Option<&'static Adapter> {
    TABLE.iter().find(|adapter| adapter.name == name)
}

/// The adapter for a user's own program.
pub(crate) fn plain() -> &'static Adapter {
    &TABLE[TABLE.len() - 1]
}

/// The names of all clients that need no configuration.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    TABLE.iter().map(|adapter| adapter.name).filter(|name| !matches!(*name, "plain" | ACP))
}

/// The client whose state an agent with this program uses: `claude-code-acp` is Claude Code.
pub(crate) fn behind(program: &OsStr) -> Option<&'static Adapter> {
    let name = Path::new(program).file_name()?.to_str()?;
    TABLE.iter().find(|adapter| !adapter.program.is_empty() && name.contains(adapter.program))
}

fn any(_: &str) -> bool {
    true
}

fn none(_: &RecordLocation<'_>) -> Option<PathBuf> {
    None
}

/// The only file below `folder`, at most `depth` folders down, whose name `fits`. Returns `None` if there are two:
/// the choice is never guessed.
pub(crate) fn only_file(folder: &Path, depth: u8, fits: &dyn Fn(&str) -> bool) -> Option<PathBuf> {
    let mut found = Vec::new();
    collect(folder, depth, fits, &mut found);
    if found.len() == 1 { found.pop() } else { None }
}

fn collect(folder: &Path, depth: u8, fits: &dyn Fn(&str) -> bool, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.filter_map(Result::ok) {
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            collect(&entry.path(), depth - 1, fits, found);
        } else if kind.is_file() && entry.file_name().to_str().is_some_and(fits) {
            found.push(entry.path());
        }
    }
}

/// Arguments from words.
pub(crate) fn words<const N: usize>(words: [&str; N]) -> Vec<OsString> {
    words.into_iter().map(OsString::from).collect()
}

/// Adds a flag with its value, if there is one.
pub(crate) fn flag(arguments: &mut Vec<OsString>, name: &str, value: Option<impl ToString>) {
    if let Some(value) = value {
        arguments.push(name.into());
        arguments.push(value.to_string().into());
    }
}

/// The JSON objects among the lines of an output. The first line may be the end of an object: if the output exceeds
/// the log's limit, its beginning is lost.
pub(crate) fn events(text: &str) -> impl Iterator<Item = Value> {
    let cut = text.lines().next().filter(|line| !line.trim_start().starts_with('{')).and_then(mended);
    let objects = text.lines().filter(|line| line.trim_start().starts_with('{'));
    cut.into_iter().chain(objects.filter_map(|line| serde_json::from_str(line).ok()))
}

/// The output as a single document, complete or without its beginning.
pub(crate) fn document(text: &str) -> Option<Value> {
    let text = text.trim();
    // A line that begins an object belongs to a stream, or the document is broken elsewhere.
    let cut = || if text.lines().any(|line| line.starts_with('{')) { None } else { mended(text) };
    serde_json::from_str(text).ok().or_else(cut)
}

/// The last fields of an object whose beginning is lost.
fn mended(text: &str) -> Option<Value> {
    const LOOKED_AT: usize = 64 << 10;
    const TRIES: usize = 2000;
    let start = (text.len().saturating_sub(LOOKED_AT)..=text.len()).find(|at| text.is_char_boundary(*at))?;
    let text = &text[start..];
    if !text.ends_with('}') {
        return None;
    }
    let fields = text.match_indices(',').map(|(at, _)| at).take(TRIES);
    let whole = |at: usize| serde_json::from_str(&format!("{{{}", &text[at + 1..])).ok();
    fields.filter_map(whole).find(Value::is_object)
}
