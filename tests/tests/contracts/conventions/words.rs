//! What every tool says about itself and about what went wrong.

use super::table::each;
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

/// A screen as small as they come.
const SCREEN: (usize, usize) = (24, 80);

#[test]
fn help_is_one_screen_that_begins_with_what_is_asked_most() {
    let bench = bench!(bare);
    let look = |tool: &str, about: &str| {
        let short = bench.command(tool).args(["--help"]).run().exits(0).out();
        assert_eq!(bench.command(tool).args(["-h"]).run().exits(0).out(), short);
        let lines: Vec<_> = short.lines().collect();
        assert!(lines.len() <= SCREEN.0, "{} lines\n{short}", lines.len());
        assert!(lines.iter().all(|line| line.chars().count() <= SCREEN.1), "{short}");
        let (examples, usage) = (&lines[2..5], lines[6]);
        let runs = |line: &&str| line.starts_with("  ") && line.contains(tool) && line.contains("  ");
        assert!(examples.iter().all(runs), "{short}");
        assert!(lines[5].is_empty() && usage.starts_with(&format!("Usage: {tool} ")), "{short}");
        let all = bench.command(tool).args(["--help-all"]).run().exits(0).out();
        assert!(all.contains(about) && all.lines().count() > lines.len(), "{all}");
    };
    each("one screen", |row| look(row.tool, "--json-schema"));
    look("orchestrate", "--budget-attempts");
}

#[test]
fn a_wrong_flag_names_the_right_one() {
    let bench = bench!(bare);
    let names = |tool: &str, wrong: &str, right: &str| {
        let got = bench.command(tool).args([wrong]).run();
        assert!(got.exits(2).err().contains(&format!("'{right}'")), "{got:?}");
    };
    each("wrong flag", |row| names(row.tool, "--json-shcema", "--json-schema"));
    for (wrong, right) in [("--wroker", "--worker"), ("--dryrun", "--dry-run"), ("--job=2", "--jobs")] {
        names("orchestrate", wrong, right);
    }
}

#[test]
fn a_wrong_name_lists_those_that_exist() {
    let bench = bench!(demo);
    let order = format!("plan-parse -q {} | dag-next | handoff", pipeline_tests::DEMO_PLAN);
    let named = [
        ("plan-parse --dialect nix README.md".to_owned(), "plan-md, workflow"),
        ("dag-export --to nix </dev/null".to_owned(), "dot, mermaid"),
        (format!("{order} | worker-run --worker nix"), "shell, acp:COMMAND, claude"),
        ("gate-run --gate nix".to_owned(), "the configuration has no gates"),
        ("gate-run --gate nix --config c.toml".to_owned(), "gates are lint"),
        ("gate-run --all --profile nix --config c.toml".to_owned(), "profiles are slow"),
        ("punch evaluate 1 nix --cards c.toml".to_owned(), "cards are "),
        (format!("orchestrate --profile nix {}", pipeline_tests::DEMO_PLAN), "execute, execute-task"),
        (format!("checkbox tick nix --reason r {}", pipeline_tests::DEMO_PLAN), "1, 2, 3"),
        (format!("plan-parse -q {} | dag-next --why nix", pipeline_tests::DEMO_PLAN), "1, 2, 3"),
    ];
    bench.write(
        "c.toml",
        "[[gates]]\nid = \"lint\"\ninvocation = \"true\"\n[[profiles]]\nname = \"slow\"\n\
         [cards.own]\nrequired = [\"gate_pass:*\"]\n",
    );
    for (line, known) in named {
        let got = bench.sh(&line).run();
        assert!(got.status != 0 && got.err().contains(known), "{line}\n{got:?}");
    }
}

#[test]
fn an_error_shows_its_line_with_a_caret() {
    let bench = bench!(demo);
    bench.write("plantools.toml", "[defaults]\n\n  [[gate]]\nid = \"a\"\n");
    let got = bench.sh("gate-run --all").run();
    let place = "plantools.toml:3: unknown field `gate`";
    assert!(got.exits(78).err().contains(place), "{got:?}");
    assert!(got.err().ends_with("\n  3 |   [[gate]]\n    |     ^\n"), "{got:?}");
    let as_json = bench.sh("gate-run --all --error-format json").run();
    assert_eq!(as_json.err().lines().count(), 1, "{as_json:?}");
    bench.write(
        "plantools.toml",
        "[workers.a]\nenv = { KEY = \"ghp_0123456789abcdefghijABCDEFGHIJ012345\" } x\n",
    );
    let masked = bench.sh("gate-run --all").run().exits(78).err();
    assert!(masked.contains("\n  2 | ") && !masked.contains("ghp_0123"), "{masked}");
    bench.write("plantools.toml", "");
    bench.write("PLAN.md", "## TODOs\n\n### [ ] TODO 1: a\n\n### [ ] TODO 1: b\n");
    let twice = bench.sh("plan-parse PLAN.md").run();
    assert!(twice.exits(65).err().contains("  5 | ### [ ] TODO 1: b\n    | "), "{twice:?}");
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
