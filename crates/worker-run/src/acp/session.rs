//! One session with an agent: it is greeted, asked once, and answered where it asks.

use super::agent::{Agent, Heard};
use super::calls::Calls;
use super::{Events, Trouble, permission};
use config::workers::Permissions;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};
use toolkit::cli::signals::Signals;

/// How much of the agent's words is kept: the end.
const WORDS: usize = 1 << 20;
/// How long an agent has to end its turn after it was told to.
const TO_CANCEL: Duration = Duration::from_secs(5);
const MOMENT: Duration = Duration::from_millis(200);

/// A session with an agent.
pub(super) struct Session<'a> {
    agent: Agent,
    tree: &'a Path,
    rights: Permissions,
    signals: &'a Signals,
    id: String,
    calls: Calls,
    /// The agent's words since its last call.
    said: String,
    /// When it was told to end its turn.
    cancelled: Option<Instant>,
    /// The latest cost of the session, in dollars.
    cost: Option<f64>,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        command: &[OsString],
        tree: &'a Path,
        rights: Permissions,
        signals: &'a Signals,
    ) -> Result<Self, Trouble> {
        let agent = Agent::start(command)?;
        let (id, said) = (String::new(), String::new());
        Ok(Self {
            agent,
            tree,
            rights,
            signals,
            id,
            calls: Calls::default(),
            said,
            cancelled: None,
            cost: None,
        })
    }

    /// Greets the agent, asks it, and returns its last words.
    pub(super) fn carry(
        &mut self,
        prompt: &str,
        model: Option<&str>,
        events: &mut Events<'_>,
    ) -> Result<String, Trouble> {
        // It reads, writes and runs commands by itself: we see its calls and answer what it asks.
        let able = json!({"fs": {"readTextFile": false, "writeTextFile": false}, "terminal": false});
        let who = json!({"name": "plantools", "title": "plantools", "version": env!("CARGO_PKG_VERSION")});
        let greeting = json!({"protocolVersion": 1, "clientCapabilities": able, "clientInfo": who});
        self.asked("initialize", &greeting, events)?;
        let new = json!({"cwd": self.tree, "mcpServers": []});
        let session = self.asked("session/new", &new, events)?;
        let id = session.get("sessionId").and_then(Value::as_str);
        let id = id.ok_or_else(|| Trouble::new("nonsense", "the agent began a session without a name"))?;
        id.clone_into(&mut self.id);
        if let Some(model) = model {
            let wanted = json!({"sessionId": self.id, "modelId": model});
            self.asked("session/set_model", &wanted, events)?;
        }
        let current = session.pointer("/models/currentModelId").and_then(Value::as_str);
        let mut begun = json!({"type": "session", "session": self.id});
        if let Some(model) = model.or(current) {
            begun["model"] = model.into();
        }
        events.tell(&begun)?;
        let turn = json!({"sessionId": self.id, "prompt": [{"type": "text", "text": prompt}]});
        let ended = self.asked("session/prompt", &turn, events);
        for call in self.calls.rest() {
            events.tell(&call)?;
        }
        let ended = ended?;
        let mut used = json!({"type": "usage"});
        if let Some(tokens) = tokens(&ended) {
            used["tokens"] = tokens;
        }
        if let Some(cost) = self.cost {
            used["cost"] = cost.into();
        }
        events.tell(&used)?;
        match ended.get("stopReason").and_then(Value::as_str) {
            Some("end_turn") => Ok(std::mem::take(&mut self.said)),
            Some("max_tokens" | "max_turn_requests") => {
                Err(Trouble::new("max-turns", "the agent's turns are used up"))
            }
            Some("refusal") => Err(Trouble::new("refusal", format!("the agent refused: {}", self.said))),
            Some("cancelled") => Err(Trouble::new("cancelled", "the turn was cancelled")),
            other => {
                let word = other.unwrap_or("none");
                Err(Trouble::new(
                    "nonsense",
                    format!("the agent ended its turn for an unknown reason: {word}"),
                ))
            }
        }
    }

    /// The answer to a request; meanwhile the agent's own messages are taken.
    fn asked(&mut self, method: &str, params: &Value, events: &mut Events<'_>) -> Result<Value, Trouble> {
        let id = self.agent.ask(method, params)?;
        loop {
            self.look_at_signals()?;
            let Heard::Message(message) = self.agent.hear(MOMENT)? else { continue };
            events.alive()?;
            let is_answer = message.get("method").is_none();
            if !is_answer {
                self.told(&message, events)?;
            } else if message.get("id").and_then(Value::as_u64) == Some(id) {
                return match message.get("error").filter(|error| !error.is_null()) {
                    Some(error) => Err(refused(method, error)),
                    None => Ok(message.get("result").cloned().unwrap_or_default()),
                };
            }
        }
    }

    /// Once we are told to stop, the agent is told to cancel its turn; it has a while for that.
    fn look_at_signals(&mut self) -> Result<(), Trouble> {
        match self.cancelled {
            None if self.signals.count() > 0 => {
                self.cancelled = Some(Instant::now());
                let params = json!({"sessionId": self.id});
                self.agent.send(&json!({"jsonrpc": "2.0", "method": "session/cancel", "params": params}))
            }
            Some(since) if since.elapsed() > TO_CANCEL => {
                Err(Trouble::new("cancelled", "the agent did not cancel its turn"))
            }
            _ => Ok(()),
        }
    }

    /// A message of the agent's own: an update, or a request.
    fn told(&mut self, message: &Value, events: &mut Events<'_>) -> Result<(), Trouble> {
        let nothing = Value::Null;
        let params = message.get("params").unwrap_or(&nothing);
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let Some(id) = message.get("id").filter(|id| !id.is_null()) else {
            if method == "session/update" {
                self.update(params.get("update").unwrap_or(&nothing), events)?;
            }
            return Ok(());
        };
        let answer = if method == "session/request_permission" {
            let is_allowed = self.cancelled.is_none() && permission::allows(self.rights, params, self.tree);
            if !is_allowed && self.cancelled.is_none() {
                let call = params.get("toolCall").unwrap_or(&nothing);
                let named = ["kind", "title"].iter().find_map(|name| call.get(name)?.as_str());
                let tool: String = named.unwrap_or("tool").chars().take(200).collect();
                events.tell(&json!({"type": "denied", "tool": tool}))?;
            }
            let result = permission::answer(is_allowed, params);
            json!({"jsonrpc": "2.0", "id": id, "result": result})
        } else {
            let error = json!({"code": -32601, "message": "not supported"});
            json!({"jsonrpc": "2.0", "id": id, "error": error})
        };
        self.agent.send(&answer)
    }

    fn update(&mut self, update: &Value, events: &mut Events<'_>) -> Result<(), Trouble> {
        match update.get("sessionUpdate").and_then(Value::as_str).unwrap_or_default() {
            "agent_message_chunk" => {
                let text = update.pointer("/content/text").and_then(Value::as_str).unwrap_or_default();
                self.said.push_str(text);
                if self.said.len() > 2 * WORDS {
                    let from = self.said.len() - WORDS;
                    let from =
                        (from..=self.said.len()).find(|at| self.said.is_char_boundary(*at)).unwrap_or(from);
                    self.said.drain(..from);
                }
            }
            "tool_call" | "tool_call_update" => {
                self.said.clear();
                if let Some(event) = self.calls.take(update) {
                    events.tell(&event)?;
                }
            }
            "usage_update" => {
                let is_dollars = update.pointer("/cost/currency").is_none_or(|it| *it == "USD");
                let cost = update.pointer("/cost/amount").and_then(Value::as_f64).filter(|_| is_dollars);
                self.cost = cost.or(self.cost);
            }
            _ => {}
        }
        Ok(())
    }
}

