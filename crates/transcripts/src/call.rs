//! `Call`: one use of a tool, the same form for every client.
//!
//! A call is never invented: each one stands in a record at `source` and `line`. What a record does not say
//! stays `None`; a missing result is not a failure.

use crate::Kind;
use crate::input::{Input, patched};
use crate::mend;

/// The longest target kept; the rest of a long command is cut off.
const LONGEST: usize = 4096;

/// One use of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Call {
    /// Empty for the main agent, else the id of the sub-agent.
    pub agent: String,
    /// The tool in the client's own words.
    pub name: String,
    /// The call's id; empty where the client gives none.
    pub id: String,
    /// The server or namespace that the tool belongs to.
    pub namespace: Option<String>,
    /// Whether it went well, where the record says so.
    pub ok: Option<bool>,
    /// The exit code of a command.
    pub exit_code: Option<i32>,
    /// What it is about: a path, a command, an address, a name.
    pub target: Option<String>,
    /// Further paths of the same call.
    pub more: Vec<String>,
    /// What kind of tool it is.
    pub kind: Kind,
    /// The id of the call that made this one, where a script called tools by itself.
    pub within: Option<String>,
    /// Whether it started an agent that runs on in the background, and nothing says that it came back.
    pub waits: bool,
    /// Which of [`crate::Record::sources`] it stands in.
    pub source: usize,
    /// The line in that file, or the number of the element in a list, counted from 1.
    pub line: u64,
    /// The time as written.
    pub at: Option<String>,
    /// What was thought, where the tool is one to think with.
    pub thought: Option<Box<Thinking>>,
}

/// What an agent handed to a tool to think with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Thinking {
    /// The words.
    pub text: String,
    /// The stage, as written.
    pub stage: Option<String>,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Principles that it rests on.
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
    /// The call that a hook is asked about: the tool's name and its arguments as JSON.
    pub fn of_hook(name: &str, arguments: &str) -> Self {
        let mut call = Self::new("", name, "");
        let mut room = Vec::new();
        let input: Input<'_> = mend::read(arguments.as_bytes(), &mut room).unwrap_or_default();
        input.describe(&mut call);
        // Codex hands its patch over as a command.
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

    /// How much memory it holds.
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
