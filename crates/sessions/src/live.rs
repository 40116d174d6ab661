//! The live session: a header and one thought per line, changed under a lock, never truncated in place.
//!
//! Importing or clearing replaces it; the previous content is kept beside it, so that no thought is lost if another
//! process is at work. The header records the imported session with everything around its thoughts.

pub mod analysis;
pub(crate) mod draft;

use crate::export::compose::members_of;
use crate::file::layout::compact;
use crate::file::{File, Format, Members};
use crate::live::draft::Draft;
use crate::thought::numbering::{Numbering, Odd};
use crate::thought::stage::Stage;
use crate::{SessionText, Thought};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::files::lock::{Lock, PATIENCE};
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, sha};
use wire::digest::Sealed;
use wire::live::{LiveDoc, SCHEMA};

/// The live session's usual name below `.plantools/`.
const USUAL: &str = "current.jsonl";

/// A live session.
#[derive(Debug, Clone)]
pub struct Live {
    path: PathBuf,
    home: Home,
}

/// The content of a live session.
#[derive(Debug, Default)]
pub struct LiveSession {
    /// The imported session.
    pub base: Option<Base>,
    /// Every raw thought, without white space between its parts.
    pub thoughts: Vec<String>,
    /// The file's content.
    text: String,
    /// Whether its last line is incomplete.
    torn: bool,
}

/// The imported session.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Base {
    /// The file.
    pub path: String,
    /// SHA-256 of the file.
    pub sha256: String,
    /// `v1` or `v2`: the format for writing it back.
    pub format: String,
    /// How many of the thoughts belong to it.
    pub thoughts: usize,
    /// Everything around its thoughts.
    pub(crate) document: Box<RawValue>,
}

impl Live {
    /// The live session of a root, or the one in the given file.
    pub fn at(root: &Path, file: Option<&Path>) -> Result<Self, Fail> {
        let Some(file) = file else {
            let home = Home::of(root)?;
            return Ok(Self { path: home.folder("sessions")?.join(USUAL), home });
        };
        let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(Self { path: file.to_path_buf(), home: Home::of(&root::find(folder)?)? })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Locks it against changes by others.
    pub(crate) fn lock(&self) -> Result<Lock, Fail> {
        lock(&self.home, &self.path)
    }

    /// Its content; empty if there is no live session yet.
    pub fn read(&self) -> Result<LiveSession, Fail> {
        let Some(bytes) = fs::read_if_there(&self.path)? else { return Ok(LiveSession::default()) };
        let name = self.path.display().to_string();
        let text = String::from_utf8(bytes)
            .map_err(|e| Fail::data("not-utf8", format!("no valid UTF-8: {e}")).at(name.as_str(), 1))?;
        if text.trim().is_empty() {
            return Ok(LiveSession::default());
        }
        let file: File<'_, &RawValue> = File::read(&name, &text)?;
        if file.format != Format::Jsonl {
            let message = "is an export, not a live session; import it first";
            return Err(Fail::data("not-live", message).at(name, 1));
        }
        let base = file.member("base").map(|raw| serde_json::from_str(raw.get())).transpose();
        let base = base.map_err(|e| Fail::data("bad-header", e.to_string()).at(name, 1))?;
        let thoughts = file.thoughts.iter().map(|raw| untyped(raw.get())).collect::<Result<_, _>>()?;
        let torn = !text.ends_with('\n');
        Ok(LiveSession { base, thoughts, text, torn })
    }

    /// Adds one thought that `make` creates, given the next number.
    pub fn think(&self, now: &str, make: impl FnOnce(u64) -> Draft) -> Result<(Draft, LiveSession), Fail> {
        let _lock = self.lock()?;
        let mut kept = self.read()?;
        let mut numbering = Numbering::default();
        for thought in kept.judged()? {
            numbering.take(&(&thought).into());
        }
        let draft = make(numbering.next());
        draft.check()?;
        refuse(&numbering.take(&(&draft).into()), &kept)?;
        let json = draft.json(Format::V2);
        let line = typed(&json);
        if kept.text.is_empty() {
            fs::create(&self.path, format!("{}\n{line}\n", header(now, None)?).as_bytes())?;
        } else if kept.torn {
            // Keep the truncated line beside the file, and rewrite the rest.
            self.keep(&kept)?;
            fs::create(&self.path, format!("{}{line}\n", whole(&kept, now)?).as_bytes())?;
        } else {
            fs::append(&self.path, format!("{line}\n").as_bytes())?;
        }
        kept.thoughts.push(json);
        Ok((draft, kept))
    }

    /// Makes a session the base of the next thoughts.
    pub fn import(&self, sheet: &SessionText, now: &str) -> Result<LiveDoc, Fail> {
        let kept = LiveSession::of(sheet)?;
        let text = whole(&kept, now)?;
        let _lock = self.lock()?;
        let kept = self.keep(&self.read()?)?;
        fs::create(&self.path, text.as_bytes())?;
        Ok(LiveDoc { kept, ..self.document(&self.read()?)? })
    }

    /// Starts over.
    pub fn clear(&self, now: &str) -> Result<LiveDoc, Fail> {
        let _lock = self.lock()?;
        let kept = self.keep(&self.read()?)?;
        fs::create(&self.path, format!("{}\n", header(now, None)?).as_bytes())?;
        Ok(LiveDoc { kept, ..self.document(&self.read()?)? })
    }

    /// The live session as a document.
    pub fn document(&self, kept: &LiveSession) -> Result<LiveDoc, Fail> {
        let base = kept.base.as_ref();
        let judged = kept.judged()?;
        Ok(LiveDoc {
            schema: SCHEMA.to_owned(),
            path: self.path.display().to_string(),
            thoughts: kept.thoughts.len() as u64,
            added: (kept.thoughts.len() - base.map_or(0, |base| base.thoughts).min(kept.thoughts.len()))
                as u64,
            current_stage: judged.last().and_then(Thought::stage).map(|stage: Stage| stage.name().to_owned()),
            base: base.map(|base| Sealed { path: base.path.clone(), sha256: base.sha256.clone() }),
            kept: None,
        })
    }

    /// Moves the current content aside if it has a thought that is not the base's own.
    fn keep(&self, kept: &LiveSession) -> Result<Option<String>, Fail> {
        if kept.added() == 0 && !kept.torn {
            return Ok(None);
        }
        let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let name = format!("{stem}-{}.jsonl", &sha::hex(kept.text.as_bytes())[..16]);
        let path = self.home.folder("sessions/kept")?.join(name);
        fs::create(&path, kept.text.as_bytes())?;
        Ok(Some(self.home.relative(&path)))
    }
}

impl LiveSession {
    /// A session as the base of the next thoughts.
    pub(crate) fn of(sheet: &SessionText) -> Result<Self, Fail> {
        let file = sheet.raw()?;
        // Every thought must be valid before anything is replaced.
        sheet.thoughts()?;
        let thoughts = sheet.compact()?;
        let document = RawValue::from_string(around(&members_of(&file)));
        let base = Base {
            path: sheet.path.clone(),
            sha256: sheet.sha256(),
            format: if file.format == Format::V1 { Format::V1 } else { Format::V2 }.name().to_owned(),
            thoughts: thoughts.len(),
            document: document.map_err(|e| Fail::data("bad-session", e.to_string()))?,
        };
        Ok(Self { base: Some(base), thoughts, ..Self::default() })
    }

