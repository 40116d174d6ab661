//! Markdown links of one line: `[📋](./.task/IMPL-1.json)`.

use crate::Extent;

/// A link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// From the bracket to the parenthesis.
    pub at: Extent,
    /// Its target.
    pub target: Extent,
}

/// The links of `line`, in order.
pub fn links(line: &str) -> Vec<Link> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(middle) = line.get(from..).and_then(|rest| rest.find("](")).map(|at| from + at) {
        let open = line.get(from..middle).and_then(|text| text.rfind('[')).map(|at| from + at);
        let target = middle + 2;
        let Some(close) = line.get(target..).and_then(|rest| rest.find(')')).map(|at| target + at) else {
            break;
        };
        from = target;
        if let Some(start) = open {
            let target = Extent { start: target, end: close };
            found.push(Link { at: Extent { start, end: close + 1 }, target });
            from = close + 1;
        }
    }
    found
}

/// Whether the target is a task's own file.
pub fn is_task(target: &str) -> bool {
    target.contains(".task/")
}

/// Whether the target is the summary of a completed task.
pub fn is_summary(target: &str) -> bool {
    target.contains(".summaries/") || target.ends_with("-summary.md")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_with_their_targets() {
        let line = "a [b] → [📋](./.task/x.json) [✅](y) [z](";
        let found = links(line);
        let targets: Vec<_> = found.iter().map(|link| &line[link.target.start..link.target.end]).collect();
        assert_eq!(targets, ["./.task/x.json", "y"]);
        assert_eq!(&line[found[0].at.start..found[0].at.end], "[📋](./.task/x.json)");
    }
}
