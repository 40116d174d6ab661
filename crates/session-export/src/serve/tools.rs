//! The tools that the workflows call, by the names and with the answers of the thinking server.

use serde::Deserialize;
use serde_json::{Value, json};
use sessions::live::analysis;
use sessions::{Draft, Live, Over, SessionText, Stage, Target};
use std::path::{Path, PathBuf};
use toolkit::Fail;
use toolkit::cli::clock::Clock;
use toolkit::files::root;
use toolkit::stream::mcp::{self, Nothing, Service, Tool};

/// What the tools work on.
pub(super) struct Tools {
    /// The live session.
    pub(super) live: Live,
    /// The root that paths are seen from.
    pub(super) root: PathBuf,
    /// The clock.
    pub(super) clock: Clock,
}

const TABLE: &[Tool<Tools>] = &[
    Tool {
        name: "process_thought",
        about: "Add one thought to the session. Numbers count from 1 without gaps; a revision names the thought that \
                it revises, a branch the thought that it leaves from.",
        takes: thought_schema,
        act: Tools::process_thought,
    },
    Tool {
        name: "generate_summary",
        about: "Say what the session holds: stages, timeline, branches, tags, current stage, chosen approach, success \
                criteria, risks.",
        takes: Nothing::schema,
        act: Tools::generate_summary,
    },
    Tool {
        name: "export_session",
        about: "Write the session to a file of the repository. A link of a chain must follow the link that was imported.",
        takes: path_schema,
        act: Tools::export_session,
    },
    Tool {
        name: "import_session",
        about: "Make a session the base of the next thoughts. A file that is missing or corrupt is an error, and the \
                session stays as it is.",
        takes: path_schema,
        act: Tools::import_session,
    },
    Tool {
        name: "clear_history",
        about: "Begin the session anew.",
        takes: Nothing::schema,
        act: Tools::clear_history,
    },
];

impl Service for Tools {
    const NAME: &'static str = "session-export";
    const INSTRUCTIONS: &'static str = "Keeps one thinking session for this repository. Begin a task with clear_history, \
                                        or import_session of the last link of its chain; export_session under the \
                                        link's own name, such as .kilocode/thinking/task-ID-prep-2026-01-31.json. Paths \
                                        are relative to the root of the repository.";
    const TOOLS: &'static [Tool<Self>] = TABLE;
}

impl Tools {
    fn process_thought(&mut self, arguments: Value) -> Result<Value, Fail> {
        let given: Given = mcp::arguments(arguments)?;
        let Some(stage) = Stage::of(&given.stage) else {
            let message = format!("'{}' is not one of the stages {}", given.stage, Stage::names());
            return Err(Fail::data("bad-thought", message));
        };
        if given.is_revision != given.revises_thought_number.is_some() {
            return Err(Fail::data("bad-thought", "is_revision and revises_thought_number go together"));
        }
        let now = self.clock.now();
        let timestamp = now.clone();
        let (draft, kept) = self.live.think(&now, |_| Draft {
            thought: given.thought,
            number: given.thought_number,
            total: given.total_thoughts,
            next: given.next_thought_needed,
            tags: given.tags.unwrap_or_default(),
            axioms: given.axioms_used.unwrap_or_default(),
            assumptions: given.assumptions_challenged.unwrap_or_default(),
            revises: given.revises_thought_number,
            branch_from: given.branch_from_thought,
            branch_id: given.branch_id,
            timestamp,
            ..Draft::of(stage)
        })?;
        Ok(analysis::analysis(&draft, &kept.judged()?))
    }

    fn generate_summary(&mut self, arguments: Value) -> Result<Value, Fail> {
        let Nothing {} = mcp::arguments(arguments)?;
        let kept = self.live.read()?;
        let path = self.live.path().display().to_string();
        Ok(sessions::summary::source::shape(&sessions::summary::of_live(&path, &kept)?))
    }

