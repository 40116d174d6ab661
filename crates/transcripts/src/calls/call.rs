//! `Call`: one use of a tool, in the same form for every client.
//!
//! A call is never invented: each one comes from a record at `source` and `line`. A value that a record does not
//! state stays `None`; a missing result is not a failure.

use crate::Kind;
use crate::calls::input::{Input, patched};
use crate::json::mend;

/// The maximum length of a target; longer commands are cut.
const LONGEST: usize = 4096;

/// One use of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// Empty for the main agent, else the id of the sub-agent.
    pub agent: String,
    /// The client's name for the tool.
    pub name: String,
    /// The call's id; empty if the client gives none.
    pub id: String,
    /// The server or namespace that the tool belongs to.
    pub namespace: Option<String>,
    /// Whether it succeeded, if the record says so.
    pub ok: Option<bool>,
    /// The exit code of a command.
    pub exit_code: Option<i32>,
    /// The object of the call: a path, a command, an address, a name.
    pub target: Option<String>,
    /// Further paths of the same call.
    pub more: Vec<String>,
    /// The kind of tool.
    pub kind: Kind,
    /// The id of the call that made this one, if a script called tools by itself.
    pub within: Option<String>,
    /// Whether it started a background agent of which no return is recorded.
    pub waits: bool,
    /// The index into [`crate::Record::sources`].
    pub source: usize,
    /// The line in that file, or the number of the element in a list, starting at 1.
    pub line: u64,
    /// The time as written.
    pub at: Option<String>,
    /// The thought, if the tool is a thinking tool.
    pub thought: Option<Box<Thinking>>,
}

/// The arguments that an agent passed to a thinking tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thinking {
    /// The text.
    pub text: String,
    /// The stage, as written.
    pub stage: Option<String>,
    /// Keywords.
    pub tags: Vec<String>,
    /// Principles that it is based on.
    pub axioms: Vec<String>,
    /// Assumptions that it challenges.
    pub assumptions: Vec<String>,
}

impl Thinking {
    fn weight(&self) -> usize {
        let lists = [&self.tags, &self.axioms, &self.assumptions];
        let texts =
            lists.into_iter().flatten().chain(&self.stage).map(|text| text.len() + size_of::<String>());
        size_of::<Self>() + self.text.len() + texts.sum::<usize>()
    }
}

impl Call {
    /// The call that a hook asks about: the tool's name and its arguments as JSON.
    pub fn of_hook(name: &str, arguments: &str) -> Self {
        let mut call = Self::new("", name, "");
        let mut room = Vec::new();
        let input: Input<'_> = mend::read(arguments.as_bytes(), &mut room).unwrap_or_default();
        input.describe(&mut call);
        // Codex passes its patch as a command.
        let patched = call.target.as_deref().map(patched).unwrap_or_default();
        if call.kind == Kind::Edit && !patched.is_empty() {
            let mut paths = patched.into_iter();
            call.target = paths.next();
            call.more = paths.collect();
        }
        call
    }

    /// A call of `name` with its usual kind.
    pub(crate) fn new(agent: &str, name: &str, id: &str) -> Self {
        Self {
            agent: agent.to_owned(),
            name: name.to_owned(),
            id: id.to_owned(),
            kind: Kind::of(name),
            ..Self::default()
        }
    }

    pub(crate) fn about(mut self, target: Option<&str>) -> Self {
        self.target = target.filter(|text| !text.is_empty()).map(cut);
        self
    }

    pub(crate) fn when(mut self, at: Option<&str>) -> Self {
        self.at = at.map(str::to_owned);
        self
    }

    /// Its size in memory.
    pub(crate) fn weight(&self) -> usize {
        let optional = [&self.namespace, &self.target, &self.within, &self.at];
        size_of::<Self>()
            + self.agent.len()
            + self.name.len()
            + self.id.len()
            + optional.iter().filter_map(|text| text.as_ref()).map(String::len).sum::<usize>()
            + self.thought.as_ref().map_or(0, |thought| thought.weight())
            + self.more.iter().map(|path| path.len() + size_of::<String>()).sum::<usize>()
    }
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].to_owned()
}

#[cfg(test)]
mod tests {
    use super::Call;
    use crate::Kind;

    #[test]
    fn what_a_hook_is_asked_about_is_a_call_like_any_other() {
        let call = Call::of_hook("Edit", r#"{"file_path":"src/a.rs","old_string":"x"}"#);
        assert_eq!((call.kind, call.target.as_deref()), (Kind::Edit, Some("src/a.rs")));
        let patch =
            r#"{"command":"*** Begin Patch\n*** Update File: a\n*** Add File: tests/b\n*** End Patch"}"#;
        let call = Call::of_hook("apply_patch", patch);
        assert_eq!((call.target.as_deref(), call.more), (Some("a"), vec!["tests/b".to_owned()]));
        assert_eq!(Call::of_hook("Bash", "[]").target, None);
    }
}
