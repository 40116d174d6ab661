//! The arguments of the tools of `orchestrate mcp`.

use serde_json::{Value, json};

const PLAN: &str = "The plan's file, from the root of the repository; only needed where there are several";

pub(crate) fn plan_schema() -> Value {
    schema(&json!({ "plan": { "type": "string", "description": PLAN } }), &[])
}

pub(crate) fn task_schema() -> Value {
    let task = "The task's id; without it the one that is handed out, or the next that is ready";
    schema(
        &json!({
            "task": { "type": "string", "description": task },
            "plan": { "type": "string", "description": PLAN },
        }),
        &[],
    )
}

pub(crate) fn done_schema() -> Value {
    let texts = |about: &str| json!({ "type": "array", "items": { "type": "string" }, "description": about });
    schema(
        &json!({
            "summary": { "type": "string", "description": "What was done, in a sentence or two" },
            "outputs": { "type": "object", "description": "The outputs that the prompt names, each with its value" },
            "learnings": texts("What later tasks must know"),
            "issues": texts("What was found and left open"),
            "blocked": { "type": "string", "description": "Why the task cannot be done; a person is asked" },
            "task": { "type": "string", "description": "The task's id, to be sure" },
            "plan": { "type": "string", "description": PLAN },
        }),
        &["summary"],
    )
}

fn schema(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
