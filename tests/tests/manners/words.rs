//! What every tool says about itself and about what went wrong.

use crate::table::each;
use jsonschema::draft202012;
use pipeline_tests::{Got, bench};
use serde_json::Value;

const LOOKS: [(&str, &str); 4] =
    [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "xterm-256color"), ("CLICOLOR_FORCE", "1")];

#[test]
fn help_is_0_and_the_same_everywhere() {
    let bench = bench!(bare);
    each("help", |row| {
        let plain = bench.command(row.tool).args(["--help"]).run();
        plain.exits(0);
        assert!(plain.out().contains(&format!("Usage: {}", row.tool)), "{plain:?}");
        assert!(plain.stderr.is_empty() && !plain.stdout.contains(&0x1b), "{plain:?}");
        for (name, value) in LOOKS {
            let got = bench.command(row.tool).args(["--help"]).env(name, value).run();
            assert_eq!(got.out(), plain.out(), "{name}={value}");
        }
    });
}

#[test]
fn version_is_the_name_and_the_number() {
    let bench = bench!(bare);
    each("version", |row| {
        let got = bench.command(row.tool).args(["--version"]).run();
        assert_eq!(got.exits(0).out(), format!("{} {}\n", row.tool, env!("CARGO_PKG_VERSION")));
    });
}

#[test]
fn the_schema_that_is_printed_is_a_valid_one() {
    let bench = bench!(bare);
    each("json-schema", |row| {
        let schema = bench.command(row.tool).args(["--json-schema"]).run().exits(0).json();
        assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
        draft202012::meta::validate(&schema).unwrap_or_else(|e| panic!("{e}"));
        jsonschema::validator_for(&schema).unwrap_or_else(|e| panic!("{e}"));
    });
}

#[test]
fn errors_as_json_are_one_line_that_fits_its_schema() {
    let bench = bench!(empty);
    each("error format", |row| {
        let run = || bench.command(row.tool).args(row.args).args(["--error-format=json"]);
        failure(&run().args(["no/such file"]).run(), row.tool, 66);
        failure(&run().args(["--no-such-flag"]).run(), row.tool, 2);
        failure(&run().stdin("").run(), row.tool, 65);
        let apart = bench.command(row.tool).args(row.args).args(["--error-format", "json", "none"]).run();
        failure(&apart, row.tool, 66);
    });
}

#[track_caller]
fn failure(got: &Got, tool: &str, exit: i32) {
    got.exits(exit);
    assert_eq!(got.err().lines().count(), 1, "{got:?}");
    let value: Value = serde_json::from_slice(&got.stderr).unwrap_or_else(|e| panic!("{e}: {got:?}"));
    let schema: Value = serde_json::from_str(wire::schemas::FAILURE).unwrap_or_else(|e| panic!("{e}"));
    jsonschema::validate(&schema, &value).unwrap_or_else(|e| panic!("{e}: {got:?}"));
    assert_eq!((value["tool"].as_str(), value["exit"].as_i64()), (Some(tool), Some(i64::from(exit))));
    let code = value["code"].as_str().unwrap_or_default();
    assert!(code.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'), "{code}");
}
