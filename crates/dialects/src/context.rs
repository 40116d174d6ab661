//! The location of a plan's context files.

pub mod files;
pub mod guarded;
pub mod journal;

use crate::dialect;

/// The context file that is not synced as it grows: nothing is decided by it, and a commit syncs it.
pub const NOTES: &str = "audit.md";

/// The folder of the context files, relative to the root: next to the plan if the dialect keeps it there.
pub fn dir(plan_path: &str, dialect: &str) -> String {
    let own = dialect::find(dialect).and_then(|dialect| (dialect.own)(plan_path).into_iter().next());
    match own {
        Some(folder) if folder.ends_with('/') => folder.trim_end_matches('/').to_owned(),
        Some(file) => file.rsplit_once('/').map_or(file.as_str(), |(folder, _)| folder).to_owned(),
        None => default(plan_path),
    }
}

/// The context files of a folder.
pub(crate) fn within(folder: &str) -> Vec<String> {
    ["outputs.json", "learnings.md", "issues.md", "decisions.md", "audit.md"]
        .map(|name| format!("{folder}/{name}"))
        .into()
}

/// The folder of the context files if the dialect has none beside the plan.
pub(crate) fn default(plan_path: &str) -> String {
    format!(".plantools/context/{}", stem(plan_path))
}

/// A name beside the plan.
pub(crate) fn beside(plan_path: &str, name: &str) -> String {
    match plan_path.rsplit_once('/') {
        Some((folder, _)) => format!("{folder}/{name}"),
        None => name.to_owned(),
    }
}

fn stem(path: &str) -> String {
    let name = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    wire::ids::key_of(name.split_once('.').map_or(name, |(stem, _)| stem))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_md_keeps_its_context_beside_the_plan() {
        assert_eq!(dir(".dev/specs/x/PLAN.md", "plan-md"), ".dev/specs/x/context");
        assert_eq!(dir("PLAN.md", "plan-md"), "context");
        assert_eq!(dir("docs/todo.md", "checklist"), ".plantools/context/todo");
    }
}
