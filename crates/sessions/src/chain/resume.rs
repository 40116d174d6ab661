//! Where to continue after an interruption: the last intact link, and the next step.

use crate::chain::Chain;
use crate::file::name::Position;
use crate::{SessionText, packet};
use std::path::Path;
use toolkit::Fail;
use wire::chain::{RESUME, ResumeDoc};

/// Finds where to continue.
pub fn resume(chain: &Chain) -> Result<ResumeDoc, Fail> {
    let subtasks = match chain.at(Position::Prep) {
        Some(prep) => planned(Path::new(&prep.path)),
        None => None,
    };
    let next = match (chain.last_position(), subtasks) {
        (None, _) => "prep".to_owned(),
        (Some(Position::Tests), _) => "done".to_owned(),
        (Some(last), subtasks) => {
            let next = if let Position::Subtask(number) = last { number + 1 } else { 1 };
            match subtasks {
                Some(count) if u64::from(next) > count => Position::Tests.to_string(),
                _ => Position::Subtask(next).to_string(),
            }
        }
    };
    let document = chain.document();
    Ok(ResumeDoc {
        schema: RESUME.to_owned(),
        task: document.task,
        last: chain.last_whole().cloned(),
        next,
        subtasks,
        problems: document.problems,
    })
}

/// The number of subtasks that a preparation plans, if it states one.
fn planned(prep: &Path) -> Option<u64> {
    let sheet = SessionText::open(prep).ok()?;
    let count = packet::subtasks(&sheet).len() as u64;
    (count > 0).then_some(count)
}