    /// The export format: that of its base.
    pub(crate) fn format(&self) -> Format {
        match self.base.as_ref().map(|base| base.format.as_str()) {
            Some("v1") => Format::V1,
            _ => Format::V2,
        }
    }

    /// The number of thoughts beyond its base.
    pub(crate) fn added(&self) -> usize {
        self.thoughts.len().saturating_sub(self.base.as_ref().map_or(0, |base| base.thoughts))
    }

    /// Its thoughts, for judging.
    pub fn judged(&self) -> Result<Vec<Thought<'_>>, Fail> {
        let bad = |e: serde_json::Error| Fail::data("bad-thought", e.to_string());
        self.thoughts.iter().map(|raw| serde_json::from_str(raw).map_err(bad)).collect()
    }
}

/// Locks a session file against changes by others.
pub(crate) fn lock(home: &Home, path: &Path) -> Result<Lock, Fail> {
    let full = std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf());
    let name = format!("session-{}", &sha::hex(full.as_os_str().as_encoded_bytes())[..16]);
    Lock::take(&home.folder("locks")?.join(name), PATIENCE, "session-export")
}

/// Refuses a thought that does not follow at once: the gate before the work would refuse the whole session.
fn refuse(odd: &[Odd], kept: &LiveSession) -> Result<(), Fail> {
    let fresh = kept.base.is_some() && kept.added() == 0;
    for odd in odd {
        let message = match odd {
            // After an import the next subtask may start at 1 again.
            Odd::Restart if fresh => continue,
            Odd::Restart => "thought 1 is there already; clear the history before another task begins",
            Odd::Number(text) | Odd::Reference(text) => text,
        };
        return Err(Fail::data("bad-thought", message));
    }
    Ok(())
}

fn header(now: &str, base: Option<&Base>) -> Result<String, Fail> {
    #[derive(Serialize)]
    struct Header<'h> {
        #[serde(rename = "type")]
        kind: &'h str,
        version: u64,
        #[serde(rename = "createdAt")]
        created_at: &'h str,
        #[serde(skip_serializing_if = "Option::is_none")]
        base: Option<&'h Base>,
    }
    let header = Header { kind: "header", version: 2, created_at: now, base };
    serde_json::to_string(&header).map_err(|e| Fail::data("bad-header", e.to_string()))
}

/// The whole text of a live session.
fn whole(kept: &LiveSession, now: &str) -> Result<String, Fail> {
    let mut text = header(now, kept.base.as_ref())?;
    text.push('\n');
    for thought in &kept.thoughts {
        text.push_str(&typed(thought));
        text.push('\n');
    }
    Ok(text)
}

/// A thought as a line of the live session.
fn typed(thought: &str) -> String {
    match thought.strip_prefix("{}") {
        Some(_) => "{\"type\":\"thought\"}".to_owned(),
        None => format!("{{\"type\":\"thought\",{}", thought.trim_start_matches('{')),
    }
}

/// A line of the live session as a thought.
pub(crate) fn untyped(line: &str) -> Result<String, Fail> {
    let bad = |e: serde_json::Error| Fail::data("bad-thought", e.to_string());
    let mut members = crate::file::members(line).map_err(bad)?;
    if let Some(first) = members.iter().position(|(name, _)| name == "type") {
        members.remove(first);
    }
    Ok(around(&members))
}

/// Members as one object; `null` marks the position of the thoughts.
fn around(members: &Members<'_>) -> String {
    let mut out = String::from("{");
    for (index, (name, raw)) in members.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&Value::from(name.as_ref()).to_string());
        out.push(':');
        compact(raw.map_or("null", RawValue::get), &mut out);
    }
    out.push('}');
    out
}
