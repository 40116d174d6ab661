//! The process of an attempt: the worker's command, its prompt, its bounds.

use crate::acp;
use crate::adapters::adapter::{self, Ask, Prompt, RecordLocation};
use crate::args::Args;
use crate::attempt::choose_worker::{How, Worker};
use crate::guard::worker_commits;
use crate::isolate::pid_namespace;
use crate::isolate::sandbox::Walls;
use crate::shell::{self, task_steps};
use config::workers::{Network, Permissions, PromptBy};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Job, Limits, Stdin, Tail};
use toolkit::Fail;
use toolkit::cli::env;
use toolkit::files::fs;
use toolkit::files::root::inside;
use wire::Order;

/// The end of the output kept in memory: an answer beyond the log's limit is read from there.
const TAIL: Tail = Tail { lines: 2000, bytes: 1 << 20 };

/// The job of an attempt; `None` if the shell worker finds nothing to run.
pub(crate) fn of(
    args: &Args,
    order: &Order,
    worker: &Worker,
    body: &[u8],
    folder: &Path,
    session: &str,
    place: &Path,
) -> Result<Option<Job>, Fail> {
    let root = Path::new(&order.plan.root);
    let mut job = match &worker.how {
        How::Shell => {
            let command = match shell::command(body, folder)? {
                None => own_steps(order, folder)?,
                blocks => blocks,
            };
            let Some(command) = command else { return Ok(None) };
            let mut job = Job::new(command);
            job.env = shell::environment(order, folder);
            job
        }
        How::Client { program } => {
            let prompt = prompt(order)?;
            let ask = ask(worker, session, &prompt, folder);
            let arguments = (worker.adapter.arguments)(&ask);
            client(program, worker, &ask, arguments, &prompt)?
        }
        How::Acp { argv } => agent(&from_root(argv, root), worker, &prompt(order)?)?,
        How::Command { argv, prompt: by } => command(&from_root(argv, root), *by, worker, &prompt(order)?)?,
    };
    bound(args, order, worker, place, &mut job);
    enclose(args, root, worker, folder, &mut job)?;
    job.stdout_log = Some(folder.join("stdout.log"));
    job.stderr_log = Some(folder.join("stderr.log"));
    if let Some(handoff) = &order.handoff {
        for (name, file) in [("PLANTOOLS_PROMPT", &handoff.prompt), ("PLANTOOLS_PACKET", &handoff.packet)] {
            job.env.push((name.into(), inside(root, &file.path)?.into_os_string()));
        }
    }
    Ok(Some(job))
}

/// The steps of the task's own file, if it has one.
fn own_steps(order: &Order, folder: &Path) -> Result<Option<Vec<OsString>>, Fail> {
    let Some(detail) = &order.task.detail else { return Ok(None) };
    let bytes = fs::read(&inside(Path::new(&order.plan.root), &detail.path)?)?;
    // A file that is not JSON was refused when the task was handed out.
    serde_json::from_slice(&bytes)
        .map_or(Ok(None), |file| task_steps::command(&file, folder, Path::new(&order.plan.root)))
}

/// The job that asks the same session for its answer once more; `None` if the client does not support it.
pub(crate) fn again(
    args: &Args,
    order: &Order,
    worker: &Worker,
    folder: &Path,
    session: &str,
    place: &Path,
) -> Result<Option<Job>, Fail> {
    const QUESTION: &str = "Your last message holds no answer that can be read. Do no further work and change no \
        file. Answer with one JSON object and nothing else, with the fields that the task asked for; `status` is \
        SUCCESS, PARTIAL or ERROR.\n";
    let (How::Client { program }, Some(arguments)) = (&worker.how, worker.adapter.again) else {
        return Ok(None);
    };
    let prompt = folder.join("again.md");
    fs::create_unsynced(&prompt, QUESTION.as_bytes())?;
    let ask = ask(worker, session, &prompt, folder);
    let mut job = client(program, worker, &ask, arguments(&ask, session), &prompt)?;
    bound(args, order, worker, place, &mut job);
    enclose(args, Path::new(&order.plan.root), worker, folder, &mut job)?;
    job.limits.timeout = job.limits.timeout.map(|all| all.min(Duration::from_secs(300)));
    job.stdout_log = Some(folder.join("stdout-again.log"));
    job.stderr_log = Some(folder.join("stderr-again.log"));
    Ok(Some(job))
}

