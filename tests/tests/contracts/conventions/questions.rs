//! Questions that are asked of tools that otherwise act: a reader that leaves has simply heard enough.

use super::samples::samples;
use pipeline_tests::DEMO_PLAN;

const QUESTIONS: [(&str, &[&str]); 9] = [
    ("punch", &["list"]),
    ("punch", &["list", "--text"]),
    ("punch", &["verify"]),
    ("checkbox", &["list", DEMO_PLAN]),
    ("handoff", &["--prompt", "../home/handoff"]),
    ("session-export", &["summary", "../home/session"]),
    ("commit-run", &["--help"]),
    ("gate-run", &["--version"]),
    ("worker-run", &["--json-schema"]),
];

#[test]
fn a_question_whose_reader_leaves_ends_silently_with_0() {
    let samples = samples();
    samples.bench.write("../home/session", "{\"version\":2,\"thoughts\":[]}\n");
    let mut wrong = Vec::new();
    for (tool, args) in QUESTIONS {
        samples.bench.command(tool).args(args).run().exits(0);
        let got = samples.bench.command(tool).args(args).to_nobody().run();
        if got.status != 0 || !got.stderr.is_empty() {
            wrong.push(format!("{tool} {}: exit {}, {}", args.join(" "), got.status, got.err()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.concat());
}
