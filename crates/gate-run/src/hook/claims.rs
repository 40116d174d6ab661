//! The acceptance criteria in a worker's report.
//!
//! A report is JSON somewhere in its text, usually in a fence. The JSON parser finds the end of a value, not the next
//! fence: a fence inside a string does no harm. The last of several reports with criteria counts.

use serde_json::{Deserializer, Value};

/// One criterion as the worker reports it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) id: String,
    pub(crate) category: String,
    pub(crate) description: String,
    /// `None` if there is none, or if the worker skipped it.
    pub(crate) command: Option<String>,
    pub(crate) passed: bool,
}

/// The criteria of a report, or why there are none.
pub(crate) fn read(text: &str) -> Result<Vec<Claimed>, &'static str> {
    let reports = objects(text);
    if reports.is_empty() {
        return Err("the worker's report holds no JSON");
    }
    let with = reports.iter().rev().find_map(|report| report.get("acceptance_criteria"));
    let list = with.ok_or("the report has no acceptance_criteria")?;
    let list = list.as_array().ok_or("acceptance_criteria is no list")?;
    if list.is_empty() { Err("acceptance_criteria is empty") } else { Ok(list.iter().map(claimed).collect()) }
}

fn claimed(value: &Value) -> Claimed {
    let text = |name: &str| value.get(name).and_then(Value::as_str).unwrap_or_default().trim();
    let or = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let skipped =
        text("status").eq_ignore_ascii_case("skip") || text("status").eq_ignore_ascii_case("skipped");
    let command = Some(text("command")).filter(|command| !command.is_empty() && !skipped);
    Claimed {
        id: or(text("id"), "unknown"),
        category: or(text("category"), "unknown"),
        description: text("description").to_owned(),
        command: command.map(str::to_owned),
        passed: text("status").eq_ignore_ascii_case("pass"),
    }
}

/// Every JSON object that begins a line, in order.
fn objects(text: &str) -> Vec<Value> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end + 1);
        let indent = text[at..line_end].len() - text[at..line_end].trim_start().len();
        let mut next = line_end;
        if text[at + indent..].starts_with('{') {
            let mut values = Deserializer::from_str(&text[at + indent..]).into_iter::<Value>();
            if let Some(Ok(value)) = values.next() {
                next = (at + indent + values.byte_offset()).max(line_end);
                // Text on the line where a value ends is not a new report.
                next = text[next..].find('\n').map_or(text.len(), |end| next + end + 1).max(line_end);
                out.push(value);
            }
        }
        at = next;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn of_several_reports_the_last_with_criteria_counts() {
        let text = "First:\n```json\n{\"note\":1}\n```\nthen\n```json\n{\n \"acceptance_criteria\": [{\"id\":\"b\",\"command\":\"false\",\"status\":\"PASS\"}]\n}\n```\n{\"end\":true}";
        let criteria = read(text).unwrap();
        assert_eq!((criteria.len(), criteria[0].id.as_str()), (1, "b"));
    }

    #[test]
    fn a_fence_inside_a_string_does_no_harm() {
        let text = "```json\n{\"acceptance_criteria\":[{\"id\":\"a\",\"command\":\"true\"}],\"l\":[\"use\\n```\\nfences\"]}\n```";
        assert_eq!(read(text).unwrap().len(), 1);
    }

    #[test]
    fn what_is_missing_is_named() {
        assert!(read("I did it, all good.").unwrap_err().contains("no JSON"));
        assert!(read("{\"outputs\":{}}").unwrap_err().contains("no acceptance_criteria"));
        assert!(read("{\"acceptance_criteria\":[]}").unwrap_err().contains("empty"));
        assert!(read("{\"acceptance_criteria\":[}").unwrap_err().contains("no JSON"));
    }
}
