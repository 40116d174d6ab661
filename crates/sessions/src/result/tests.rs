//! Both shapes of a child's result, and faulty ones.

use super::read;

const RETURN: &str = "Done.\n\n## Status\nstate: SUCCESS\nsummary: Made it.\n\n## Deliverables\n- src/a.rs — the reader\n\n## Evidence\n- cargo test\n\n## Runtime Attestation\nruntime_model_reported: openai/m-1\nruntime_mode_reported: code\nfiles_created:\n- src/a.rs\nfiles_modified:\n- (none)\nlimitations:\n- no docs\n";

const SUBTASK: &str = "```markdown\n## Subtask Result\n\n### Status\n- state: PARTIAL\n- summary: half\n\n### Deliverables\n- `src/b.rs`: changed\n\n### Success Criteria Verification\n- Tests: all of them: PASS — 12 passed\n\n### Quality Gates\n- lint: FAIL\n\n### Evidence\n- runtime_model_reported: m-2\n- runtime_mode_reported: code\n- files_created: []\n- files_modified: [src/b.rs, src/c.rs]\n```\n";

#[test]
fn the_return_shape_is_read() {
    let result = read("r.md", RETURN, Some("m-1")).unwrap();
    assert_eq!((result.shape.as_str(), result.state.as_deref()), ("return", Some("SUCCESS")));
    assert_eq!(
        (result.deliverables[0].path.as_str(), result.deliverables[0].description.as_str()),
        ("src/a.rs", "the reader")
    );
    assert_eq!((result.files_created, result.files_modified), (vec!["src/a.rs".to_owned()], vec![]));
    assert_eq!(
        (result.evidence, result.limitations),
        (vec!["cargo test".to_owned()], vec!["no docs".to_owned()])
    );
    assert_eq!((result.model_match.as_deref(), result.problems), (Some("same"), vec![]));
}

#[test]
fn the_subtask_shape_is_read_inside_a_fence() {
    let result = read("r.md", SUBTASK, Some("m-1")).unwrap();
    assert_eq!((result.shape.as_str(), result.state.as_deref()), ("subtask", Some("PARTIAL")));
    assert_eq!(
        (result.criteria[0].name.as_str(), result.criteria[0].status.as_str()),
        ("Tests: all of them", "PASS")
    );
    assert_eq!(result.criteria[0].evidence, "12 passed");
    assert_eq!((result.gates[0].name.as_str(), result.gates[0].status.as_str()), ("lint", "FAIL"));
    assert_eq!(
        (result.files_created.len(), result.files_modified.as_slice()),
        (0, &["src/b.rs".to_owned(), "src/c.rs".to_owned()][..])
    );
    assert_eq!((result.model_match.as_deref(), result.problems), (Some("other"), vec![]));
}

#[test]
fn an_error_must_say_whether_to_try_again() {
    let text = RETURN.replace("state: SUCCESS", "state: ERROR");
    assert_eq!(read("r.md", &text, None).unwrap().problems, ["an ERROR must say 'retry_recommended'"]);
    let text = text.replace("summary:", "retry_recommended: yes\nretry_hint: more time\nsummary:");
    let result = read("r.md", &text, None).unwrap();
    assert_eq!(
        (result.retry_recommended, result.retry_hint.as_deref(), result.problems.len()),
        (Some(true), Some("more time"), 0)
    );
}

#[test]
fn what_is_missing_or_leads_outside_is_said() {
    let cases = [
        (RETURN.replace("## Evidence", "## Notes"), "there is no '## Evidence'"),
        (RETURN.replace("SUCCESS", "FINE"), "state 'FINE' is not one of SUCCESS, ERROR, PARTIAL"),
        (RETURN.replace("runtime_mode_reported: code\n", ""), "there is no 'runtime_mode_reported'"),
        (
            RETURN.replace("files_modified:\n- (none)", "files_modified:\n- ../x"),
            "'../x' is not below the root",
        ),
    ];
    for (text, problem) in cases {
        assert_eq!(read("r.md", &text, None).unwrap().problems, [problem]);
    }
    assert_eq!(read("r.md", "All done.", None).unwrap_err().code, "no-result");
}

#[test]
fn the_last_of_several_results_counts() {
    let text = format!("{RETURN}\n---\n{}", RETURN.replace("Made it", "Made it again"));
    assert_eq!(read("r.md", &text, None).unwrap().summary, "Made it again.");
}

#[test]
fn a_child_that_reports_no_model_matches_nothing() {
    let text = RETURN.replace("openai/m-1", "unknown");
    assert_eq!(read("r.md", &text, Some("m-1")).unwrap().model_match.as_deref(), Some("unknown"));
}
