//! What is started for an attempt: the worker's command, its prompt, its bounds.

use crate::adapter::{Ask, Prompt};
use crate::args::Args;
use crate::choose::{How, Worker};
use crate::{contain, shell};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use supervise::{Job, Limits, Stdin, Tail};
use toolkit::root::inside;
use toolkit::workers::PromptBy;
use toolkit::{Fail, env, fs};
use wire::Order;

/// The end of the output that is kept at hand: an answer that comes after more output than a log holds is read there.
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
            let Some(command) = shell::command(body, folder)? else { return Ok(None) };
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
        How::Command { argv, prompt: by } => command(&from_root(argv, root), *by, worker, &prompt(order)?)?,
    };
    bound(args, order, worker, place, &mut job);
    job.argv = contain::wrap(args.contain, job.argv)?;
    job.stdout_log = Some(folder.join("stdout.log"));
    job.stderr_log = Some(folder.join("stderr.log"));
    if let Some(handoff) = &order.handoff {
        for (name, file) in [("PLANTOOLS_PROMPT", &handoff.prompt), ("PLANTOOLS_PACKET", &handoff.packet)] {
            job.env.push((name.into(), inside(root, &file.path)?.into_os_string()));
        }
    }
    Ok(Some(job))
}

/// The job that asks the same session for its answer once more; `None` where the client cannot be asked.
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
    fs::create(&prompt, QUESTION.as_bytes())?;
    let ask = ask(worker, session, &prompt, folder);
    let mut job = client(program, worker, &ask, arguments(&ask, session), &prompt)?;
    bound(args, order, worker, place, &mut job);
    job.argv = contain::wrap(args.contain, job.argv)?;
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
    // The client's own arguments end with what reads the prompt; more of them go before.
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

/// A program that is named by a path is found from the root, also where the worker has a tree of its own.
fn from_root(argv: &[OsString], root: &Path) -> Vec<OsString> {
    let mut argv = argv.to_vec();
    if let Some(program) = argv.first_mut().filter(|program| Path::new(program).components().count() > 1) {
        *program = root.join(&*program).into_os_string();
    }
    argv
}

/// A command that somebody wrote down whole gets its prompt as the configuration says.
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
    let attempt = format!("{}/{}/{}", order.run, order.task.key, order.attempt);
    job.env.push((env::ATTEMPT.into(), attempt.into()));
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
