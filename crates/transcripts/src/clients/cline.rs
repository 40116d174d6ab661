//! Cline, Roo and the Kilo extension: a task folder with `api_conversation_history.json` and `ui_messages.json`.
//!
//! The conversation has the real names, arguments and results, but it may have been condensed, and the last turn may
//! be missing; the rows of the user interface are complete. So the conversation's calls come first, then the rows
//! that match no call of the conversation. A file given alone is read alone.

pub(crate) mod api;
pub(crate) mod ui;

use crate::calls::window::Window;
use crate::client::head::Head;
use crate::clients::cline::api::Conversation;
use crate::clients::cline::ui::Rows;
use crate::json::elements::read_elements;
use crate::json::lines::read_lines;
use crate::{Call, Kind, Record, Source};
use std::collections::HashMap;
use std::path::Path;
use toolkit::Fail;

const API: &str = "api_conversation_history.json";
const UI: &str = "ui_messages.json";
/// What follows the name of a session of the third generation.
const SESSION: &str = ".messages.json";

pub(crate) fn detect(path: &Path, head: &Head) -> bool {
    if head.folder {
        return path.join(API).is_file() || path.join(UI).is_file();
    }
    if is_stream(head) {
        return true;
    }
    let rows = head.element_has(&["ts", "type"]) || head.element_has(&["say"]) || head.element_has(&["ask"]);
    rows || is_conversation(head)
}

/// The output of `cline --json`: the rows as lines.
fn is_stream(head: &Head) -> bool {
    head.line_has(&["ts", "type", "say"]) || head.line_has(&["ts", "type", "ask"])
}

fn is_conversation(head: &Head) -> bool {
    head.element_has(&["role", "content"]) || head.document_has(&["version", "sessionId", "messages"])
}

pub(crate) fn read(source: &Source<'_>, sink: &mut dyn FnMut(Call)) -> Result<Record, Fail> {
    let mut record = Record { sessions: 1, ..Record::default() };
    let mut window = Window::new(sink);
    let mut tally = Tally::default();
    let path = source.path;
    let folder = if path.is_dir() { Some(path) } else { task_folder(path) };
    if let Some(folder) = folder {
        record.session_id = folder.file_name().map(|name| name.to_string_lossy().into_owned());
        if folder.join(API).is_file() {
            conversation(&folder.join(API), &mut record, &mut window, &mut tally)?;
        }
        if folder.join(UI).is_file() {
            rows(&folder.join(UI), &mut record, &mut window, &mut tally)?;
        }
    } else if is_conversation(&Head::of(path)?) {
        let name = path.file_name().and_then(|name| name.to_str());
        record.session_id = name.and_then(|name| name.strip_suffix(SESSION)).map(str::to_owned);
        conversation(path, &mut record, &mut window, &mut tally)?;
    } else {
        rows(path, &mut record, &mut window, &mut tally)?;
    }
    record.calls = window.calls;
    record.orphans = window.orphans;
    Ok(record)
}

/// The task folder of a file with the name of a task file.
fn task_folder(path: &Path) -> Option<&Path> {
    let name = path.file_name()?;
    path.parent().filter(|_| name == API || name == UI)
}

fn conversation(
    path: &Path,
    record: &mut Record,
    window: &mut Window<'_>,
    tally: &mut Tally,
) -> Result<(), Fail> {
    let file = record.add_source(path);
    let mut reader = Conversation::new(file, record, window, tally);
    let unknown = read_elements(path, "messages", &mut reader)?.unknown;
    record.unknown += unknown;
    window.flush();
    Ok(())
}

fn rows(path: &Path, record: &mut Record, window: &mut Window<'_>, tally: &mut Tally) -> Result<(), Fail> {
    let file = record.add_source(path);
    let mut reader = Rows::new(file, record, window, tally);
    let lines = is_stream(&Head::of(path)?);
    let unknown = if lines {
        read_lines(path, &mut reader)?
    } else {
        read_elements(path, "messages", &mut reader)?.unknown
    };
    record.unknown += unknown;
    window.flush();
    Ok(())
}

/// The number of the conversation's calls that no row has matched yet, by kind and target.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    counts: HashMap<(Kind, String), u64>,
    /// Whether there was a conversation.
    pub(crate) kept: bool,
}

impl Tally {
    pub(crate) fn add(&mut self, call: &Call) {
        *self.counts.entry(key(call)).or_default() += 1;
        self.kept = true;
    }

    /// Removes one call; false if none is left.
    pub(crate) fn take(&mut self, call: &Call) -> bool {
        match self.counts.get_mut(&key(call)) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        }
    }
}

/// The two files name tools and paths differently: a row says `editedExistingFile` for a `write_to_file` and may give
/// the path relative to another folder. So writing counts as editing, and only the last part of a path counts.
fn key(call: &Call) -> (Kind, String) {
    let target = call.target.as_deref().unwrap_or_default().trim();
    match call.kind {
        Kind::Shell => (Kind::Shell, target.to_owned()),
        Kind::Mcp => (Kind::Mcp, target.to_owned()),
        Kind::Spawn | Kind::Complete => (call.kind, String::new()),
        Kind::Other => (Kind::Other, words(&call.name)),
        kind => {
            let kind = if kind == Kind::Write { Kind::Edit } else { kind };
            let last = target.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next().unwrap_or_default();
            (kind, last.to_owned())
        }
    }
}

/// `updateTodoList` and `update_todo_list` are the same tool.
fn words(name: &str) -> String {
    name.chars().filter(|letter| *letter != '_').flat_map(char::to_lowercase).collect()
}
