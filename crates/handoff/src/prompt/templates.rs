//! The templates: the built-in ones, and the user's in their place.
//!
//! A file of the same name in `.plantools/prompts/` takes precedence. The folder is pinned at the first attempt like
//! the configuration, so no worker can rewrite its own orders.

use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;

/// The folder of the user's own templates.
pub(crate) const FOLDER: &str = ".plantools/prompts";

/// Declares the templates by their files, each with its text.
macro_rules! files {
    ($($file:literal,)*) => { [$(($file, include_str!(concat!("../../templates/", $file))),)*] };
}

/// Every template. Its name is that of its file without `.md`; a profile names those of tasks.
const TEMPLATES: [(&str, &str); 23] = files![
    "plan-md.md",
    "runbook.md",
    "workflow.md",
    "subtask.md",
    "preparation.md",
    "tests.md",
    "quality.md",
    "task.md",
    "checkpoint.md",
    "diagnostic.md",
    "review.md",
    "check.md",
    "fitter.md",
    "fix.md",
    "clean.md",
    "criteria.md",
    "checks.md",
    "context.md",
    "answer.md",
    "todo.md",
    "agent.md",
    "refactor.md",
    "simple.md",
];

/// The template of a name, as this program has it.
fn built_in(name: &str) -> Result<(&'static str, &'static str), Fail> {
    let mut all = TEMPLATES.iter().map(|(file, text)| (file.trim_end_matches(".md"), *text));
    all.find(|(known, _)| *known == name)
        .ok_or_else(|| Fail::config("bad-prompt", format!("there is no template '{name}'")))
}

/// A name that is known to be that of a template.
pub(crate) fn known(name: &str) -> Result<&'static str, Fail> {
    built_in(name).map(|(name, _)| name)
}

/// The template of a name, with where it is from.
pub(crate) fn find(root: &Path, name: &str) -> Result<(String, String), Fail> {
    let (name, own) = built_in(name)?;
    let path = format!("{FOLDER}/{name}.md");
    match fs::read_if_there(&root.join(&path))? {
        None => Ok((format!("{name}.md"), own.to_owned())),
        Some(bytes) => {
            let text = String::from_utf8(bytes).map_err(|e| {
                Fail::config("bad-prompt", format!("no valid UTF-8: {e}")).at(path.as_str(), 1)
            })?;
            Ok((path, text))
        }
    }
}
