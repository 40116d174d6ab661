//! The content of a session on one page.

pub(crate) mod brief;
pub mod source;

use crate::file::{File, Format};
use crate::summary::brief::Brief;
use crate::thought::stage::{STAGES, Stage};
use crate::{LiveSession, Thought};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use toolkit::Fail;
use wire::Session;
use wire::session::{Branch, Completion, Moment, SCHEMA, TagCount};

/// The number of tags to show.
const TOP_TAGS: usize = 5;

/// Summarises a session; the caller adds its digest.
pub fn summary(path: &str, file: &File<'_, Thought<'_>>) -> Session {
    let thoughts = &file.thoughts;
    let mut problems = file.problems.clone();
    let counts = count(thoughts);
    problems.extend(thoughts.iter().filter(|thought| thought.stage().is_none()).map(|thought| {
        format!("thought {} has no known stage: '{}'", thought.thought_number, thought.stage.str())
    }));
    let brief = Brief::of(thoughts);
    Session {
        schema: SCHEMA.to_owned(),
        path: path.to_owned(),
        format: file.format.name().to_owned(),
        thoughts: thoughts.len() as u64,
        current_stage: current_stage(thoughts).map(|stage| stage.name().to_owned()),
        complete: counts.contains_key(Stage::Conclusion.name()),
        completion: completion(thoughts, counts.len() == STAGES.len()),
        branches: branches(thoughts),
        revisions: thoughts.iter().filter(|thought| thought.is_revision).count() as u64,
        top_tags: top_tags(thoughts),
        approach: brief.approach,
        success_criteria: brief.success_criteria,
        risks: brief.risks,
        problems,
        timeline: timeline(thoughts),
        stage_counts: counts,
        ..Session::default()
    }
}

/// Summarises the live session.
pub fn of_live(path: &str, kept: &LiveSession) -> Result<Session, Fail> {
    let file =
        File { format: Format::Jsonl, members: Vec::new(), thoughts: kept.judged()?, problems: Vec::new() };
    Ok(summary(path, &file))
}

