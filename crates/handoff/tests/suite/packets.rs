//! The packet: complete for each workflow, under its own names.

use crate::desk::Desk;
use crate::projects::{EXECUTE_TASK, PLAN_MD, WORKFLOW};
use serde_json::{Value, json};
use sessions::Schema;

const PLAN: &str = ".dev/specs/greet/PLAN.md";
const TODO: &str = ".kilocode/todo/kit-7.md";

#[test]
fn a_subtask_has_its_nine_fields_and_both_schemas() {
    let desk = Desk::with(EXECUTE_TASK);
    let (order, packet) = desk.packet(&[], &desk.order(TODO, "subtask-2"));
    let nine = json!({
        "task_id": "kit-7",
        "bead_id": "bd-42",
        "subtask_index": 2,
        "subtask_description": "Print the file",
        "files": [{"path": "src/show.py", "action": "write"}],
        "success_criteria": ["`python3 -m kit.show x` → exit 0"],
        "session_export_path": ".kilocode/thinking/execution-kit-7-subtask-1-2026-01-31.json",
        "workflow_instruction": "Follow the `/execute-subtask` workflow. Your punch card is `execute-subtask`.",
    });
    for (name, value) in nine.as_object().unwrap() {
        assert_eq!(&packet[name], value, "{name}");
    }
    assert_eq!(packet["constraints"][0], "Do not change src/parse.py");
    for name in
        ["objective", "evidence", "risks", "deliverables", "dependencies", "interface_appendix", "notes"]
    {
        assert!(!packet[name].is_null() || name == "notes", "composability: {name}");
    }
    assert_eq!(packet["handoff_schema"], "composability.handoff_packet.v1");
    for name in
        ["session_export", "decision", "subtasks", "files_touched", "risks", "tests", "runtime_attestations"]
    {
        assert!(!packet[name].is_null(), "kit: {name}");
    }
    assert_eq!(
        packet["subtasks"][0],
        json!({"id": 1, "description": "Parse the file", "status": "completed"})
    );
    assert_eq!(packet["session_export_to"], ".kilocode/thinking/execution-kit-7-subtask-2-2026-01-31.json");
    let session = &order["handoff"]["session"];
    assert_eq!(session["path"], ".kilocode/thinking/execution-kit-7-subtask-1-2026-01-31.json");
    assert_eq!(session["sha256"].as_str().unwrap().len(), 64);
    // The reader of packets accepts ours, in every schema.
    let path = order["handoff"]["packet"]["path"].as_str().unwrap();
    for schema in [Schema::Kit, Schema::Composability, Schema::Subtask] {
        let verdict = sessions::check_packet(path, desk.read(path).as_bytes(), Some(schema)).unwrap();
        let wrong: Vec<_> = verdict.rules.iter().filter(|rule| !rule.ok).collect();
        assert!(wrong.is_empty(), "{}: {wrong:?}", schema.name());
    }
    let plan = dialects::open(&desk.root().join(path), desk.root(), None).unwrap();
    assert_eq!((plan.source.dialect.as_str(), plan.title.as_str()), ("handoff", "kit-7"));
}

