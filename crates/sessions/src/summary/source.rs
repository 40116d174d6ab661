//! The summary in the thinking server's own shape, followed by fields that it lacks.
//!
//! The workflows look for `"currentStage": "Conclusion"` in it, which the server never wrote.

use crate::thought::stage::{STAGES, Stage};
use serde_json::{Map, Value, json};
use wire::Session;

/// `{"summary": …}` as `generate_summary` answers.
pub fn shape(session: &Session) -> Value {
    if session.thoughts == 0 {
        return json!({ "summary": "No thoughts recorded yet" });
    }
    let stages: Map<String, Value> = in_order(session);
    let timeline: Vec<Value> = session.timeline.iter().map(moment).collect();
    let branches: Map<String, Value> = session
        .branches
        .iter()
        .map(|branch| {
            (branch.id.clone(), json!({ "fromThought": branch.from, "thoughtCount": branch.thoughts }))
        })
        .collect();
    json!({ "summary": {
        "totalThoughts": session.thoughts,
        "stages": stages,
        "timeline": timeline,
        "branches": branches,
        "revisionCount": session.revisions,
        "topTags": session.top_tags,
        "completionStatus": {
            "hasAllStages": session.completion.all_stages,
            "percentComplete": session.completion.percent,
        },
        "currentStage": session.current_stage,
        "chosenApproach": session.approach,
        "successCriteria": session.success_criteria,
        "risks": session.risks,
    }})
}

fn in_order(session: &Session) -> Map<String, Value> {
    let counts = STAGES.map(Stage::name).into_iter();
    counts.filter_map(|name| Some((name.to_owned(), (*session.stage_counts.get(name)?).into()))).collect()
}

fn moment(moment: &wire::session::Moment) -> Value {
    let mut out = Map::new();
    out.insert("number".to_owned(), moment.number.into());
    out.insert("stage".to_owned(), moment.stage.as_str().into());
    if moment.revision {
        out.insert("isRevision".to_owned(), true.into());
    }
    if let Some(branch) = &moment.branch {
        out.insert("branchId".to_owned(), branch.as_str().into());
    }
    Value::Object(out)
}