/// The number of thoughts of each stage; stages without one are left out.
pub fn count(thoughts: &[Thought<'_>]) -> BTreeMap<String, u64> {
    let mut counts = [0_u64; STAGES.len()];
    for stage in thoughts.iter().filter_map(Thought::stage) {
        counts[stage as usize] += 1;
    }
    let there = STAGES.into_iter().zip(counts).filter(|(_, count)| *count > 0);
    there.map(|(stage, count)| (stage.name().to_owned(), count)).collect()
}

/// The stage of the last thought.
pub fn current_stage(thoughts: &[Thought<'_>]) -> Option<Stage> {
    thoughts.last().and_then(Thought::stage)
}

/// The summary for people.
pub fn text(session: &Session) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{}: {} thoughts, {}", session.path, session.thoughts, session.format);
    for stage in STAGES {
        let count = session.stage_counts.get(stage.name()).copied().unwrap_or(0);
        let _ = writeln!(out, "  {:<19}{count:>4}", stage.name());
    }
    let current = session.current_stage.as_deref().unwrap_or("none");
    let _ =
        writeln!(out, "current stage: {current}; {:.0} % of what was foreseen", session.completion.percent);
    if let Some(approach) = &session.approach {
        let _ = writeln!(out, "approach: {}", approach.approach);
        if !approach.rationale.is_empty() {
            let _ = writeln!(out, "  because: {}", approach.rationale);
        }
    }
    list(&mut out, "success criteria", &session.success_criteria);
    let risks = session.risks.iter().map(|risk| match risk.mitigation.as_str() {
        "" => risk.risk.clone(),
        mitigation => format!("{} → {mitigation}", risk.risk),
    });
    list(&mut out, "risks", &risks.collect::<Vec<_>>());
    let branches = session.branches.iter().map(|branch| format!("{} ({})", branch.id, branch.thoughts));
    list(&mut out, "branches", &branches.collect::<Vec<_>>());
    let tags = session.top_tags.iter().map(|tag| format!("{} ({})", tag.tag, tag.count));
    list(&mut out, "tags", &tags.collect::<Vec<_>>());
    list(&mut out, "problems", &session.problems);
    out
}

fn list(out: &mut String, name: &str, items: &[String]) {
    if !items.is_empty() {
        let _ = writeln!(out, "{name}:");
    }
    for item in items {
        let _ = writeln!(out, "  - {item}");
    }
}

/// The main line as a share of the plan: revisions and branches do not advance a session.
fn completion(thoughts: &[Thought<'_>], all_stages: bool) -> Completion {
    let main = thoughts.iter().filter(|thought| !thought.is_revision && thought.branch_id.is_none());
    let (count, foreseen) =
        main.fold((0_u64, 0), |(count, most), thought| (count + 1, most.max(thought.total_thoughts)));
    #[expect(clippy::cast_precision_loss, reason = "no session has 2^53 thoughts")]
    let percent = if foreseen == 0 { 0.0 } else { count as f64 / foreseen as f64 * 100.0 };
    Completion { all_stages, percent }
}

fn branches(thoughts: &[Thought<'_>]) -> Vec<Branch> {
    let mut places: HashMap<&str, usize> = HashMap::new();
    let mut branches: Vec<Branch> = Vec::new();
    for thought in thoughts {
        let Some(id) = &thought.branch_id else { continue };
        let place = *places.entry(id.str()).or_insert_with(|| {
            branches.push(Branch { id: id.str().to_owned(), from: thought.branch_from_thought, thoughts: 0 });
            branches.len() - 1
        });
        branches[place].thoughts += 1;
    }
    branches
}

/// The most used tags; equal ones in the order of first use.
fn top_tags(thoughts: &[Thought<'_>]) -> Vec<TagCount> {
    let mut counts: HashMap<&str, (usize, u64)> = HashMap::new();
    for tag in thoughts.iter().flat_map(|thought| &thought.tags) {
        let next = counts.len();
        counts.entry(tag.str()).or_insert((next, 0)).1 += 1;
    }
    let mut ranked: Vec<_> = counts.into_iter().collect();
    ranked.sort_unstable_by_key(|(_, (place, count))| (Reverse(*count), *place));
    let shown = ranked.into_iter().take(TOP_TAGS);
    shown.map(|(tag, (_, count))| TagCount { tag: tag.to_owned(), count }).collect()
}

fn timeline(thoughts: &[Thought<'_>]) -> Vec<Moment> {
    let mut ordered: Vec<&Thought<'_>> = thoughts.iter().collect();
    ordered.sort_by_key(|thought| thought.thought_number);
    let moment = |thought: &Thought<'_>| Moment {
        number: thought.thought_number,
        stage: thought
            .stage()
            .map_or_else(|| thought.stage.str().to_owned(), |stage| stage.name().to_owned()),
        revision: thought.is_revision,
        branch: thought.branch_id.as_ref().map(|id| id.str().to_owned()),
    };
    ordered.into_iter().map(moment).collect()
}

#[cfg(test)]
mod tests {
    use super::{summary, text};
    use crate::SessionText;

    const SESSION: &str = r#"{"version":2,"thoughts":[
        {"thought":"a","thoughtNumber":1,"totalThoughts":4,"stage":"Problem Definition","tags":["x","y"]},
        {"thought":"b","thoughtNumber":3,"totalThoughts":4,"stage":"Research","tags":["y"],"branchFromThought":1,"branchId":"b1"},
        {"thought":"c","thoughtNumber":2,"totalThoughts":4,"stage":"conclusion","tags":[]},
        {"thought":"Decision: go","thoughtNumber":4,"totalThoughts":4,"stage":"Conclusion","isRevision":true,"revisesThoughtNumber":2}]}"#;

    #[test]
    fn everything_is_counted() {
        let sheet = SessionText::of("s.json", SESSION.into()).unwrap();
        let session = summary("s.json", &sheet.thoughts().unwrap());
        assert_eq!((session.thoughts, session.complete, session.revisions), (4, true, 1));
        assert_eq!(session.stage_counts["Conclusion"], 2);
        assert_eq!(session.current_stage.as_deref(), Some("Conclusion"));
        assert_eq!((session.completion.percent, session.completion.all_stages), (50.0, false));
        assert_eq!((session.branches[0].id.as_str(), session.branches[0].from), ("b1", Some(1)));
        assert_eq!((session.top_tags[0].tag.as_str(), session.top_tags[0].count), ("y", 2));
        assert_eq!(session.timeline.iter().map(|m| m.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(session.approach.as_ref().unwrap().approach, "go");
        assert!(text(&session).contains("approach: go"));
    }
}
