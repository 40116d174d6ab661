//! What must not run at the same time: tasks that declare the same files, and resources that are used up.

use crate::plan::{Item, Sheet};
use std::collections::HashMap;
use toolkit::Fail;

/// What is taken by the tasks that are handed out already.
pub(crate) struct Taken<'a> {
    files: HashMap<&'a str, &'a str>,
    resources: HashMap<&'a str, u32>,
    limits: &'a HashMap<String, u32>,
    any: bool,
    alone: bool,
}

impl<'a> Taken<'a> {
    /// Nothing is taken yet.
    pub(crate) fn new(limits: &'a HashMap<String, u32>) -> Self {
        Self { files: HashMap::new(), resources: HashMap::new(), limits, any: false, alone: false }
    }

    /// Why a task cannot run together with the others; `None` if it can, and then what it needs is taken.
    pub(crate) fn take(&mut self, item: &'a Item<'a>, alone: bool) -> Option<String> {
        if self.any && (alone || self.alone) {
            return Some("must be tried alone before its failure counts".to_owned());
        }
        if let Some((path, other)) = writes(item).find_map(|p| self.overlap(p)) {
            return Some(format!("declares '{path}', like task '{other}', which is handed out now"));
        }
        for name in &item.resources {
            let limit = self.limits.get(&**name).copied().unwrap_or(1);
            if self.resources.get(&**name).is_some_and(|used| *used >= limit) {
                return Some(format!("needs '{}', and {limit} in use is all there is", &**name));
            }
        }
        self.files.extend(writes(item).map(|path| (path, &*item.id.0)));
        for name in &item.resources {
            *self.resources.entry(name).or_default() += 1;
        }
        self.any = true;
        self.alone |= alone;
        None
    }

    /// The same file, or a folder and something in it.
    fn overlap(&self, path: &'a str) -> Option<(&'a str, &'a str)> {
        if let Some(other) = self.files.get(path) {
            return Some((path, other));
        }
        let within = |folder: &str, file: &str| {
            file.strip_prefix(folder.trim_end_matches('/')).is_some_and(|rest| rest.starts_with('/'))
        };
        let found = self.files.iter().find(|(taken, _)| within(taken, path) || within(path, taken));
        found.map(|(taken, other)| (*taken, *other))
    }
}

/// Files that a task changes, as far as it declares them.
fn writes<'a>(item: &'a Item<'a>) -> impl Iterator<Item = &'a str> {
    item.files.iter().filter(|f| &*f.action != "read").map(|f| f.path.strip_prefix("./").unwrap_or(&f.path))
}

/// `NAME=K` as it stands on the command line.
pub(crate) fn limits(words: &[String], sheet: &Sheet<'_>) -> Result<HashMap<String, u32>, Fail> {
    let mut out = HashMap::new();
    for word in words {
        let parsed = word
            .split_once('=')
            .and_then(|(name, k)| Some((name, k.parse::<u32>().ok().filter(|k| *k > 0)?)));
        let Some((name, limit)) = parsed else {
            return Err(Fail::usage(format!("'{word}' is no resource; write NAME=K with K of 1 or more")));
        };
        if !sheet.tasks.iter().any(|t| t.resources.iter().any(|r| &**r == name)) {
            toolkit::tool::note(&format!("dag-next: no task needs the resource '{name}'"));
        }
        out.insert(name.to_owned(), limit);
    }
    Ok(out)
}
