//! What is started for an attempt: the worker's command, its prompt, its bounds.

use crate::args::Args;
use crate::choose::{How, Worker};
use crate::shell;
use crate::watch::Before;
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use supervise::{Job, Limits, Stdin};
use toolkit::config::PromptBy;
use toolkit::root::inside;
use toolkit::{Fail, env, fs};
use wire::Order;

/// The job of an attempt; `None` if the shell worker finds nothing to run.
pub(crate) fn of(
    args: &Args,
    order: &Order,
    worker: &Worker,
    before: &Before,
    folder: &Path,
) -> Result<Option<Job>, Fail> {
    let root = Path::new(&order.plan.root);
    let mut job = match &worker.how {
        How::Shell => {
            let body = before.field.body(&order.task);
            let Some(command) = shell::command(body, folder)? else { return Ok(None) };
            let mut job = Job::new(command);
            job.env = shell::environment(order, folder);
            job
        }
        How::Program { argv, prompt } => program(argv, *prompt, order)?,
    };
    job.cwd = root.to_path_buf();
    job.stdout_log = Some(folder.join("stdout.log"));
    job.stderr_log = Some(folder.join("stderr.log"));
    job.limits = Limits {
        timeout: Some(Duration::from_secs(worker.timeout_seconds)),
        stall: Some(Duration::from_secs(worker.stall_seconds)),
        grace: Duration::from_secs(args.grace_seconds),
        ..Limits::default()
    };
    job.env.extend(worker.env.iter().map(|(name, value)| (name.into(), value.into())));
    job.env.push((env::ATTEMPT.into(), format!("{}/{}/{}", order.run, order.task.key, order.attempt).into()));
    if let Some(handoff) = &order.handoff {
        for (name, file) in [("PLANTOOLS_PROMPT", &handoff.prompt), ("PLANTOOLS_PACKET", &handoff.packet)] {
            job.env.push((name.into(), inside(root, &file.path)?.into_os_string()));
        }
    }
    Ok(Some(job))
}

/// Somebody else's program gets its prompt as the configuration says.
fn program(command: &[OsString], by: PromptBy, order: &Order) -> Result<Job, Fail> {
    let handoff = order.handoff.as_ref();
    let handoff =
        handoff.ok_or_else(|| Fail::data("no-prompt", "the order has no 'handoff'; run handoff before"))?;
    let prompt = inside(Path::new(&order.plan.root), &handoff.prompt.path)?;
    let mut job = Job::new(command.iter().cloned());
    match by {
        PromptBy::Stdin => job.stdin = Stdin::File(prompt),
        PromptBy::Arg => job.argv.push(String::from_utf8_lossy(&fs::read(&prompt)?).into_owned().into()),
        PromptBy::File => job.argv.push(prompt.into_os_string()),
    }
    Ok(job)
}
