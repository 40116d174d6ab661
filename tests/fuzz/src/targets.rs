//! The table of targets: every parser of what comes from outside, and what must hold for whatever it is given. A target
//! panics where a law is broken.

use crate::{answers, checks_law, contracts, plans, sessions, settings, transcripts};

/// A name and what is done with the bytes.
pub(crate) type Target = (&'static str, fn(&[u8]));

/// Every target.
pub(crate) fn table() -> Vec<Target> {
    vec![
        ("plan", plans::any),
        ("plan-md", |bytes| plans::of("plan-md", bytes)),
        ("workflow", |bytes| plans::of("workflow", bytes)),
        ("runbook", |bytes| plans::of("runbook", bytes)),
        ("handoff", |bytes| plans::of("handoff", bytes)),
        ("spec-kit", |bytes| plans::of("spec-kit", bytes)),
        ("kiro", |bytes| plans::of("kiro", bytes)),
        ("cc-sdd", |bytes| plans::of("cc-sdd", bytes)),
        ("openspec", |bytes| plans::of("openspec", bytes)),
        ("superpowers", |bytes| plans::of("superpowers", bytes)),
        ("ralphex", |bytes| plans::of("ralphex", bytes)),
        ("gsd", |bytes| plans::of("gsd", bytes)),
        ("taskmaster", |bytes| plans::of("taskmaster", bytes)),
        ("beads", |bytes| plans::of("beads", bytes)),
        ("taskmd", |bytes| plans::of("taskmd", bytes)),
        ("ccpm", |bytes| plans::of("ccpm", bytes)),
        ("plan-v1", |bytes| plans::of("plan/v1", bytes)),
        ("spec-json", |bytes| plans::of("spec.json", bytes)),
        ("plan-content", |bytes| plans::of("plan-content", bytes)),
        ("checklist", |bytes| plans::of("checklist", bytes)),
        ("plan-folder", plans::folder),
        ("criterion", plans::criterion),
        ("check", checks_law::check),
        ("verdict", checks_law::verdict),
        ("journal", plans::journal),
        ("transcript", transcripts::any),
        ("claude", |bytes| transcripts::of("claude", bytes)),
        ("codex", |bytes| transcripts::of("codex", bytes)),
        ("kilo", |bytes| transcripts::of("kilo", bytes)),
        ("opencode", |bytes| transcripts::of("opencode", bytes)),
        ("gemini", |bytes| transcripts::of("gemini", bytes)),
        ("goose", |bytes| transcripts::of("goose", bytes)),
        ("cline", |bytes| transcripts::of("cline", bytes)),
        ("aider", |bytes| transcripts::of("aider", bytes)),
        ("plantools", |bytes| transcripts::of("plantools", bytes)),
        ("events", |bytes| transcripts::of("events", bytes)),
        ("transcript-folder", transcripts::folder),
        ("gate-log", transcripts::gate_log),
        ("order", contracts::order),
        ("plan-document", contracts::plan),
        ("document", contracts::document),
        ("ledger", contracts::ledger),
        ("session", sessions::session),
        ("session-result", sessions::result),
        ("session-packet", sessions::packet),
        ("session-server", sessions::server),
        ("plantools-toml", settings::plantools_toml),
        ("foreign-toml", settings::foreign_toml),
        ("cards", settings::cards),
        ("gate-hook", settings::gate_hook),
        ("punch-hook", settings::punch_hook),
        ("restoration", settings::restoration),
        ("answer", answers::answer),
        ("client-output", answers::client),
        ("test-report", answers::report),
        ("secrets", answers::secrets),
    ]
}