    fn export_session(&mut self, arguments: Value) -> Result<Value, Fail> {
        let given: FileTarget = mcp::arguments(arguments)?;
        let path = self.writable(&given.file_path)?;
        let written = sessions::export(&self.live, &Target::file(&path, Over::Refuse), &self.clock.now())?;
        Ok(json!({
            "status": "success",
            "message": format!("Session exported to {}", given.file_path),
            "thoughts": written.thoughts,
            "sha256": written.sha256,
            "chain": written.chain,
        }))
    }

    fn import_session(&mut self, arguments: Value) -> Result<Value, Fail> {
        let given: FileTarget = mcp::arguments(arguments)?;
        let sheet = SessionText::open(&self.inside(&given.file_path)?)?;
        let live = self.live.import(&sheet, &self.clock.now())?;
        Ok(json!({
            "status": "success",
            "message": format!("Session imported from {}", given.file_path),
            "thoughts": live.thoughts,
            "currentStage": live.current_stage,
        }))
    }

    fn clear_history(&mut self, arguments: Value) -> Result<Value, Fail> {
        let Nothing {} = mcp::arguments(arguments)?;
        self.live.clear(&self.clock.now())?;
        Ok(json!({ "status": "success", "message": "Thought history cleared" }))
    }

    /// The same for a file that is to be written: no one may make files where git and we keep ours.
    fn writable(&self, path: &str) -> Result<PathBuf, Fail> {
        let place = self.inside(path)?;
        let nearest = place.ancestors().find_map(|p| p.canonicalize().ok()).unwrap_or_default();
        let kept = |part: &std::ffi::OsStr| {
            part.eq_ignore_ascii_case(".git") || part.eq_ignore_ascii_case(".plantools")
        };
        let own = place.strip_prefix(&self.root).unwrap_or(&place);
        let real = nearest.strip_prefix(&self.root).unwrap_or(Path::new(""));
        if own.iter().chain(real).any(kept) {
            return Err(Fail::data("path-outside", format!("'{path}' is in a folder of git's or of ours")));
        }
        Ok(place)
    }

    /// A path of the repository, given from its root or whole; never one outside.
    fn inside(&self, path: &str) -> Result<PathBuf, Fail> {
        let own = Path::new(path).strip_prefix(&self.root).ok().and_then(Path::to_str);
        root::inside(&self.root, own.unwrap_or(path))
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Given {
    thought: String,
    thought_number: u64,
    total_thoughts: u64,
    next_thought_needed: bool,
    stage: String,
    tags: Option<Vec<String>>,
    axioms_used: Option<Vec<String>>,
    assumptions_challenged: Option<Vec<String>>,
    #[serde(default)]
    is_revision: bool,
    revises_thought_number: Option<u64>,
    branch_from_thought: Option<u64>,
    branch_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileTarget {
    file_path: String,
}

fn thought_schema() -> Value {
    let texts = |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
    let number = |about: &str| json!({ "type": "integer", "minimum": 1, "description": about });
    json!({
        "type": "object",
        "properties": {
            "thought": { "type": "string", "description": "What is thought" },
            "thought_number": number("Counted from 1"),
            "total_thoughts": number("How many are foreseen"),
            "next_thought_needed": { "type": "boolean", "description": "Whether another is to follow" },
            "stage": { "type": "string", "description": Stage::names() },
            "tags": texts("Words to find it by"),
            "axioms_used": texts("Principles that it rests on"),
            "assumptions_challenged": texts("Assumptions that it challenges"),
            "is_revision": { "type": "boolean", "description": "Whether it revises another" },
            "revises_thought_number": number("The thought that it revises"),
            "branch_from_thought": number("The thought that its branch leaves from"),
            "branch_id": { "type": "string", "description": "The name of its branch" },
        },
        "required": ["thought", "thought_number", "total_thoughts", "next_thought_needed", "stage"],
        "additionalProperties": false,
    })
}

fn path_schema() -> Value {
    json!({
        "type": "object",
        "properties": { "file_path": { "type": "string", "description": "The file, from the root of the repository" } },
        "required": ["file_path"],
        "additionalProperties": false,
    })
}
