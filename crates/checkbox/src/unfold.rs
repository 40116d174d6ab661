//! `checkbox unfold`: a plan that is made from another file, written once and never again.

use dialects::Ask;
use std::path::{Path, PathBuf};
use toolkit::cli::env;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, lock};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};

/// Folders of packets whose lists have a folder of their own beside them.
const PACKETS: [&str; 3] = [".kilocode/handoff", ".kilocode/handoffs", ".kilocode/packets"];

/// Prints the todo list of a handoff packet, and writes it if it is not there. The packet is never edited.
pub(crate) fn packet(path: &Path, dry_run: bool, out: &mut Output) -> Result<Exit, Fail> {
    if path.extension().is_none_or(|end| end != "json") {
        out.line(&path.to_string_lossy())?;
        return Ok(Exit::Ok);
    }
    let top = root::find(path)?;
    let list = list_of(path, &top)?;
    if !list.exists() && !dry_run {
        let plan = dialects::open_with(path, &top, &Ask::default())?;
        let text = dialects::expand::todo_list(&dialects::expand::execute_task(&plan)?);
        within(&top, &list)?;
        fs::folder(list.parent().unwrap_or(&top))?;
        fs::create_new(&list, text.as_bytes())?;
    }
    let plan = if list.exists() { &list } else { path };
    out.line(&plan.to_string_lossy())?;
    Ok(Exit::Ok)
}

/// Where the list of a packet stands.
fn list_of(packet: &Path, top: &Path) -> Result<PathBuf, Fail> {
    if let Some(list) = env::get("PLANTOOLS_TODO") {
        return Ok(list.into());
    }
    let real = packet.canonicalize().map_err(|e| Fail::io(packet, &e))?;
    let folder = real.parent().unwrap_or(top);
    let name = Path::new(packet.file_name().unwrap_or_default()).with_extension("md");
    let is_kit = PACKETS.iter().any(|known| folder.ends_with(known));
    Ok(if is_kit { top.join(".kilocode/todo").join(name) } else { folder.join(name) })
}

/// Refuses a list that a link leads out of the repository.
fn within(top: &Path, list: &Path) -> Result<(), Fail> {
    let named = std::path::absolute(list).map_err(|e| Fail::io(list, &e))?;
    let outside = || Fail::data("path-outside", format!("'{}' leaves '{}'", list.display(), top.display()));
    let below = named.strip_prefix(top).map_err(|_| outside())?;
    root::inside(top, &below.to_string_lossy()).map(drop)
}

/// Prints the path of the runbook of the reviews that follow test-driven steps, and writes it if it is not there; a dry
/// run prints its text.
pub(crate) fn reviews(path: &Path, range: &str, dry_run: bool, out: &mut Output) -> Result<Exit, Fail> {
    let top = root::find(path)?;
    let home = Home::of(&top)?;
    let plan = dialects::open(path, &top, None)?;
    let named = Path::new(&plan.source.path);
    let folder = if path.is_dir() { named } else { named.parent().unwrap_or(named) };
    if dry_run {
        out.text(&text(&folder.to_string_lossy(), range))?;
        return Ok(Exit::Ok);
    }
    let run = lock::of_run(&home, path)?;
    let name = run.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let file = home.folder(&format!("reviews/{name}"))?.join("runbook.md");
    if fs::read_if_there(&file)?.unwrap_or_default().is_empty() {
        fs::create(&file, text(&folder.to_string_lossy(), range).as_bytes())?;
    }
    out.line(&file.to_string_lossy())?;
    Ok(Exit::Ok)
}

/// Two steps: a review of the result, then one of the process.
fn text(folder: &str, range: &str) -> String {
    format!(
        "# Reviews of {folder}\n\n\
         ## Step 1: Vet review of TDD execution\n\n\
         **Agent**: vet-fix-agent\n\n\
         Review all changes from TDD execution. Write report to {folder}/reports/vet-review.md\n\
         The commits are {range}. Fix what you can.\n\n\
         **Report Path**: `{folder}/reports/vet-review.md`\n\n\
         ## Step 2: TDD process quality analysis\n\n\
         **Agent**: review-tdd-process\n\n\
         Analyze TDD execution for runbook: {folder}/runbook.md\n\
         Commit range: {range}\n\
         Write report to: {folder}/reports/tdd-process-review.md\n\n\
         **Report Path**: `{folder}/reports/tdd-process-review.md`\n"
    )
}
