//! The manners matrix: every tool, every manner. `table.rs` says which cell cannot be, and why.

mod questions;
mod samples;
mod streams;
mod table;
mod words;

use pipeline_tests::{Got, bench};
use samples::samples;
use table::{Acts, each};

#[test]
fn empty_input_is_65() {
    let bench = bench!(empty);
    each("empty input", |row| {
        let got = bench.command(row.tool).args(row.args).stdin("").run();
        got.exits(65);
        assert!(got.stdout.is_empty(), "{got:?}");
    });
}

#[test]
fn a_dash_is_standard_input() {
    let samples = samples();
    each("dash", |row| {
        let got = samples.stage(row).args(["-"]).stdin(samples.input(row)).run();
        got.exits(0);
        assert!(!got.stdout.is_empty(), "{got:?}");
    });
}

#[test]
fn a_terminal_on_standard_input_with_no_file_is_2_with_a_hint() {
    let bench = bench!(empty);
    each("terminal", |row| {
        let got = bench.command(row.tool).args(row.args).terminal().within(10).run();
        got.exits(2);
        assert!(got.err().contains("standard input is a terminal"), "{got:?}");
    });
}

#[test]
fn a_missing_file_is_66_in_one_line_that_names_it() {
    let bench = bench!(empty);
    each("missing file", |row| {
        let got = bench.command(row.tool).args(row.args).args(["no/such file"]).run();
        got.exits(66);
        let start = format!("{}: no/such file: ", row.tool);
        assert!(got.err().starts_with(&start) && got.err().lines().count() == 1, "{got:?}");
        assert!(got.stdout.is_empty(), "{got:?}");
    });
}

#[test]
fn a_full_disk_is_74() {
    let samples = samples();
    each("full disk", |row| {
        let got = samples.stage(row).stdin(samples.input(row)).to_full_disk().run();
        got.exits(74);
        assert!(got.err().starts_with(&format!("{}: ", row.tool)), "{got:?}");
    });
}

#[test]
fn a_reader_that_leaves_ends_answers_silently_and_is_told_by_what_acts() {
    let samples = samples();
    each("closed pipe", |row| {
        let got =
            samples.stage(row).args(["--error-format=json"]).stdin(samples.input(row)).to_nobody().run();
        match row.acts {
            Acts::No => silent(&got),
            Acts::Yes => {
                got.exits(74);
                assert!(got.err().contains("\"code\":\"reader-gone\""), "{got:?}");
            }
        }
    });
}

#[test]
fn an_unknown_flag_is_2() {
    let bench = bench!(empty);
    each("unknown flag", |row| {
        let got = bench.command(row.tool).args(row.args).args(["--no-such-flag"]).run();
        got.exits(2);
        assert!(got.err().starts_with(&format!("{}: ", row.tool)), "{got:?}");
        assert!(got.err().contains("--no-such-flag") && got.stdout.is_empty(), "{got:?}");
    });
}

#[test]
fn no_home_and_no_terminal_are_needed() {
    let samples = samples();
    each("no home", |row| {
        let run = samples.stage(row).stdin(samples.input(row));
        run.without("HOME").without("TERM").without("TMPDIR").run().exits(0);
    });
}

#[test]
fn output_does_not_depend_on_colours_or_terminals() {
    let samples = samples();
    let looks = [("NO_COLOR", "1"), ("TERM", "dumb"), ("TERM", "xterm-256color"), ("CLICOLOR_FORCE", "1")];
    each("same bytes", |row| {
        let run = || {
            let run = samples.stage(row).stdin(samples.input(row));
            run.env("PLANTOOLS_NOW", "2026-01-31T12:00:00Z").env("PLANTOOLS_RUN", "r1")
        };
        let plain = run().run();
        plain.exits(0);
        for (name, value) in looks {
            assert_eq!(run().env(name, value).run().out(), plain.out(), "{name}={value}");
        }
    });
}

/// Ended with 0 and without a word.
#[track_caller]
pub(crate) fn silent(got: &Got) {
    got.exits(0);
    assert!(got.stderr.is_empty(), "{got:?}");
}
