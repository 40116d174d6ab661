//! Handing work over: packets to children, and what comes back from them.

use crate::args::{Packet, Schema};
use crate::{look, recorded};
use sessions::{Name, PacketOrder, SessionText};
use std::path::Path;
use toolkit::files::fs;
use toolkit::stream::input::Input;
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::result::ResultDoc;

/// Makes a packet from a session, or checks one.
pub(crate) fn packet(asked: &Packet, out: &mut Output) -> Result<Exit, Fail> {
    let schema = asked.schema.map(|schema| match schema {
        Schema::Kit => sessions::Schema::Kit,
        Schema::Composability => sessions::Schema::Composability,
        Schema::Subtask => sessions::Schema::Subtask,
    });
    let input = Input::open(asked.file.as_deref())?;
    let name = input.name.to_string_lossy().into_owned();
    let bytes = input.bytes()?;
    if asked.check {
        if is_session(&bytes) {
            let message = "this is a thinking session, not a packet: make one with session-export packet SESSION > \
                           .kilocode/handoff/TASK.json, then run: orchestrate TASK";
            return Err(Fail::data("not-a-packet", message).in_file(Path::new(&name)));
        }
        if let Some(task) = without_subtasks(&bytes) {
            let message =
                format!("no preparation for {task}: run start-task first (the packet has no subtask plan)");
            return Err(Fail::new(Exit::NoInput, "no-preparation", message).in_file(Path::new(&name)));
        }
        return look::answer(&sessions::check_packet(&name, &bytes, schema)?, asked.form, out);
    }
    let file = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let task = asked.task.clone().or_else(|| Name::parse(&file).map(|name| name.task));
    let Some(task) = task else {
        return Err(Fail::usage(format!("'{file}' does not say its task; name it with --task ID")));
    };
    let sheet = SessionText::of(&name, bytes)?;
    let results = asked.results.iter().map(|path| child(path)).collect::<Result<_, _>>()?;
    let order = PacketOrder {
        task,
        session: name,
        subtask: asked.subtask,
        constraints: asked.constraints.clone(),
        results,
    };
    let packet = sessions::packet(&sheet, schema.unwrap_or(sessions::Schema::Kit), &order)?;
    out.document(&packet, asked.form.pretty || asked.form.format.is_text())?;
    Ok(Exit::Ok)
}

/// Whether a file is a thinking session and no packet.
fn is_session(bytes: &[u8]) -> bool {
    let document = serde_json::from_slice::<serde_json::Value>(bytes).unwrap_or_default();
    document.get("thoughts").is_some() && document.get("task_id").is_none()
}

/// The task of a packet for a whole task that has no subtask plan; a packet for one child needs none.
fn without_subtasks(bytes: &[u8]) -> Option<String> {
    let packet: serde_json::Value = serde_json::from_slice(bytes).ok()?;
    let task = packet.get("task_id")?.as_str()?.to_owned();
    let of_child =
        ["subtask_description", "subtask_index", "objective"].iter().any(|key| packet.get(*key).is_some());
    let any =
        packet.get("subtasks").and_then(serde_json::Value::as_array).is_some_and(|list| !list.is_empty());
    (!any && !of_child).then_some(task)
}

/// Reads what a child says; what is missing in it is an answer of no.
pub(crate) fn result(
    file: Option<&Path>,
    model: Option<&str>,
    pretty: bool,
    out: &mut Output,
) -> Result<Exit, Fail> {
    let input = Input::open(file)?;
    let name = input.name.to_string_lossy().into_owned();
    let bytes = input.bytes()?;
    let result = sessions::result(&name, &String::from_utf8_lossy(&bytes), model)?;
    out.document(&result, pretty)?;
    Ok(if result.problems.is_empty() { Exit::Ok } else { Exit::No })
}

/// Makes an interchange document from an agent's own record.
pub(crate) fn interchange(
    file: &Path,
    client: Option<&str>,
    session: Option<&str>,
    out: &mut Output,
) -> Result<Exit, Fail> {
    out.document(&recorded::interchange(file, client, session)?, false)?;
    Ok(Exit::Ok)
}

fn child(path: &Path) -> Result<ResultDoc, Fail> {
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    sessions::result(&path.display().to_string(), &text, None)
}
