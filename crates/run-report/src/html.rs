//! One self-contained page: no network, no script but its own, light and dark.
//!
//! Text from plans and workers is only data: it is embedded as JSON in an element that no browser runs, with every
//! character escaped that could end that element, and the page's own script inserts it as text. A policy names that
//! script and that style by their digests, so that nothing else would run even if it got in.

pub(crate) mod drawing;

use crate::html::drawing::Drawing;
use crate::plain_text::{clip, plain};
use crate::survey::OpenedPlan;
use serde::Serialize;
use serde_json::ser::Formatter;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use toolkit::Fail;
use toolkit::files::root::inside;
use toolkit::files::{fs, sha};
use toolkit::stream::output::Output;
use wire::report::Report;

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");
const BODY: &str = include_str!("page/body.html");

/// The longest title or criterion on the page.
const LONG: usize = 2000;
/// The longest prompt on the page.
const PROMPT: usize = 64 << 10;
/// How many tasks may include their prompts; beyond that the page only names the files.
const PROMPTS: usize = 1000;

/// The input of the page's script.
#[derive(Serialize)]
struct Page<'r> {
    report: &'r Report,
    now: Option<&'r str>,
    drawing: Option<Drawing>,
    layers: Vec<Option<u32>>,
    /// The prompt of each task's last attempt, by the task's index.
    prompts: BTreeMap<usize, String>,
}

/// Writes the page.
pub(crate) fn write(ground: &OpenedPlan, mut report: Report, out: &mut Output) -> Result<(), Fail> {
    let prompts = prompts(&ground.root, &report);
    shorten(&mut report);
    let graph = ground.graph.as_ref();
    let page = Page {
        now: report.made_at.as_deref(),
        drawing: graph.and_then(drawing::of),
        layers: graph.map(drawing::layers).unwrap_or_default(),
        prompts,
        report: &report,
    };
    out.text(&head(&report))?;
    out.text("<script type=\"application/json\" id=\"data\">")?;
    let mut json = serde_json::Serializer::with_formatter(&mut *out, Inert);
    page.serialize(&mut json).map_err(|e| Fail::io(Path::new("<stdout>"), &io::Error::from(e)))?;
    out.text("</script>\n<script>")?;
    out.text(SCRIPT)?;
    out.text("</script>\n</body>\n</html>\n")
}

fn head(report: &Report) -> String {
    let title = if report.title.is_empty() { &report.plan } else { &report.title };
    let title = escape(&clip(&plain(title), 300));
    let made = report.made_at.as_deref().unwrap_or_default();
    let body = BODY
        .replace("{{plan}}", &escape(&clip(&plain(&report.plan), 300)))
        .replace("{{dialect}}", &escape(&plain(&report.dialect)))
        .replace("{{made}}", &escape(&made.replace('T', " ").replace('Z', " UTC")))
        .replace("{{title}}", &title);
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'",
        digest(SCRIPT),
        digest(STYLE)
    );
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n{body}"
    )
}

/// The prompts of the last attempts that exist.
fn prompts(root: &Path, report: &Report) -> BTreeMap<usize, String> {
    if report.tasks.len() > PROMPTS {
        return BTreeMap::new();
    }
    let read = |path: &str| {
        let bytes = fs::read_if_there(&inside(root, path).ok()?).ok().flatten()?;
        Some(clip(&String::from_utf8_lossy(&bytes), PROMPT))
    };
    let last = |task: &wire::report::Line| read(task.history.last()?.prompt.as_deref()?);
    report.tasks.iter().enumerate().filter_map(|(i, task)| Some((i, last(task)?))).collect()
}

/// A page is not an archive: cuts a title of a megabyte.
fn shorten(report: &mut Report) {
    let cut = |text: &mut String| {
        if text.len() > LONG {
            *text = clip(text, LONG);
        }
    };
    cut(&mut report.title);
    for line in &mut report.tasks {
        cut(&mut line.title);
        line.checks.iter_mut().for_each(|check| cut(&mut check.text));
        line.halt.iter_mut().for_each(|halt| cut(&mut halt.message));
        line.reason.iter_mut().for_each(cut);
    }
    report.goals.iter_mut().for_each(|goal| cut(&mut goal.text));
    for list in [&mut report.learnings, &mut report.issues, &mut report.open] {
        list.iter_mut().for_each(cut);
    }
}

/// JSON in which nothing can end the element around it.
struct Inert;

impl Formatter for Inert {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            let (plain, special) = rest.split_at(at);
            let mut chars = special.chars();
            writer.write_all(plain.as_bytes())?;
            if let Some(c) = chars.next() {
                write!(writer, "\\u{:04x}", u32::from(c))?;
            }
            rest = chars.as_str();
        }
        writer.write_all(rest.as_bytes())
    }
}

/// Text escaped for HTML.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// SHA-256 in base 64, as a policy has it.
fn digest(text: &str) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let hex = sha::hex(text.as_bytes());
    let bytes = (0..hex.len() / 2).filter_map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).ok());
    let bytes: Vec<u8> = bytes.collect();
    let group = |three: &[u8]| {
        let all = three.iter().fold(0u32, |all, byte| all << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        let digit = |i: usize| {
            if i > three.len() { '=' } else { char::from(DIGITS[(all >> (18 - 6 * i) & 63) as usize]) }
        };
        (0..4).map(digit).collect::<String>()
    };
    bytes.chunks(3).map(group).collect()
}

#[cfg(test)]
mod tests {
    use super::{Inert, digest};
    use serde::Serialize;

    #[test]
    fn data_cannot_end_its_element() {
        let mut out = Vec::new();
        let hostile = "</script><!--\u{2028}&\"\\\u{1b}";
        hostile.serialize(&mut serde_json::Serializer::with_formatter(&mut out, Inert)).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert!(!text.contains(['<', '>', '&', '\u{2028}']), "{text}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), hostile);
    }

    #[test]
    fn a_digest_is_written_as_browsers_do() {
        assert_eq!(digest(""), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
    }
}
