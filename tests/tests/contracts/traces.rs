//! `run-report --final --format otlp`: the history of a plan as a collector takes it.

use pipeline_tests::{DEMO_PLAN, bench, workspace};
use serde_json::Value;
use std::collections::HashMap;
use std::io::Write;

#[test]
fn the_traces_hang_together_and_fit_the_schema_of_the_protocol() {
    let bench = bench!(demo);
    bench.sh(&format!("orchestrate --worker shell {DEMO_PLAN}")).within(240).run();
    let line = format!("run-report --final --format otlp {DEMO_PLAN}");
    let text = bench.sh(&line).run().exits(0).out();
    assert_eq!(text, bench.sh(&line).run().out(), "the same ledger gives the same bytes");
    let document: Value = serde_json::from_str(&text).unwrap();
    let spans = document["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap();
    let by_id: HashMap<&str, &Value> =
        spans.iter().map(|span| (span["spanId"].as_str().unwrap(), span)).collect();
    assert_eq!(by_id.len(), spans.len(), "an id is used twice");
    let nanos = |span: &Value, name: &str| span[name].as_str().unwrap().parse::<u64>().unwrap();
    let mut kinds: HashMap<String, usize> = HashMap::new();
    for span in spans {
        let (id, trace) = (span["spanId"].as_str().unwrap(), span["traceId"].as_str().unwrap());
        assert_eq!((id.len(), trace.len()), (16, 32), "{span}");
        assert!(nanos(span, "startTimeUnixNano") <= nanos(span, "endTimeUnixNano"), "{span}");
        let name = span["name"].as_str().unwrap().split(' ').next().unwrap().to_owned();
        let parent = span["parentSpanId"].as_str().map(|id| by_id[id]);
        let above = parent.map(|parent| parent["name"].as_str().unwrap().split(' ').next().unwrap());
        let fits = match name.as_str() {
            "run" => above.is_none(),
            "round" => above == Some("run"),
            "task" => above == Some("round"),
            "invoke_agent" => above == Some("task"),
            "check" => above != Some("check"),
            _ => false,
        };
        assert!(fits, "{name} below {above:?}");
        *kinds.entry(name).or_default() += 1;
    }
    let at_least = [("run", 1), ("round", 1), ("task", 6), ("invoke_agent", 6), ("check", 10)];
    for (kind, least) in at_least {
        assert!(kinds.get(kind).is_some_and(|number| *number >= least), "{kind}: {kinds:?}");
    }
    assert!(text.contains("gen_ai.operation.name") && text.contains("gen_ai.agent.name"));
    fits_the_protocol(&text);
}

/// The protocol's own types, from `$PLANTOOLS_PYTHON` or the usual python3; without the package this says so.
#[expect(clippy::disallowed_methods, reason = "which python the tests use is up to who runs them")]
fn fits_the_protocol(text: &str) {
    let python = std::env::var("PLANTOOLS_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let bench = bench!(empty);
    if bench.sh(&format!("{python} -c 'import opentelemetry.proto, google.protobuf'")).run().status != 0 {
        let why = "the package 'opentelemetry-proto' is not installed";
        let _ = writeln!(std::io::stderr(), "{why} for {python}: the traces were not read by it");
        return;
    }
    let script = workspace().join("tests/otlp/check.py");
    let got = bench.sh(&format!("{python} {}", script.display())).stdin(text).run();
    assert!(got.exits(0).out().ends_with(" spans\n"), "{got:?}");
}
