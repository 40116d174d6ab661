//! `JUnit` XML: `<testsuites tests="3" failures="1" errors="0" skipped="1">`, or the sum of its `<testsuite>` elements.

use crate::reports::Counts;

pub(crate) fn read(output: &str) -> Option<Counts> {
    let all = elements(output, "<testsuites");
    let whole = all.first().filter(|tag| attribute(tag, "tests").is_some()).copied();
    let suites = whole.map_or_else(|| elements(output, "<testsuite"), |tag| vec![tag]);
    let mut counts = Counts::counted();
    let mut found = false;
    for tag in suites {
        let Some(tests) = attribute(tag, "tests") else { continue };
        found = true;
        let told = |name: &str| attribute(tag, name).unwrap_or(0);
        let (failed, errors) = (told("failures"), told("errors"));
        let skipped = told("skipped") + told("disabled");
        counts.failed += failed;
        counts.errors += errors;
        counts.skipped += skipped;
        counts.passed += tests.saturating_sub(failed + errors + skipped);
    }
    for case in output.split("<testcase").skip(1) {
        let Some((tag, body)) = case.split_once('>') else { continue };
        let body = body.split("</testcase").next().unwrap_or_default();
        if !tag.ends_with('/') && (body.contains("<failure") || body.contains("<error")) {
            counts.failed_names.extend(text(tag, "name").map(str::to_owned));
        }
    }
    found.then_some(counts)
}

/// The opening tags of this name.
fn elements<'o>(output: &'o str, open: &str) -> Vec<&'o str> {
    let tags =
        output.match_indices(open).filter_map(|(at, _)| output.get(at + open.len()..)?.split('>').next());
    tags.filter(|tag| tag.starts_with([' ', '\n', '\t'])).collect()
}

fn text<'t>(tag: &'t str, name: &str) -> Option<&'t str> {
    let rest = tag.split_once(&format!(" {name}=\""))?.1;
    rest.split('"').next()
}

fn attribute(tag: &str, name: &str) -> Option<u64> {
    text(tag, name)?.parse().ok()
}
