//! The part of `plantools.toml` about workers: `[workers.NAME]` and `[agents]`.

use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::collections::BTreeMap;
use std::fmt;
use toolkit::Fail;

/// The clients whose command lines and answers are known; `plain` is any other program.
pub const CLIENTS: [&str; 10] =
    ["claude", "codex", "opencode", "kilo", "gemini", "goose", "cline", "aider", ACP, "plain"];

/// An agent that speaks the Agent Client Protocol: `acp:COMMAND`, or a command with `result = "acp"`.
pub const ACP: &str = "acp";

/// A worker.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct WorkerRule {
    /// Program and arguments, whole; never a shell line. Without it the client's own command is used.
    pub command: Vec<String>,
    /// The client's program, where it is not on the path under its own name.
    pub program: Option<String>,
    /// More arguments for the client's own command.
    pub args: Vec<String>,
    /// `stdin`, `arg` or `file`, for a command.
    pub prompt: PromptBy,
    /// The client whose way to answer it has; the worker's own name where that is a client, else `plain`.
    pub result: Option<String>,
    /// Where the worker's own record will be.
    pub transcript: Option<String>,
    /// What the client may do without being asked.
    pub permissions: Permissions,
    /// The model to ask for.
    pub model: Option<String>,
    /// The flag that names a model, for a command.
    pub model_flag: Option<String>,
    /// The client's own agent or mode.
    pub agent: Option<String>,
    /// How many turns it may take, where the client has a flag for that.
    pub max_turns: Option<u32>,
    /// What it may cost in dollars, where the client has a flag for that.
    pub max_cost: Option<f64>,
    /// The wall clock.
    pub timeout_seconds: Option<u64>,
    /// How long it may be silent.
    pub stall_seconds: Option<u64>,
    /// Whether it runs in a sandbox; `[defaults]` says it for all.
    pub sandbox: Option<bool>,
    /// What it may reach in a sandbox over the network.
    pub network: Network,
    /// What it may write in a sandbox besides its tree; `~/` is its home.
    pub writable: Vec<String>,
    /// More environment.
    pub env: BTreeMap<String, String>,
}

impl WorkerRule {
    /// The client that it is, or answers like.
    pub fn client<'a>(&'a self, name: &'a str) -> &'a str {
        let own = if CLIENTS.contains(&name) { name } else { "plain" };
        self.result.as_deref().unwrap_or(own)
    }

    /// Whether it makes sense.
    pub fn check(&self, name: &str) -> Result<(), Fail> {
        let client = self.client(name);
        if !CLIENTS.contains(&client) {
            let known = CLIENTS.join(", ");
            let message = format!("worker '{name}': result '{client}' is not one of {known}");
            return Err(Fail::config("bad-result", message));
        }
        if matches!(client, "plain" | ACP) && self.command.is_empty() {
            return Err(Fail::config("empty-command", format!("worker '{name}' has no command")));
        }
        if !self.command.is_empty() && (self.program.is_some() || !self.args.is_empty()) {
            let message =
                format!("worker '{name}' has a command of its own: 'program' and 'args' have no use");
            return Err(Fail::config("two-commands", message));
        }
        if self.network == Network::None && self.sandbox == Some(false) {
            let message =
                format!("worker '{name}': network = \"none\" needs a sandbox, and sandbox is false");
            return Err(Fail::config("no-sandbox", message));
        }
        Ok(())
    }
}

/// What a worker in a sandbox may reach.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Everything, as without a sandbox: a client needs its service.
    #[default]
    All,
    /// Nothing but itself; the worker gets a sandbox without being asked.
    None,
}

/// How the prompt reaches a worker.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PromptBy {
    /// On standard input.
    #[default]
    Stdin,
    /// As the last argument.
    Arg,
    /// As a file whose name is the last argument.
    File,
}

/// What a client may do without being asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Permissions {
    /// Edit files; commands only as the client's own settings allow them.
    #[default]
    Edit,
    /// Everything.
    All,
}

/// The file with the instructions of an agent that a plan names, relative to the root. An agent of a plugin
/// (`plugin:agent`) has no file in the project.
pub fn agent_file(name: &str) -> Option<String> {
    let name = name.trim_start_matches('@');
    let own = !name.is_empty() && !name.starts_with('.') && !name.contains([':', '/', '\\', ' ']);
    own.then(|| format!(".claude/agents/{name}.md"))
}

