//! The templates: those of the program, and in their place those of the user.
//!
//! A file of the same name in `.plantools/prompts/` is taken instead. The folder is pinned at the first attempt like the
//! configuration, so that no worker rewrites its own orders.

use std::path::Path;
use toolkit::{Fail, fs};

/// Where the user's own templates are.
pub(crate) const FOLDER: &str = ".plantools/prompts";

/// Every template by its name.
const TEMPLATES: [(&str, &str); 17] = [
    ("plan-md", include_str!("../templates/plan-md.md")),
    ("runbook", include_str!("../templates/runbook.md")),
    ("workflow", include_str!("../templates/workflow.md")),
    ("subtask", include_str!("../templates/subtask.md")),
    ("preparation", include_str!("../templates/preparation.md")),
    ("tests", include_str!("../templates/tests.md")),
    ("quality", include_str!("../templates/quality.md")),
    ("task", include_str!("../templates/task.md")),
    ("checkpoint", include_str!("../templates/checkpoint.md")),
    ("diagnostic", include_str!("../templates/diagnostic.md")),
    ("fitter", include_str!("../templates/fitter.md")),
    ("fix", include_str!("../templates/fix.md")),
    ("criteria", include_str!("../templates/criteria.md")),
    ("checks", include_str!("../templates/checks.md")),
    ("context", include_str!("../templates/context.md")),
    ("answer", include_str!("../templates/answer.md")),
    ("todo", include_str!("../templates/todo.md")),
];

/// The template of a name, with where it is from.
pub(crate) fn find(root: &Path, name: &str) -> Result<(String, String), Fail> {
    let unknown = || Fail::config("bad-prompt", format!("there is no template '{name}'"));
    let (name, own) = TEMPLATES.iter().find(|(known, _)| *known == name).ok_or_else(unknown)?;
    let path = format!("{FOLDER}/{name}.md");
    match fs::read_if_there(&root.join(&path))? {
        None => Ok((format!("{name}.md"), (*own).to_owned())),
        Some(bytes) => {
            let text = String::from_utf8(bytes).map_err(|e| {
                Fail::config("bad-prompt", format!("no valid UTF-8: {e}")).at(path.as_str(), 1)
            })?;
            Ok((path, text))
        }
    }
}
