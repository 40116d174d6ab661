//! A parsed row of a card: what it matches, how often that may occur, and whose actions count.

use crate::cards::pattern::{Form, Pattern};
use crate::evidence::deed::Deed;
use config::cards::RowRule;
use toolkit::Fail;
use transcripts::Kind;
use wire::Level;
use wire::punch::Type;

/// One row.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    pub(crate) what: What,
    pub(crate) pattern: Pattern,
    /// The required number of hits.
    pub(crate) min: u64,
    /// The allowed number of hits.
    pub(crate) max: Option<u64>,
    /// Whether only actions after the last edit count.
    pub(crate) after_edit: bool,
    pub(crate) who: Who,
    /// Whether it affects the verdict.
    pub(crate) enforced: bool,
    pub(crate) description: Option<String>,
}

/// What a row matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum What {
    /// Punches of a type.
    Type(Type),
    /// Punches of an unknown type.
    Unknown(String),
    /// Tools of this kind, whatever their names.
    Kind(Kind),
    /// Changed files, by a tool or otherwise.
    Path,
    /// Children of the task that passed a card.
    Child,
    /// The level of evidence of the task: required at least this one, forbidden exactly this one.
    Level(Level),
}

/// Whose actions count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Who {
    /// Those of all agents.
    #[default]
    Any,
    /// Those of the main agent.
    Main,
    /// Those of sub-agents.
    Sub,
}

/// The purpose of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Required,
    Forbidden,
    Limit,
    Optional,
}

/// Where the evidence for a row can come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Only an agent's own record.
    Transcript,
    /// An agent's own record, or observations of our tools.
    Either,
    /// Observations of our tools.
    Ledger,
}

impl Row {
    /// Parses a short row, `type:pattern`.
    pub(crate) fn short(text: &str, used: Use, who: Who) -> Result<Self, Fail> {
        let (kind, pattern) = text.split_once(':').unwrap_or((text, "*"));
        let rule = RowRule {
            kind: kind.to_owned(),
            pattern: Some(pattern.to_owned()),
            required: used == Use::Required,
            forbidden: used == Use::Forbidden,
            ..RowRule::default()
        };
        Self::of(&rule, who)
    }

    /// Parses a row given as a table.
    pub(crate) fn of(rule: &RowRule, who: Who) -> Result<Self, Fail> {
        let what = what(&rule.kind, rule.pattern.as_deref())?;
        let pattern = match (&rule.like, &rule.pattern) {
            (Some(like), None) => Pattern::new(like, Form::Like)?,
            (None, pattern) => {
                let form = if what == What::Path { Form::Path } else { Form::Glob };
                Pattern::new(pattern.as_deref().unwrap_or("*"), form)?
            }
            (Some(_), Some(_)) => {
                return Err(bad(format!("row '{}' has both 'pattern' and 'like'", rule.kind)));
            }
        };
        let after_edit = match rule.after.as_deref() {
            None => false,
            Some("last-edit") => true,
            Some(other) => return Err(bad(format!("'after' is '{other}', not 'last-edit'"))),
        };
        let asks = rule.min.or(rule.required.then_some(1)).unwrap_or(0);
        let (min, max) = if rule.forbidden { (0, Some(0)) } else { (asks, rule.max) };
        if max.is_some_and(|max| max < min) {
            return Err(bad(format!("row '{}' asks for {min} and allows {}", rule.kind, max.unwrap_or(0))));
        }
        let who = rule.agent.as_deref().map_or(Ok(who), parse_who)?;
        let enforced = rule.enforced.unwrap_or(true);
        Ok(Self { what, pattern, min, max, after_edit, who, enforced, description: rule.description.clone() })
    }

    /// `type:pattern`.
    pub(crate) fn shown(&self) -> String {
        format!("{}:{}", self.type_word(), self.pattern.shown)
    }

    /// The first half of a row.
    pub(crate) fn type_word(&self) -> &str {
        match &self.what {
            What::Type(kind) => kind.word(),
            What::Unknown(word) => word,
            What::Kind(_) => "kind",
            What::Path => "path",
            What::Child => "child_card",
            What::Level(_) => "level",
        }
    }

    pub(crate) fn used(&self) -> Use {
        match (self.min, self.max) {
            (_, Some(0)) => Use::Forbidden,
            (_, Some(_)) => Use::Limit,
            (0, None) => Use::Optional,
            (_, None) => Use::Required,
        }
    }

