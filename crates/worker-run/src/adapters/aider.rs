//! aider: `aider --message-file`.
//!
//! It has no tool calls and no events, exits with 0 when the service refuses the key, and commits by itself unless
//! told not to. Its history is kept with the attempt, outside of the tree. Edits are blocks in its answer: in its form of
//! whole files it would take the JSON of the answer for the content of a file, so it gets another form.

use crate::adapters::adapter::{Ask, RecordLocation, flag, words};
use crate::adapters::reading::{ClientOutput, Reading};
use crate::adapters::service_fault;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// The prefix of every error of the library that it uses.
const ERROR: &str = "litellm.";

pub(crate) fn arguments(ask: &Ask<'_>) -> Vec<OsString> {
    let mut all = words(["--yes-always", "--no-auto-commits", "--no-dirty-commits", "--no-gitignore"]);
    all.extend(words(["--no-check-update", "--no-show-release-notes", "--analytics-disable"]));
    all.extend(words(["--no-show-model-warnings", "--no-pretty", "--no-stream"]));
    all.extend(words(["--edit-format", "diff"]));
    // After one message there is no history to sum up, which would cost another request.
    all.extend(words(["--max-chat-history-tokens", "1000000"]));
    flag(&mut all, "--model", ask.model);
    for (name, path) in [
        ("--chat-history-file", history(ask.folder)),
        ("--input-history-file", ask.folder.join("aider.input.history")),
        ("--analytics-log", ask.folder.join(transcripts::AIDER_EVENTS)),
        ("--message-file", ask.prompt.to_path_buf()),
    ] {
        all.push(name.into());
        all.push(path.into_os_string());
    }
    all
}

pub(crate) fn environment(_: &Ask<'_>) -> Vec<(&'static str, String)> {
    vec![("LITELLM_LOCAL_MODEL_COST_MAP", "True".to_owned()), ("DO_NOT_TRACK", "1".to_owned())]
}

pub(crate) fn read(said: &ClientOutput<'_>) -> Reading {
    let lines = said.stdout.lines().collect::<Vec<_>>();
    let last_error = lines.iter().rposition(|line| line.starts_with(ERROR));
    // An answer follows an error that it recovered from; advice follows one that it did not.
    let fault =
        last_error.filter(|at| !lines[*at..].iter().any(|line| line.starts_with("Tokens:"))).map(|at| {
            let end = lines.len().min(at + 3);
            service_fault::of(None, &lines[at..end].join(" "))
        });
    let fault = fault.or_else(|| (said.exit != Some(0)).then(|| said.without_end()));
    Reading { text: said.stdout.to_owned(), fault, ..Reading::default() }
}

pub(crate) fn record(place: &RecordLocation<'_>) -> Option<PathBuf> {
    Some(history(place.folder)).filter(|path| path.is_file())
}

fn history(folder: &Path) -> PathBuf {
    folder.join("aider.chat.history.md")
}
