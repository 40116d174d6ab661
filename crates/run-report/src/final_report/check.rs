//! `--check`: is anything left to do before stopping?

use crate::args::{Args, Format};
use crate::plain_text::plain;
use repo::git::{Call, Git};
use std::path::Path;
use toolkit::files::root::{self, Home};
use toolkit::stream::output::Output;
use toolkit::{Exit, Fail};
use wire::report::Report;

/// Lists every open item; the answer is no if there is one, and stuck if only a person can settle the rest.
pub(crate) fn answer(args: &Args, mut report: Report, out: &mut Output) -> Result<Exit, Fail> {
    if args.pushed {
        report.open.extend(unpushed(args.file.as_deref().unwrap_or(Path::new(".")))?);
    }
    if args.format == Format::Json {
        out.document(&report, false)?;
    } else {
        for item in &report.open {
            out.line(&plain(item))?;
        }
    }
    let goals = report.goals.iter().filter(|goal| goal.open).count();
    Ok(match report.open.len() {
        0 => Exit::Ok,
        open if open == goals => Exit::Stuck,
        _ => Exit::No,
    })
}

/// The part of the branch that its remote does not have.
fn unpushed(plan: &Path) -> Result<Option<String>, Fail> {
    let root = root::find(plan)?;
    if !root::has_git(&root) {
        return Ok(Some("nothing is pushed: there is no git repository".to_owned()));
    }
    let git = Git::new(Home::of(&root)?);
    let answer = git.ask(&Call::of(&["rev-list", "--count", "@{upstream}..HEAD"]))?;
    if !answer.status.success() {
        return Ok(Some("nothing is pushed: the branch follows no remote branch".to_owned()));
    }
    let count = String::from_utf8_lossy(&answer.out).trim().to_owned();
    Ok((count != "0").then(|| format!("commits that are not pushed: {count}")))
}