/// The tokens of a turn, where the agent tells them. What it read from a cache, or wrote to one, is no part of its input.
fn tokens(ended: &Value) -> Option<Value> {
    let usage = ended.get("usage").filter(|usage| usage.is_object());
    if let Some(usage) = usage {
        let count = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or_default();
        let (cached, stored) = (count("cachedReadTokens"), count("cachedWriteTokens"));
        let all = count("inputTokens").saturating_add(cached).saturating_add(stored);
        let total = count("totalTokens");
        // Some agents count what is in a cache as input, others beside it; the total tells.
        let is_within = total > 0 && total < all.saturating_add(count("outputTokens"));
        let input = if is_within { count("inputTokens") } else { all };
        let output = if total > 0 { total.saturating_sub(input) } else { count("outputTokens") };
        return Some(json!({"input": input, "output": output, "cached": cached}));
    }
    let counted = ended.pointer("/_meta/quota/token_count")?;
    let count = |name: &str| counted.get(name).and_then(Value::as_u64);
    Some(json!({"input": count("input_tokens")?, "output": count("output_tokens")?, "cached": 0}))
}

/// A request that the agent answered with an error.
fn refused(method: &str, error: &Value) -> Trouble {
    const AUTH_REQUIRED: i64 = -32000;
    let message = error.get("message").and_then(Value::as_str).unwrap_or("no message");
    let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
    let detail = error.get("data").filter(|data| !data.is_null());
    let detail = detail.map(|data| format!(" {data}")).unwrap_or_default();
    let words: String = format!("{method}: {message}{detail}").chars().take(2000).collect();
    let needs_login = code == AUTH_REQUIRED && !message.contains("limit");
    Trouble::new(if needs_login { "login" } else { "error" }, words)
}
