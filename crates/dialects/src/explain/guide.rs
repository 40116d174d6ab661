//! What each dialect looks like: where its tasks, states, dependencies and checks stand, and a small plan of it.
//!
//! The text is `guide.md`, which the manual page shows as it is.

use crate::Dialect;

/// The guide to one dialect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guide {
    /// Where tasks stand.
    pub tasks: &'static str,
    /// Where states stand.
    pub states: &'static str,
    /// Where dependencies stand.
    pub dependencies: &'static str,
    /// Where checks stand.
    pub checks: &'static str,
    /// The usual path of such a plan.
    pub path: &'static str,
    /// A small plan.
    pub example: &'static str,
}

/// The guide to a dialect; every dialect of the table has one.
pub fn guide(dialect: &Dialect) -> Option<Guide> {
    let head = format!("### `{}`\n", dialect.name);
    let start = TEXT.find(&head)? + head.len();
    let section = TEXT.get(start..)?;
    let section = section.get(..section.find("\n### `").unwrap_or(section.len()))?;
    let field = |name: &str| section.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
    let (_, fenced) = section.split_once("````")?;
    let (path, rest) = fenced.split_once('\n')?;
    let (example, _) = rest.split_once("````")?;
    Some(Guide {
        tasks: field("- Tasks: "),
        states: field("- States: "),
        dependencies: field("- Dependencies: "),
        checks: field("- Checks: "),
        path,
        example,
    })
}

/// The whole guide, in Markdown.
pub const TEXT: &str = include_str!("../../guide.md");
