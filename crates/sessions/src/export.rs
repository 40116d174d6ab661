//! Exports the live session to its file: completely or not at all, and never over thoughts that it does not contain.

pub(crate) mod compose;

use crate::chain::{self, Chain};
use crate::export::compose::{Changed, Export};
use crate::file::name::{Name, Position};
use crate::file::{Members, members};
use crate::live::{self, Base, Live, LiveSession};
use crate::{SessionText, summary};
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, sha};
use toolkit::{Exit, Fail};
use wire::chain::{LINK, Link, LinkDoc, Seal};
use wire::digest::Sealed;

/// The target of an export.
#[derive(Debug, Clone)]
pub struct Target {
    /// The file.
    pub path: PathBuf,
    /// Its position in the chain; `None` for a file that is not a link.
    pub place: Option<(String, Position)>,
    /// What to do about thoughts that only the existing file contains.
    pub over: Over,
}

/// What to do about thoughts that only the replaced file contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// Refuse the export.
    Refuse,
    /// Discard them.
    Replace,
}

impl Target {
    /// A link under its name in a folder.
    pub fn link(dir: &Path, task: &str, position: Position, date: &str, over: Over) -> Self {
        let path = dir.join(Name::new(task, position, date).file());
        Self { path, place: Some((task.to_owned(), position)), over }
    }

    /// A file; it is a link if its name is that of a link.
    pub fn file(path: &Path, over: Over) -> Self {
        let name = path.file_name().and_then(|name| Name::parse(name.to_str()?));
        Self { path: path.to_path_buf(), place: name.map(|name| (name.task, name.position)), over }
    }
}

/// Writes the live session to its target.
pub fn export(live: &Live, target: &Target, now: &str) -> Result<LinkDoc, Fail> {
    // Keep the live session locked until the file is written, so that an earlier state never replaces a later one.
    let _live = live.lock()?;
    let kept = live.read()?;
    if kept.thoughts.is_empty() {
        return Err(Fail::data("empty-session", "there is no thought to export").in_file(live.path()));
    }
    let link =
        target.place.as_ref().map(|(task, position)| place(target, task, *position, kept.base.as_ref()));
    let link = link.transpose()?;
    let changed = if kept.added() > 0 || link.is_some() { Changed::At(now.to_owned()) } else { Changed::No };
    write(&kept, target, changed, link)
}

/// Writes a session to its target, under a lock on the target.
pub(crate) fn write(
    kept: &LiveSession,
    target: &Target,
    changed: Changed,
    link: Option<Link>,
) -> Result<LinkDoc, Fail> {
    let format = kept.format();
    let document = kept.base.as_ref().map_or("{}", |base| base.document.get());
    let read = members(document).map_err(|e| Fail::data("bad-header", e.to_string()))?;
    let place = |(name, raw): (_, _)| if name == "thoughts" { (name, None) } else { (name, raw) };
    let members: Members<'_> = read.into_iter().map(place).collect();
    let export = Export {
        format,
        members: &members,
        thoughts: kept.thoughts.iter().map(String::as_str).collect(),
        changed,
        link,
    };
    let (text, chain) = export.text()?;
    put(target, &text, &kept.thoughts)?;
    let judged = kept.judged()?;
    Ok(LinkDoc {
        schema: LINK.to_owned(),
        path: target.path.display().to_string(),
        sha256: sha::hex(text.as_bytes()),
        format: format.name().to_owned(),
        thoughts: kept.thoughts.len() as u64,
        stage_counts: summary::count(&judged),
        chain,
    })
}

/// An existing link as a document.
pub(crate) fn written(path: &Path, link: Link) -> Result<LinkDoc, Fail> {
    let sheet = SessionText::open(path)?;
    let file = sheet.thoughts()?;
    Ok(LinkDoc {
        schema: LINK.to_owned(),
        path: path.display().to_string(),
        sha256: sheet.sha256(),
        format: file.format.name().to_owned(),
        thoughts: file.thoughts.len() as u64,
        stage_counts: summary::count(&file.thoughts),
        chain: sheet.link()?.or(Some(link)),
    })
}

fn put(target: &Target, text: &str, thoughts: &[String]) -> Result<(), Fail> {
    let path = &target.path;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::folder(folder)?;
    let home = Home::of(&root::find(folder)?)?;
    let _lock = live::lock(&home, path)?;
    if let Some(old) = fs::read_if_there(path)? {
        if old == text.as_bytes() {
            return Ok(());
        }
        if target.over == Over::Refuse {
            spare(path, old, thoughts)?;
        }
    }
    fs::replace(path, text.as_bytes(), &home.folder("tmp")?)
}

/// Refuses to overwrite thoughts that the new file does not contain, and a file that is not a session.
fn spare(path: &Path, old: Vec<u8>, thoughts: &[String]) -> Result<(), Fail> {
    let held: HashSet<&str> = thoughts.iter().map(String::as_str).collect();
    let old = SessionText::of(&path.display().to_string(), old)?;
    let lost = old.compact()?.into_iter().filter(|thought| !held.contains(thought.as_str())).count();
    if lost > 0 {
        let message = format!("{lost} of its thoughts are not in the live session and would be lost");
        return Err(Fail::new(Exit::No, "would-lose", message).in_file(path));
    }
    Ok(())
}

/// The chain entry of a link: made from the last link before it, in its current state.
fn place(target: &Target, task: &str, position: Position, base: Option<&Base>) -> Result<Link, Fail> {
    let link =
        Link { task: task.to_owned(), link: position.to_string(), parent: None, seal: Seal::default() };
    if position == Position::Prep {
        return Ok(link);
    }
    let dir = target.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let parent = expected(dir, task, position)?;
    let bad = |code, message: String| Fail::data(code, message).in_file(&target.path);
    let Some(base) = base else {
        let message = format!("'{position}' follows '{}', which was not imported", parent.path);
        return Err(bad("missing-link", message));
    };
    let name = Path::new(&base.path).file_name().map(|name| name.to_string_lossy().into_owned());
    if name.as_deref() != Some(parent.path.as_str()) {
        let message = format!("'{position}' follows '{}', but '{}' was imported", parent.path, base.path);
        return Err(bad("forked-link", message));
    }
    if base.sha256 != parent.sha256 {
        return Err(bad("edited-link", format!("'{}' was changed after it was imported", parent.path)));
    }
    Ok(Link { parent: Some(parent), ..link })
}

/// The link that must precede this position; the chain up to there must be intact.
pub(crate) fn expected(dir: &Path, task: &str, position: Position) -> Result<Sealed, Fail> {
    let chain = Chain::read(dir, task)?;
    if let Some(problem) = chain
        .problems()
        .iter()
        .find(|problem| Position::parse(&problem.link).is_none_or(|link| link < position))
    {
        return Err(Fail::data(chain::code(&problem.code), problem.message.clone()).in_file(dir));
    }
    let Some(parent) = chain.before(position) else {
        return Err(Fail::data("missing-link", format!("nothing stands before '{position}'")).in_file(dir));
    };
    let file = Path::new(&parent.path).file_name().unwrap_or_default().to_string_lossy().into_owned();
    Ok(Sealed { path: file, sha256: parent.sha256.clone() })
}
