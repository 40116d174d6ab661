//! A formula in TOML, with the position of every value, in the form of the JSON reader.

use crate::data::json::{Json, Node};
use markdown::Extent;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The tables of a whole text; an error is the offset where the text is not TOML.
pub(crate) fn whole(text: &str) -> Result<Node, usize> {
    let root = DeTable::parse(text).map_err(|error| error.span().map_or(0, |span| span.start))?;
    Ok(Node { at: Extent { start: 0, end: text.len() }, value: table(root.get_ref()) })
}

fn node(value: &Spanned<DeValue>) -> Node {
    let span = value.span();
    let json = match value.get_ref() {
        DeValue::String(text) => Json::Text(text.clone().into_owned()),
        DeValue::Integer(number) => Json::Number(number.to_string()),
        DeValue::Float(number) => Json::Number(number.to_string()),
        DeValue::Boolean(truth) => Json::Bool(*truth),
        DeValue::Datetime(time) => Json::Text(time.to_string()),
        DeValue::Array(list) => Json::List(list.iter().map(node).collect()),
        DeValue::Table(members) => table(members),
    };
    Node { at: Extent { start: span.start, end: span.end.max(end(&json)) }, value: json }
}

fn table(members: &DeTable) -> Json {
    Json::Object(members.iter().map(|(key, value)| (key.get_ref().to_string(), node(value))).collect())
}

/// Where the last nested value ends: the span of a table that begins with `[[steps]]` covers only its header.
fn end(value: &Json) -> usize {
    let inside = match value {
        Json::List(list) => list.iter().map(|node| node.at.end).max(),
        Json::Object(members) => members.iter().map(|(_, node)| node.at.end).max(),
        _ => None,
    };
    inside.unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_table_reaches_to_its_last_value() {
        let text = "formula = 'x'\n[[steps]]\nid = \"a\"\n\n[[steps]]\nid = \"b\"\nneeds = [\"a\"]\n# end\n";
        let root = whole(text).unwrap();
        let said: Vec<_> =
            root.entries("steps").iter().map(|step| &text[step.at.start..step.at.end]).collect();
        assert_eq!(said, ["[[steps]]\nid = \"a\"", "[[steps]]\nid = \"b\"\nneeds = [\"a\"]"]);
        assert_eq!(root.entries("steps")[1].texts("needs"), ["a"]);
        assert_eq!(whole("a = 1\nb =\n").unwrap_err(), 9);
    }
}