#[test]
fn a_workflow_task_has_its_context_package_checked_by_six_rules() {
    let desk = Desk::with(WORKFLOW);
    let (order, packet) = desk.packet(&[], &desk.order(".workflow/active/WFS-auth", "IMPL-2"));
    assert_eq!(packet["task"]["id"], "IMPL-2");
    let spec = ".workflow/active/WFS-auth/.brainstorming/spec.md";
    assert_eq!(packet["artifacts"]["synthesis_specification"], json!({"path": spec, "priority": "highest"}));
    assert_eq!(packet["artifacts"]["of_task"][0]["path"], spec, "the placeholder is resolved");
    assert_eq!(packet["flow_context"]["declared"][0], json!({"name": "spec", "step": "load_spec"}));
    assert_eq!(packet["session"]["task_json_path"], ".workflow/active/WFS-auth/.task/IMPL-2.json");
    assert!(packet["dependencies"][0]["summary"].as_str().unwrap().contains("`users` has a `name`"));
    assert_eq!(packet["inherited"]["from"], "IMPL-1");
    let rules: Vec<_> = packet["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|r| (r["rule"].as_str().unwrap(), r["status"].as_str().unwrap()))
        .collect();
    assert_eq!(
        rules,
        [
            ("task-json-complete", "pass"),
            ("artifacts-available", "warn"),
            ("flow-control-ready", "pass"),
            ("dependencies-loaded", "pass"),
            ("session-paths-valid", "pass"),
            ("agent-assigned", "pass"),
        ]
    );
    let warnings = order["handoff"]["warnings"].to_string();
    assert!(warnings.contains("architect.md") && order.get("halt").is_none(), "{order:#}");
}

#[test]
fn inputs_keep_their_form_and_are_cited() {
    let desk = Desk::with(PLAN_MD);
    let (order, packet) = desk.packet(&[], &desk.order(PLAN, "2"));
    assert_eq!(
        order["handoff"]["inputs"],
        json!({"names_path": "config/names.txt", "languages": ["en", "de"]})
    );
    let cited = packet["interface_appendix"].as_array().unwrap();
    assert!(
        cited.iter().any(|row| row["identifier"] == "${todo-1.outputs.languages}"
            && row["actual_value"] == "[\"en\",\"de\"]")
    );
    let paths: Vec<_> =
        packet["evidence"].as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect();
    assert_eq!(paths, [PLAN, "docs/style.md", "AGENTS.md"]);
    assert_eq!(
        packet["deliverables"][0],
        json!({"path": "bin/greet", "description": "the program", "must_create": true})
    );
}

#[test]
fn files_are_private_and_sealed() {
    use std::os::unix::fs::PermissionsExt;
    let desk = Desk::with(PLAN_MD);
    let (order, _) = desk.packet(&[], &desk.order(PLAN, "2"));
    for part in ["packet", "prompt"] {
        let sealed = &order["handoff"][part];
        let path = desk.root().join(sealed["path"].as_str().unwrap());
        assert_eq!(
            toolkit::files::sha::hex(&std::fs::read(&path).unwrap()),
            sealed["sha256"].as_str().unwrap()
        );
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().metadata().unwrap().permissions().mode() & 0o777, 0o700);
    }
}

#[test]
fn secrets_are_masked_wherever_they_come_from_and_the_packet_stays_json() {
    let desk = Desk::with(PLAN_MD);
    desk.write("plantools.toml", "[redact]\npatterns = ['\"[^\"]*frozen[^\"]*\"', 'hush-\\w+']\n");
    desk.write(
        ".dev/specs/greet/context/learnings.md",
        "- the key is ghp_abcdefghijklmnopqrstuvwxyz0123 and hush-hush\n",
    );
    let outputs = json!({"todo-1": {"names_path": "hush-path", "languages": ["hush-a", "\"frozen\""]}});
    desk.write(".dev/specs/greet/context/outputs.json", outputs.to_string());
    let (order, packet) = desk.packet(&[], &desk.order(PLAN, "2"));
    let prompt = desk.read(order["handoff"]["prompt"]["path"].as_str().unwrap());
    for text in [order.to_string(), packet.to_string(), prompt] {
        assert!(!text.contains("hush-") && !text.contains("ghp_"), "{text}");
    }
    assert_eq!(order["handoff"]["inputs"]["names_path"], "[masked]");
    assert_eq!(packet["order"]["inputs"]["languages"], json!(["[masked]", "[masked]"]));
}

#[test]
fn a_large_value_travels_as_a_file() {
    let desk = Desk::with(PLAN_MD);
    let outputs = json!({"todo-1": {"names_path": "x".repeat(1 << 20), "languages": []}});
    desk.write(".dev/specs/greet/context/outputs.json", outputs.to_string());
    let got = desk.handoff(&[], &desk.order(PLAN, "2"));
    assert_eq!(got.code, 0, "{}", got.err);
    assert!(got.out.len() < 1 << 16);
    let order: Value = serde_json::from_str(&got.out).unwrap();
    let sealed = &order["handoff"]["inputs"]["names_path"];
    let value: Value = serde_json::from_str(&desk.read(sealed["path"].as_str().unwrap())).unwrap();
    assert_eq!(value.as_str().unwrap().len(), 1 << 20);
}