    pub(crate) fn origin(&self) -> Origin {
        use Type::{
            ChildComplete, ChildSpawn, CommandExec, CostCheckpoint, McpCall, Message, SessionLifecycle,
            ToolCall,
        };
        match &self.what {
            What::Kind(_)
            | What::Type(
                ToolCall | CommandExec | McpCall | ChildSpawn | ChildComplete | CostCheckpoint
                | SessionLifecycle | Message,
            ) => Origin::Transcript,
            What::Path => Origin::Either,
            What::Type(_) | What::Unknown(_) | What::Child | What::Level(_) => Origin::Ledger,
        }
    }

    /// Whether the row is about the end of the work itself, which comes after the worker's own check.
    pub(crate) fn is_exit(&self) -> bool {
        match &self.what {
            What::Kind(kind) => *kind == Kind::Complete,
            What::Type(Type::StepComplete) => self.pattern.matches("task_exit"),
            What::Type(Type::SessionLifecycle) => self.pattern.matches("done"),
            _ => false,
        }
    }

    /// Whether the row matches a deed. Something that did not happen does not count: a refused edit changed nothing,
    /// while a failed command may have done half of its work.
    pub(crate) fn hit(&self, deed: &Deed, root: &str) -> bool {
        let Some(tool) = &deed.tool else { return self.hit_by_key(deed, root) };
        let whose = match self.who {
            Who::Any => true,
            Who::Main => tool.agent.is_empty(),
            Who::Sub => !tool.agent.is_empty(),
        };
        let counts = tool.ok != Some(false) || (self.used() != Use::Required && tool.may_half_happen());
        whose
            && counts
            && match &self.what {
                What::Kind(kind) => tool.kind == *kind,
                What::Type(Type::ToolCall) => self.pattern.matches(&tool.name),
                What::Path => {
                    tool.changes_files()
                        && tool.paths.iter().any(|path| self.pattern.matches_path(path, root))
                }
                _ => self.hit_by_key(deed, root),
            }
    }

    fn hit_by_key(&self, deed: &Deed, root: &str) -> bool {
        match &self.what {
            What::Type(kind) => deed.kind == *kind && self.matches_key(&deed.key),
            What::Path => deed.kind == Type::FileChange && self.pattern.matches_path(&deed.key, root),
            _ => false,
        }
    }

    /// The ledger has gates of the configuration as `gate:ID`; cards may name them with or without the prefix.
    pub(crate) fn matches_key(&self, key: &str) -> bool {
        self.pattern.matches(key) || key.strip_prefix("gate:").is_some_and(|id| self.pattern.matches(id))
    }

    /// Whether the level of a task is what the row asks for.
    pub(crate) fn hit_by_level(&self, found: Option<Level>) -> bool {
        match (&self.what, found) {
            (What::Level(level), Some(found)) if self.used() == Use::Forbidden => found == *level,
            (What::Level(level), Some(found)) => found <= *level,
            _ => false,
        }
    }

    /// The gate type, if the row is about checks.
    pub(crate) fn gate(&self) -> Option<Type> {
        match self.what {
            What::Type(kind @ (Type::GatePass | Type::GateFail | Type::GateFault)) => Some(kind),
            _ => None,
        }
    }
}

fn what(word: &str, pattern: Option<&str>) -> Result<What, Fail> {
    match word {
        "" => Err(bad("a row has no 'type'".to_owned())),
        "kind" => {
            let word = pattern.unwrap_or_default();
            let kind = Kind::parse(word);
            kind.map(What::Kind).ok_or_else(|| bad(format!("there is no kind '{word}' of tools")))
        }
        "path" => Ok(What::Path),
        "child_card" => Ok(What::Child),
        "level" => {
            let word = pattern.unwrap_or_default();
            let level = Level::parse(word);
            let known = || Level::ALL.map(Level::word).join(", ");
            level
                .map(What::Level)
                .ok_or_else(|| bad(format!("there is no level '{word}'; levels are {}", known())))
        }
        word => Ok(Type::parse(word).map_or_else(|| What::Unknown(word.to_owned()), What::Type)),
    }
}

/// Reads `main`, `sub` or `any`.
pub(crate) fn parse_who(word: &str) -> Result<Who, Fail> {
    match word {
        "any" => Ok(Who::Any),
        "main" => Ok(Who::Main),
        "sub" => Ok(Who::Sub),
        other => Err(bad(format!("'agent' is '{other}', not 'main', 'sub' or 'any'"))),
    }
}

fn bad(message: String) -> Fail {
    Fail::config("bad-card", message)
}
