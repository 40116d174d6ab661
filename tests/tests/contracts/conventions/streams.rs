//! Streams and documents that are not what they should be, and what must survive in them.

use super::samples::samples;
use super::table::{Reads, each};
use pipeline_tests::bench;

/// White space, an escaped name and a number that any re-making would change.
const FOREIGN: &str = r#" "x\u0041é": 1.50e+3 ,"zz": {"b":1,  "a":[ ]} ,"#;

#[test]
fn another_schema_or_another_major_is_65() {
    let bench = bench!(empty);
    each("wrong schema", |row| {
        let own = if row.reads == Reads::Orders { "order" } else { "plan" };
        for name in [format!("{own}/2"), format!("{own}/10"), own.to_owned(), "gate/1".to_owned()] {
            let line = format!("{{\"schema\":\"{name}\",\"tasks\":[]}}\n");
            let got = bench.command(row.tool).args(row.args).args(["--error-format=json"]).stdin(&line).run();
            got.exits(65);
            assert!(got.err().contains("\"code\":\"wrong-schema\""), "{name}: {got:?}");
        }
        let none = bench.command(row.tool).args(row.args).stdin("{\"a\":1}\n").run();
        none.exits(65);
        bench.command(row.tool).args(row.args).stdin("no JSON\n").run().exits(65);
        bench.command(row.tool).args(row.args).stdin("[1,2]\n").run().exits(65);
    });
}

#[test]
fn unknown_fields_are_kept_byte_for_byte() {
    let samples = samples();
    each("unknown fields", |row| {
        let input = samples.input(row);
        let (start, rest) = match row.reads {
            Reads::Orders => input.split_at(1),
            _ => input.split_at(input.find("\"tasks\":[{").unwrap() + "\"tasks\":[{".len()),
        };
        let got = samples.stage(row).stdin(format!("{start}{FOREIGN}{rest}")).run();
        got.exits(0);
        assert!(got.out().contains(FOREIGN), "{got:?}");
        if row.reads == Reads::Orders {
            let line = rest.lines().next().unwrap();
            let kept = format!("{{{FOREIGN}{}", line.strip_suffix('}').unwrap());
            assert!(got.out().starts_with(&kept), "something else changed: {got:?}");
        }
    });
}

#[test]
fn a_stream_that_was_cut_off_is_65_and_what_came_is_carried() {
    let samples = samples();
    each("cut stream", |row| {
        let got = samples.stage(row).args(["--error-format=json"]).stdin(samples.orders(row)).run();
        got.exits(65);
        assert!(got.err().contains("\"code\":\"truncated-stream\""), "{got:?}");
        assert_eq!(got.out().lines().count(), 1, "{got:?}");
        assert!(!got.out().contains("\"end/1\""), "{got:?}");
    });
}

#[test]
fn a_line_that_was_cut_in_the_middle_is_65() {
    let samples = samples();
    each("cut stream", |row| {
        let text = samples.orders(row);
        samples.stage(row).stdin(&text[..text.len() / 2]).run().exits(65);
    });
}

#[test]
fn a_file_that_is_named_needs_no_end() {
    let samples = samples();
    each("file without end", |row| {
        let name = format!("../home/{}.alone", row.tool);
        samples.bench.write(&name, samples.orders(row));
        let got = samples.stage(row).args([&name]).run();
        got.exits(0);
        assert_eq!(got.out().lines().count(), 1, "{got:?}");
    });
}

#[test]
fn a_line_over_4_mib_is_65() {
    let bench = bench!(empty);
    let line = format!("{{\"schema\":\"order/1\",\"x\":\"{}\"}}\n", "a".repeat(4 << 20));
    each("long line", |row| {
        let got = bench.command(row.tool).args(row.args).args(["--error-format=json"]).stdin(&line).run();
        got.exits(65);
        assert!(got.err().contains("\"code\":\"line-too-long\""), "{got:?}");
    });
}

#[test]
fn bytes_that_are_no_utf_8_are_65() {
    let bench = bench!(empty);
    each("not utf-8", |row| {
        let schema = if row.reads == Reads::Orders { "order/1" } else { "plan/1" };
        let line = [b"{\"schema\":\"", schema.as_bytes(), b"\",\"title\":\"\xff\xfe\"}\n"].concat();
        bench.command(row.tool).args(row.args).stdin(line).run().exits(65);
    });
}
