//! `Deed`: one action, as matched by the rows of cards and stored in punch files.
//!
//! A tool call is one deed of the most specific type: a command, a call of an MCP server, the start of a child, or
//! otherwise a tool call. Rows about tool calls match the tool's own name whatever the type.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use transcripts::{Call, Kind};
use wire::Punch;
use wire::punch::Type;

/// One action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deed {
    pub(crate) kind: Type,
    pub(crate) key: String,
    /// The tool, if it was a call.
    pub(crate) tool: Option<Tool>,
    pub(crate) at: Moment,
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tool {
    /// The client's name for the tool.
    pub(crate) name: String,
    pub(crate) kind: Kind,
    /// Empty for the main agent.
    pub(crate) agent: String,
    pub(crate) ok: Option<bool>,
    pub(crate) exit_code: Option<i32>,
    /// The files it is about.
    pub(crate) paths: Vec<String>,
    pub(crate) id: String,
    pub(crate) within: Option<String>,
}

/// When something happened: by the clock if the record has a time, then by its position in the record.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Moment {
    pub(crate) millis: i64,
    pub(crate) place: u64,
}

impl Tool {
    /// Whether the tool changes files by name.
    pub(crate) fn changes_files(&self) -> bool {
        matches!(self.kind, Kind::Edit | Kind::Write)
    }

    /// Whether a failed call may have had an effect: a file tool does all or nothing.
    pub(crate) fn may_half_happen(&self) -> bool {
        !matches!(self.kind, Kind::Edit | Kind::Write | Kind::Read | Kind::Search)
    }
}

impl Deed {
    /// A deed that is not a call.
    pub(crate) fn plain(kind: Type, key: impl Into<String>) -> Self {
        Self { kind, key: key.into(), tool: None, at: Moment::default() }
    }

    /// The deed of a call.
    pub(crate) fn of(call: &Call, at: Moment) -> Self {
        let target = call.target.as_deref();
        let (kind, key) = match (call.kind, target) {
            (Kind::Shell, Some(command)) => (Type::CommandExec, command.to_owned()),
            (Kind::Mcp, _) => (Type::McpCall, mcp_key(call)),
            (Kind::Spawn, _) => (Type::ChildSpawn, target.unwrap_or("agent").to_owned()),
            _ => (Type::ToolCall, call.name.clone()),
        };
        let about_files = matches!(call.kind, Kind::Edit | Kind::Write | Kind::Read);
        let first = target.filter(|_| about_files).map(str::to_owned);
        let tool = Tool {
            name: call.name.clone(),
            kind: call.kind,
            agent: call.agent.clone(),
            ok: call.ok,
            exit_code: call.exit_code,
            paths: first.into_iter().chain(call.more.iter().cloned()).collect(),
            id: call.id.clone(),
            within: call.within.clone(),
        };
        Self { kind, key, tool: Some(tool), at }
    }

    /// A deed that a call implies: the return of a child, or the worker's report that it is finished.
    pub(crate) fn besides(call: &Call, at: Moment) -> Option<Self> {
        let (kind, key) = match (call.kind, call.ok) {
            (Kind::Spawn, Some(ok)) if !call.waits => {
                (Type::ChildComplete, if ok { "child_return" } else { "child_error" })
            }
            (Kind::Complete, ok) if call.agent.is_empty() && ok != Some(false) => {
                (Type::StepComplete, "task_exit")
            }
            _ => return None,
        };
        Some(Self { at, ..Self::plain(kind, key) })
    }

    /// The deed in a line of a punch file.
    pub(crate) fn of_punch(punch: &Punch, place: u64) -> Self {
        let tool = punch.data.read::<Data>().and_then(Data::tool);
        let millis = toolkit::cli::clock::millis(&punch.observed_at).unwrap_or_default();
        Self { kind: punch.kind, key: punch.key.clone(), tool, at: Moment { millis, place } }
    }

    /// The data of a line in a punch file besides type and key.
    pub(crate) fn data(&self) -> Value {
        let Some(tool) = &self.tool else { return Value::Null };
        let data = Data {
            tool: tool.name.clone(),
            kind: tool.kind.word().to_owned(),
            agent: tool.agent.clone(),
            ok: tool.ok,
            exit_code: tool.exit_code,
            paths: tool.paths.clone(),
            id: tool.id.clone(),
            within: tool.within.clone(),
        };
        serde_json::to_value(data).unwrap_or_default()
    }
}

/// `server:tool`, however the client writes it.
fn mcp_key(call: &Call) -> String {
    let of_name = || call.name.strip_prefix("mcp__").map(|rest| rest.replacen("__", ":", 1));
    let of_space = || call.namespace.as_ref().map(|server| format!("{server}:{}", call.name));
    let of_target = || call.target.clone().filter(|target| target.contains(':') && !target.contains(' '));
    let named = matches!(call.name.as_str(), "use_mcp_tool" | "use_mcp_server" | "access_mcp_resource");
    let key = if named { of_target() } else { of_name().or_else(of_space) };
    key.unwrap_or_else(|| call.name.clone())
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Data {
    tool: String,
    kind: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    agent: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ok: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    paths: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    within: Option<String>,
}

impl Data {
    fn tool(self) -> Option<Tool> {
        if self.tool.is_empty() {
            return None;
        }
        let kind = Kind::parse(&self.kind).unwrap_or_default();
        let Self { tool: name, agent, ok, exit_code, paths, id, within, .. } = self;
        Some(Tool { name, kind, agent, ok, exit_code, paths, id, within })
    }
}

#[cfg(test)]
mod tests {
    use super::{Deed, Moment};
    use transcripts::{Call, Kind};
    use wire::punch::Type;

    fn call(name: &str, kind: Kind, target: Option<&str>) -> Call {
        Call { name: name.into(), kind, target: target.map(str::to_owned), ..Call::default() }
    }

    #[test]
    fn a_call_is_of_the_most_telling_type() {
        let of = |call: &Call| {
            let deed = Deed::of(call, Moment::default());
            (deed.kind, deed.key)
        };
        assert_eq!(of(&call("Bash", Kind::Shell, Some("make"))), (Type::CommandExec, "make".into()));
        assert_eq!(of(&call("KillShell", Kind::Shell, None)), (Type::ToolCall, "KillShell".into()));
        assert_eq!(
            of(&call("mcp__docs__find_it", Kind::Mcp, Some("x"))),
            (Type::McpCall, "docs:find_it".into())
        );
        assert_eq!(
            of(&call("use_mcp_tool", Kind::Mcp, Some("docs:find"))),
            (Type::McpCall, "docs:find".into())
        );
        assert_eq!(of(&call("Task", Kind::Spawn, Some("code"))), (Type::ChildSpawn, "code".into()));
    }

    #[test]
    fn a_child_that_is_only_launched_has_not_come_back() {
        let mut spawn = call("Agent", Kind::Spawn, Some("code"));
        assert_eq!(Deed::besides(&spawn, Moment::default()), None);
        spawn.ok = Some(true);
        assert_eq!(Deed::besides(&spawn, Moment::default()).unwrap().key, "child_return");
        spawn.waits = true;
        assert_eq!(Deed::besides(&spawn, Moment::default()), None);
    }
}
