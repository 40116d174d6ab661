//! Questions that are asked of tools that otherwise act: a reader that leaves has simply heard enough.

use crate::samples::samples;
use crate::silent;
use pipeline_tests::DEMO_PLAN;

#[test]
fn a_question_whose_reader_leaves_ends_silently_with_0() {
    let samples = samples();
    let questions: [(&str, &[&str]); 6] = [
        ("punch", &["list"]),
        ("punch", &["verify"]),
        ("punch", &["list", "--text"]),
        ("checkbox", &["--list", DEMO_PLAN]),
        ("commit-run", &["--help"]),
        ("worker-run", &["--json-schema"]),
    ];
    for (tool, args) in questions {
        silent(&samples.bench.command(tool).args(args).to_nobody().run());
    }
}
