//! What must not run at the same time: tasks that declare the same files, and resources that are used up.

use crate::plan::PlanView;
use crate::plan::item::Item;
use std::collections::HashMap;
use toolkit::Fail;

/// What is taken by the tasks that are running or handed out already.
pub(crate) struct Taken<'a> {
    /// Each path that is taken, and every folder above one, with who takes it.
    paths: HashMap<String, Claim<'a>>,
    resources: HashMap<&'a str, u32>,
    limits: &'a HashMap<String, u32>,
    company: Company,
}

/// Who takes a path, and whether the path itself or only something in it.
#[derive(Clone, Copy)]
struct Claim<'a> {
    by: &'a str,
    whole: bool,
}

/// Who is handed out already.
#[derive(Clone, Copy, PartialEq)]
enum Company {
    Nobody,
    Somebody,
    /// Somebody who must be alone.
    Loner,
}

impl<'a> Taken<'a> {
    /// Nothing is taken yet.
    pub(crate) fn new(limits: &'a HashMap<String, u32>) -> Self {
        Self { paths: HashMap::new(), resources: HashMap::new(), limits, company: Company::Nobody }
    }

    /// Why a task cannot run together with the others; `None` if it can, and then what it needs is taken.
    pub(crate) fn take(&mut self, item: &'a Item<'a>, alone: bool) -> Option<String> {
        if self.company == Company::Loner || alone && self.company == Company::Somebody {
            return Some("is tried alone, since it failed beside others".to_owned());
        }
        let paths: Vec<String> = writes(item).collect();
        if let Some((path, other)) = paths.iter().find_map(|path| self.overlap(path)) {
            return Some(format!("declares '{path}', like task '{other}', which runs now"));
        }
        for name in &item.more().resources {
            let limit = self.limits.get(&**name).copied().unwrap_or(1);
            if self.resources.get(&**name).is_some_and(|used| *used >= limit) {
                return Some(format!("needs '{}', and {limit} in use is all there is", &**name));
            }
        }
        self.occupy(item, paths);
        self.company = if alone { Company::Loner } else { Company::Somebody };
        None
    }

    /// Takes what a task needs that runs already, whatever others need.
    pub(crate) fn running(&mut self, item: &'a Item<'a>) {
        self.occupy(item, writes(item).collect());
        self.company = Company::Somebody;
    }

    fn occupy(&mut self, item: &'a Item<'a>, paths: Vec<String>) {
        let by = &*item.id.0;
        for path in paths {
            for folder in folders(&path) {
                self.paths.entry(folder.to_owned()).or_insert(Claim { by, whole: false });
            }
            self.paths.insert(path, Claim { by, whole: true });
        }
        for name in &item.more().resources {
            *self.resources.entry(name).or_default() += 1;
        }
    }

    /// Whether two tasks overlap: they share a file, or a path of one contains a path of the other.
    fn overlap<'p>(&self, path: &'p str) -> Option<(&'p str, &'a str)> {
        if let Some(claim) = self.paths.get(path) {
            return Some((path, claim.by));
        }
        let above =
            folders(path).find_map(|folder| Some((folder, *self.paths.get(folder)?)).filter(|c| c.1.whole));
        above.map(|(folder, claim)| (folder, claim.by))
    }
}

/// Files that a task changes, as far as it declares them, each by its one name.
fn writes<'a>(item: &'a Item<'a>) -> impl Iterator<Item = String> {
    let files = item.more().files.iter();
    files.filter(|f| &*f.action != "read" && !f.path.trim().is_empty()).map(|f| plain(&f.path))
}

/// A path without detours, as seen from the root; a pattern is the folder that it looks into. The root itself is empty.
fn plain(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.trim().split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part if part.contains(['*', '?', '{']) => break,
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// The folders above a path, the root first.
fn folders(path: &str) -> impl Iterator<Item = &str> {
    let root = (!path.is_empty()).then_some("");
    root.into_iter().chain(path.match_indices('/').map(|(at, _)| &path[..at]))
}

/// `NAME=K` as it stands on the command line.
pub(crate) fn limits(words: &[String], sheet: &PlanView<'_>) -> Result<HashMap<String, u32>, Fail> {
    let mut out = HashMap::new();
    for word in words {
        let parsed = word
            .rsplit_once('=')
            .and_then(|(name, k)| Some((name, k.parse::<u32>().ok().filter(|k| *k > 0)?)));
        let Some((name, limit)) = parsed else {
            return Err(Fail::usage(format!("'{word}' is no resource; write NAME=K with K of 1 or more")));
        };
        if !sheet.tasks.iter().any(|t| t.more().resources.iter().any(|r| &**r == name)) {
            toolkit::cli::tool::note(&format!("dag-next: no task needs the resource '{name}'"));
        }
        out.insert(name.to_owned(), limit);
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::{folders, plain};

    #[test]
    fn a_path_has_one_name() {
        for (path, name) in [
            ("./src//a.rs", "src/a.rs"),
            ("src/", "src"),
            (" src/x/../a.rs ", "src/a.rs"),
            ("src/**/*.rs", "src"),
            ("*", ""),
            ("/etc/x", "etc/x"),
            ("../a/../../b", "../../b"),
            (".", ""),
        ] {
            assert_eq!(plain(path), name, "{path}");
        }
        assert_eq!(folders("a/b/c").collect::<Vec<_>>(), ["", "a", "a/b"]);
        assert_eq!(folders("").count(), 0);
    }
}
