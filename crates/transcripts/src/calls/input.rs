//! `Input`: the arguments of a tool that describe the object of the call.
//!
//! The argument names are those of all clients together; the first one present, in the order of [`Input::target`], is
//! the target. File contents and other long texts are skipped.

use crate::Thinking;
use crate::json::lenient::{Items, Paths, Word};
use serde::Deserialize;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Input<'a> {
    #[serde(borrow)]
    file_path: Word<'a>,
    #[serde(borrow, rename = "filePath")]
    camel_path: Word<'a>,
    #[serde(borrow)]
    notebook_path: Word<'a>,
    #[serde(borrow)]
    path: Word<'a>,
    #[serde(borrow)]
    absolute_path: Word<'a>,
    #[serde(borrow)]
    dir_path: Word<'a>,
    #[serde(borrow)]
    command: Word<'a>,
    #[serde(borrow)]
    cmd: Word<'a>,
    #[serde(borrow)]
    commands: Word<'a>,
    #[serde(borrow)]
    url: Word<'a>,
    #[serde(borrow)]
    pattern: Word<'a>,
    #[serde(borrow)]
    query: Word<'a>,
    #[serde(borrow)]
    subagent_type: Word<'a>,
    #[serde(borrow)]
    agent_name: Word<'a>,
    #[serde(borrow)]
    mode: Word<'a>,
    #[serde(borrow)]
    skill: Word<'a>,
    #[serde(borrow)]
    description: Word<'a>,
    #[serde(borrow)]
    server_name: Word<'a>,
    #[serde(borrow)]
    tool_name: Word<'a>,
    #[serde(borrow, rename = "patchText")]
    patch_text: Word<'a>,
    #[serde(borrow)]
    patch: Word<'a>,
    #[serde(borrow, rename = "input")]
    text: Word<'a>,
    files: Paths,
    #[serde(borrow)]
    thought: Word<'a>,
    #[serde(borrow)]
    stage: Word<'a>,
    #[serde(borrow)]
    tags: Items<Word<'a>>,
    #[serde(borrow)]
    axioms_used: Items<Word<'a>>,
    #[serde(borrow)]
    assumptions_challenged: Items<Word<'a>>,
}

impl Input<'_> {
    /// The object of the call.
    pub(crate) fn target(&self) -> Option<String> {
        if let (Some(server), Some(tool)) = (self.server_name.get(), self.tool_name.get()) {
            return Some(format!("{server}:{tool}"));
        }
        let words = [
            &self.file_path,
            &self.camel_path,
            &self.notebook_path,
            &self.absolute_path,
            &self.command,
            &self.cmd,
            &self.commands,
            &self.url,
            &self.pattern,
            &self.query,
            &self.path,
            &self.dir_path,
            &self.subagent_type,
            &self.agent_name,
            &self.mode,
            &self.skill,
            &self.description,
        ];
        words.into_iter().find_map(Word::owned)
    }

    /// The server of an MCP tool.
    pub(crate) fn server(&self) -> Option<String> {
        self.server_name.owned()
    }

    /// Every path of a patch or of a list of files.
    pub(crate) fn paths(&self) -> Vec<String> {
        let patch = [&self.patch_text, &self.patch, &self.text].into_iter().find_map(Word::get);
        let mut paths = patch.map(patched).unwrap_or_default();
        paths.extend(self.files.0.iter().cloned());
        paths
    }

    /// The thought: only thinking tools have a thought among their arguments.
    pub(crate) fn thinking(&self) -> Option<Box<Thinking>> {
        let text = self.thought.get().filter(|text| !text.trim().is_empty())?;
        let words = |items: &Items<Word<'_>>| items.iter().filter_map(Word::owned).collect();
        Some(Box::new(Thinking {
            text: text.to_owned(),
            stage: self.stage.owned(),
            tags: words(&self.tags),
            axioms: words(&self.axioms_used),
            assumptions: words(&self.assumptions_challenged),
        }))
    }

    /// Writes target, further paths, namespace and thought into a call.
    pub(crate) fn describe(&self, call: &mut crate::Call) {
        let mut paths = self.paths().into_iter();
        let first = self.target().or_else(|| paths.next());
        *call = std::mem::take(call).about(first.as_deref());
        call.more = paths.collect();
        call.namespace = self.server().or(call.namespace.take());
        call.thought = self.thinking();
    }
}

/// The files that a patch in the `*** Begin Patch` form names.
pub(crate) fn patched(patch: &str) -> Vec<String> {
    let marks = ["*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "];
    let named = patch.lines().filter_map(|line| marks.iter().find_map(|mark| line.strip_prefix(mark)));
    named.map(|path| path.trim().to_owned()).collect()
}