/// Who does what the plan names: one after the other, from attempt to attempt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Route(pub Vec<Stop>);

/// One stop of a route.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// A worker, and the model to ask it for.
    Worker {
        /// Its name.
        name: String,
        /// The model.
        model: Option<String>,
    },
    /// A person: no other worker is tried.
    User,
}

impl From<&str> for Stop {
    /// `user`, `WORKER` or `WORKER:MODEL`.
    fn from(text: &str) -> Self {
        if text == "user" {
            return Self::User;
        }
        let (name, model) = text.split_once(':').map_or((text, None), |(name, model)| (name, Some(model)));
        Self::Worker { name: name.to_owned(), model: model.map(str::to_owned) }
    }
}

impl Route {
    /// Who makes an attempt after `failed` others; the last stop stays the last.
    pub fn after(&self, failed: u32) -> Option<&Stop> {
        let last = self.0.len().checked_sub(1)?;
        self.0.get(last.min(failed as usize))
    }
}

impl<'de> Deserialize<'de> for Route {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(OneOrMany)
    }
}

/// A worker, or several one after the other.
#[cfg(feature = "schema")]
impl schemars::JsonSchema for Route {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Route".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let stop =
            schemars::json_schema!({ "type": "string", "description": "`user`, `WORKER` or `WORKER:MODEL`" });
        let several = schemars::json_schema!({ "type": "array", "minItems": 1, "items": stop });
        schemars::json_schema!({ "anyOf": [stop, several] })
    }
}

struct OneOrMany;

impl<'de> Visitor<'de> for OneOrMany {
    type Value = Route;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("'WORKER', 'WORKER:MODEL' or a list of them")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Route, E> {
        Ok(Route(vec![Stop::from(text)]))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Route, A::Error> {
        let mut stops = Vec::new();
        while let Some(item) = items.next_element::<String>()? {
            stops.push(Stop::from(item.as_str()));
        }
        if stops.is_empty() {
            return Err(A::Error::custom("a route needs at least one worker"));
        }
        Ok(Route(stops))
    }
}

#[cfg(test)]
mod tests {
    use super::{Permissions, Stop};
    use crate::parse;

    fn worker(name: &str, model: Option<&str>) -> Stop {
        Stop::Worker { name: name.to_owned(), model: model.map(str::to_owned) }
    }

    #[test]
    fn a_route_leads_from_one_worker_to_the_next_and_then_to_a_person() {
        let config =
            parse(b"[agents]\nhaiku = [\"claude:haiku\", \"claude:sonnet\", \"user\"]\ncoder = \"codex\"\n");
        let config = config.unwrap();
        let route = &config.agents["haiku"];
        assert_eq!(route.after(0), Some(&worker("claude", Some("haiku"))));
        assert_eq!(route.after(1), Some(&worker("claude", Some("sonnet"))));
        assert_eq!(route.after(2), Some(&Stop::User));
        assert_eq!(route.after(9), Some(&Stop::User));
        assert_eq!(config.agents["coder"].after(3), Some(&worker("codex", None)));
        assert!(parse(b"[agents]\nx = []\n").is_err());
        assert!(parse(b"[agents]\nx = 3\n").is_err());
    }

    #[test]
    fn a_client_needs_no_command_and_any_other_program_does() {
        let config =
            parse(b"[workers.claude]\npermissions = \"all\"\n[workers.quick]\nresult = \"codex\"\n").unwrap();
        assert_eq!(config.workers["claude"].permissions, Permissions::All);
        assert_eq!(config.workers["quick"].client("quick"), "codex");
        for (text, code) in [
            ("[workers.mine]\nprompt = \"arg\"\n", "empty-command"),
            ("[workers.mine]\nresult = \"klaude\"\n", "bad-result"),
            ("[workers.agent]\nresult = \"acp\"\n", "empty-command"),
            ("[workers.codex]\nsandbox = false\nnetwork = \"none\"\n", "no-sandbox"),
            ("[workers.codex]\ncommand = [\"codex\"]\nargs = [\"-x\"]\n", "two-commands"),
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap_err().code, code, "{text}");
        }
    }
}
