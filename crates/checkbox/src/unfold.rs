//! `checkbox unfold`: a plan that is made from another file, written once and never again.

use dialects::{Ask, expand};
use markdown::Text;
use std::path::{Path, PathBuf};
use toolkit::cli::env;
use toolkit::files::root::{self, Home};
use toolkit::files::{fs, lock};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::plan::PACKET;
use wire::{Plan, State, Task};

/// Folders of packets whose lists have a folder of their own beside them.
const PACKETS: [&str; 3] = [".kilocode/handoff", ".kilocode/handoffs", ".kilocode/packets"];

/// Prints the todo list of a handoff packet, and writes it if it is not there or the packet is a new one. The packet is
/// never edited.
pub(crate) fn packet(path: &Path, dry_run: bool, out: &mut Output) -> Result<Exit, Fail> {
    let top = root::find(path)?;
    let named = dialects::open_with(path, &top, &Ask::default())?;
    if path.extension().is_some_and(|end| end == "json") {
        let list = list_of(path, &top)?;
        let is_written = keep_up(&named, &list, &top, dry_run)?;
        out.line(&if is_written { &list } else { path }.to_string_lossy())?;
        return Ok(Exit::Ok);
    }
    let packet = named.extra.get(PACKET).and_then(|name| name.as_str());
    if !expand::is_run(&named) {
        return Err(not_prepared(path, packet));
    }
    if let Some(name) = packet {
        let packet = dialects::open_with(&root::inside(&top, name)?, &top, &Ask::default())?;
        keep_up(&packet, path, &top, dry_run)?;
    }
    out.line(&path.to_string_lossy())?;
    Ok(Exit::Ok)
}

/// A list or a summary that is no list of a run.
fn not_prepared(path: &Path, packet: Option<&str>) -> Fail {
    let message = match packet {
        Some(packet) => format!(
            "this is not the list of a run, which begins with 'Pre-Execution Gate:' and ends with 'Complete:'; remove it \
             and carry out the packet, which writes the list: orchestrate {packet}"
        ),
        None => "no preparation: run start-task first, which writes the packet .kilocode/handoff/TASK.json, then run: \
                 orchestrate TASK; without a preparation: orchestrate --profile checklist PLAN"
            .to_owned(),
    };
    Fail::new(Exit::NoInput, "no-preparation", message).in_file(path)
}

/// Writes the list of a packet if it is not there, and again if it is another packet's and not begun. Whether the list
/// is there and says what the packet says.
fn keep_up(packet: &Plan, list: &Path, top: &Path, dry_run: bool) -> Result<bool, Fail> {
    let mut run = expand::execute_task(packet)?;
    // What a packet calls complete is a claim: it has neither evidence nor a link in the chain of sessions.
    run.tasks.iter_mut().for_each(|task| task.state = State::Pending);
    let text = expand::todo_list(&run);
    let Some(bytes) = fs::read_if_there(list)? else {
        if !dry_run {
            within(top, list)?;
            fs::folder(list.parent().unwrap_or(top))?;
            fs::create_new(list, text.as_bytes())?;
        }
        return Ok(!dry_run);
    };
    let read = |bytes: &[u8]| dialects::read_packet(&Text { path: &list.to_string_lossy(), bytes });
    let (now, wanted) = (read(&bytes)?, read(text.as_bytes())?);
    let Some(difference) = difference(&now, &wanted) else { return Ok(true) };
    let is_begun = |task: &Task| task.id.as_str().starts_with("subtask-") && task.state != State::Pending;
    if now.tasks.iter().any(is_begun) {
        let message = format!(
            "the packet '{}' is a new one ({difference}), and the list is begun: remove the list to carry out the new \
             packet, or put the old packet back",
            packet.source.path
        );
        return Err(Fail::data("list-outdated", message).in_file(list));
    }
    if !dry_run {
        let home = Home::of(top)?;
        let _lock = lock::of_plan(&home, list, crate::STAGE)?;
        fs::replace(list, text.as_bytes(), &home.folder("tmp")?)?;
    }
    Ok(!dry_run)
}

/// The first line in which a list differs from the one that is wanted, in words.
fn difference(now: &Plan, wanted: &Plan) -> Option<String> {
    let (now, wanted) = (&now.tasks, &wanted.tasks);
    let titles = |tasks: &[Task], at: usize| tasks.get(at).map(|task| (task.id.clone(), task.title.clone()));
    let at = (0..now.len().max(wanted.len())).find(|at| titles(now, *at) != titles(wanted, *at))?;
    let shown =
        |tasks: &[Task]| tasks.get(at).map_or("nothing".to_owned(), |task| format!("'{}'", task.title));
    Some(format!("line {} is {} and would be {}", at + 1, shown(now), shown(wanted)))
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