fn ask<'a>(worker: &'a Worker, session: &'a str, prompt: &'a Path, folder: &'a Path) -> Ask<'a> {
    Ask {
        session,
        model: worker.model.as_deref(),
        agent: worker.rule.agent.as_deref(),
        max_turns: worker.rule.max_turns,
        max_cost: worker.rule.max_cost,
        permissions: worker.rule.permissions,
        prompt,
        folder,
    }
}

/// A client by its own command.
fn client(
    program: &OsString,
    worker: &Worker,
    ask: &Ask<'_>,
    arguments: Vec<OsString>,
    prompt: &Path,
) -> Result<Job, Fail> {
    let more = worker.rule.args.iter().map(OsString::from);
    // The client's own arguments end with the one that reads the prompt; others go before it.
    let mut argv: Vec<OsString> = vec![program.clone()];
    let last = arguments.last().filter(|word| *word == "-").cloned();
    argv.extend(arguments.into_iter().filter(|word| Some(word) != last.as_ref()));
    argv.extend(more);
    argv.extend(last);
    let mut job = Job::new(argv);
    match worker.adapter.prompt {
        Prompt::Stdin => job.stdin = Stdin::File(prompt.to_path_buf()),
        Prompt::Last => job.argv.push(text_of(prompt)?),
        Prompt::Named => {}
    }
    let environment = (worker.adapter.environment)(ask);
    job.env.extend(environment.into_iter().map(|(name, value)| (name.into(), value.into())));
    Ok(job)
}

/// A program given by a path is relative to the root, even if the worker has its own worktree.
fn from_root(argv: &[OsString], root: &Path) -> Vec<OsString> {
    let mut argv = argv.to_vec();
    if let Some(program) = argv.first_mut().filter(|program| Path::new(program).components().count() > 1) {
        *program = root.join(&*program).into_os_string();
    }
    argv
}

/// An agent is driven by this program in a process of its own.
fn agent(argv: &[OsString], worker: &Worker, prompt: &Path) -> Result<Job, Fail> {
    let itself = std::env::current_exe().map_err(|e| Fail::io(Path::new("worker-run"), &e))?;
    let is_one_of_all = itself.file_name().is_none_or(|name| name != "worker-run");
    let mut words = vec![itself.into_os_string()];
    words.extend(is_one_of_all.then(|| "worker-run".into()));
    words.extend(["--drive-acp".into(), "--".into()]);
    words.extend(argv.iter().cloned());
    let mut job = Job::new(words);
    job.stdin = Stdin::File(prompt.to_path_buf());
    let rights = if worker.rule.permissions == Permissions::All { "all" } else { "edit" };
    let model = worker.model.clone().unwrap_or_default();
    job.env.extend([(acp::PERMISSIONS.into(), rights.into()), (acp::MODEL.into(), model.into())]);
    Ok(job)
}

/// A complete command gets its prompt as configured.
fn command(argv: &[OsString], by: PromptBy, worker: &Worker, prompt: &Path) -> Result<Job, Fail> {
    let mut job = Job::new(argv.iter().cloned());
    if let (Some(flag), Some(model)) = (&worker.rule.model_flag, &worker.model) {
        job.argv.extend([flag.into(), model.into()]);
    }
    match by {
        PromptBy::Stdin => job.stdin = Stdin::File(prompt.to_path_buf()),
        PromptBy::Arg => job.argv.push(text_of(prompt)?),
        PromptBy::File => job.argv.push(prompt.into()),
    }
    Ok(job)
}

fn bound(args: &Args, order: &Order, worker: &Worker, place: &Path, job: &mut Job) {
    job.cwd = place.to_path_buf();
    job.limits = Limits {
        timeout: Some(Duration::from_secs(worker.timeout_seconds)),
        stall: Some(Duration::from_secs(worker.stall_seconds)),
        grace: Duration::from_secs(args.grace_seconds),
        ..Limits::default()
    };
    job.tail = TAIL;
    job.env.extend(worker.rule.env.iter().map(|(name, value)| (name.into(), value.into())));
    job.env.extend(durable_git());
    let attempt = format!("{}/{}/{}", order.run, order.task.key, order.attempt);
    let (name, mark) = worker_commits::environment(&attempt);
    job.env.push((name.into(), mark.into()));
    job.env.push((env::ATTEMPT.into(), attempt.into()));
}

