//! Where to go on after an interruption: the last whole link, and what comes after it.

use crate::chain::Chain;
use crate::name::Position;
use crate::{Sheet, packet};
use std::path::Path;
use toolkit::Fail;
use wire::chain::{RESUME, ResumeDoc};

/// Says where to go on.
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

/// How many subtasks a preparation foresees, if it says so.
fn planned(prep: &Path) -> Option<u64> {
    let sheet = Sheet::open(prep).ok()?;
    let count = packet::subtasks(&sheet).len() as u64;
    (count > 0).then_some(count)
}
