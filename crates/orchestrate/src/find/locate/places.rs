//! Where plans usually stand.

use crate::tools::Tools;
use std::path::{Path, PathBuf};
use toolkit::files::fs;

/// The usual places, as seen from the top of a repository. A `*` is any name in its folder that does not begin with a dot;
/// `*.md` is one that ends so. A folder has a slash behind it.
pub(crate) const PLACES: [&str; 43] = [
    "PLAN.md",
    "TODO.md",
    "plan.md",
    "todo.md",
    "tasks.md",
    "runbook.md",
    "IMPLEMENTATION_PLAN.md",
    "task_plan.md",
    "Plans.md",
    "prd.json",
    "feature_list.json",
    "sprint-status.yaml",
    "plan.json",
    "spec.json",
    "plan-content.json",
    ".dev/specs/*/PLAN.md",
    "plans/*/",
    "plans/*.md",
    ".workflow/active/*/",
    ".kilocode/todo/*.md",
    ".kilocode/handoff/*.json",
    "*/PLAN.md",
    "specs/*/tasks.md",
    ".specify/specs/*/tasks.md",
    ".kiro/specs/*/tasks.md",
    "openspec/changes/*/tasks.md",
    "docs/plans/*.md",
    "docs/superpowers/plans/*.md",
    ".taskmaster/tasks/tasks.json",
    ".beads/issues.jsonl",
    ".claude/epics/*/",
    "agent-os/specs/*/tasks.md",
    ".agent-os/specs/*/tasks.md",
    ".planning/ROADMAP.md",
    ".planning/phases/*/*-PLAN.md",
    ".agent/PLANS.md",
    ".cursor/plans/*.plan.md",
    "thoughts/shared/plans/*.md",
    "conductor/tracks.md",
    "conductor/tracks/*/plan.md",
    "backlog/",
    "docs/stories/*.story.md",
    "docs/runbooks/*.md",
];

/// What stands in the usual places, plan or not, as seen from the top.
pub(crate) fn find(top: &Path) -> Vec<PathBuf> {
    let archived = |path: &PathBuf| path.starts_with("openspec/changes/archive");
    let mut found: Vec<PathBuf> = PLACES.iter().flat_map(|place| matching(top, place)).collect();
    found.retain(|path| !archived(path));
    found
}

/// The usual places as patterns of `.gitattributes`: from the top, and a folder with everything in it.
pub(crate) fn patterns() -> Vec<String> {
    let below = |place: &str| if place.ends_with('/') { "**" } else { "" };
    PLACES.iter().map(|place| format!("/{place}{}", below(place))).collect()
}

/// The plans in the usual places, the last changed first.
pub(crate) fn plans(tools: &Tools, top: &Path) -> Vec<PathBuf> {
    let is_plan = |place: &PathBuf| {
        let path = top.join(place);
        let args = ["--quiet".as_ref(), "--show".as_ref(), "dialect".as_ref(), path.as_os_str()];
        tools.ask("plan-parse", args).is_ok_and(|said| said.code == 0)
    };
    let mut found: Vec<PathBuf> = find(top).into_iter().filter(is_plan).collect();
    found.sort_by_key(|place| std::cmp::Reverse(fs::changed_at(&top.join(place))));
    found
}

fn matching(top: &Path, place: &str) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in place.trim_end_matches('/').split('/') {
        found = found.into_iter().flat_map(|folder| step(top, &folder, part)).collect();
    }
    let wants_folder = place.ends_with('/');
    found.retain(|path| if wants_folder { top.join(path).is_dir() } else { top.join(path).exists() });
    found
}

fn step(top: &Path, folder: &Path, part: &str) -> Vec<PathBuf> {
    let Some(end) = part.strip_prefix('*') else { return vec![folder.join(part)] };
    let mut names = fs::names(&top.join(folder)).unwrap_or_default();
    names.retain(|name| !name.starts_with('.') && name.ends_with(end));
    names.sort();
    names.into_iter().map(|name| folder.join(name)).collect()
}