/// Makes a worker's commits survive a power cut: by default git syncs neither its index nor its branches, and a torn
/// one blocks every later run. Values already set in the environment stay.
fn durable_git() -> [(OsString, OsString); 3] {
    const COUNT: &str = "GIT_CONFIG_COUNT";
    let set: u32 = env::get(COUNT).and_then(|count| count.parse().ok()).unwrap_or(0);
    let pair = |name: String, value: &str| (OsString::from(name), OsString::from(value));
    [
        pair(format!("GIT_CONFIG_KEY_{set}"), "core.fsync"),
        pair(format!("GIT_CONFIG_VALUE_{set}"), "all"),
        pair(COUNT.to_owned(), &(set + 1).to_string()),
    ]
}

/// Wraps the command as requested. A sandbox includes a PID namespace.
fn enclose(args: &Args, root: &Path, worker: &Worker, folder: &Path, job: &mut Job) -> Result<(), Fail> {
    let command = std::mem::take(&mut job.argv);
    if !worker.sandbox {
        job.argv = pid_namespace::wrap(args.contain, command)?;
        return Ok(());
    }
    let variable = |name: &str| worker.rule.env.get(name).cloned().or_else(|| env::get(name));
    let home = variable("HOME").map(PathBuf::from);
    let named = |path: &String| match (path.strip_prefix("~/"), &home) {
        (Some(below), Some(home)) => home.join(below),
        _ => root.join(path),
    };
    let mut writable: Vec<PathBuf> = worker.rule.writable.iter().map(named).collect();
    let place = RecordLocation { session: "", folder, tree: &job.cwd, variable: &variable };
    match &worker.how {
        How::Shell => writable.push(shell::output_file(folder)),
        How::Acp { argv } => {
            let client = argv.first().and_then(|program| adapter::behind(program));
            writable.extend(client.map(|client| place.state(client)).unwrap_or_default());
        }
        _ => writable.extend(place.state(worker.adapter)),
    }
    // A client that has never run has no folder yet, and can make none in a home folder that is read-only.
    for folder in writable.iter().skip(worker.rule.writable.len()).filter(|path| path.extension().is_none()) {
        if !matches!(worker.how, How::Shell) && !folder.exists() {
            fs::private_folder(folder)?;
        }
    }
    let programs = [command.first(), agent_program(worker)].into_iter().flatten().map(PathBuf::from);
    let needed = home.into_iter().chain(programs).collect();
    let network = worker.network == Network::All;
    let walls = Walls { root, place: &job.cwd, writable, needed, network };
    let (walled, private) = walls.around(command)?;
    job.argv = walled;
    job.env.push(("TMPDIR".into(), private.into()));
    Ok(())
}

/// The program of an agent, which another one drives.
fn agent_program(worker: &Worker) -> Option<&OsString> {
    match &worker.how {
        How::Acp { argv } => argv.first(),
        _ => None,
    }
}

fn prompt(order: &Order) -> Result<PathBuf, Fail> {
    let handoff = order.handoff.as_ref();
    let handoff =
        handoff.ok_or_else(|| Fail::data("no-prompt", "the order has no 'handoff'; run handoff before"))?;
    inside(Path::new(&order.plan.root), &handoff.prompt.path)
}

fn text_of(prompt: &Path) -> Result<OsString, Fail> {
    Ok(String::from_utf8_lossy(&fs::read(prompt)?).into_owned().into())
}

/// A unique session name in the form of a UUID, which some clients require.
pub(crate) fn session_id(order: &Order) -> String {
    let pid = std::process::id();
    let start = supervise::processes::start_time(pid);
    let what =
        format!("{}/{}/{}/{}/{pid}/{start:?}", order.plan.root, order.run, order.task.key, order.attempt);
    let hex = toolkit::files::sha::hex(what.as_bytes());
    format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[13..16], &hex[17..20], &hex[20..32])
}
