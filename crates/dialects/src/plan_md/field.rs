//! The labelled fields of a task's section: `**Type**: work`, `**Steps**:` and what follows.

use super::criteria;
use crate::{Extent, Outline};

/// Which field it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Name {
    Type,
    Tools,
    Inputs,
    Outputs,
    Steps,
    MustNot,
    References,
    Criteria,
    Verify,
    Risk,
    Rollback,
    Depends,
    /// A label that the grammar does not have, in lowercase.
    Other(String),
}

/// One field.
pub(crate) struct Field {
    pub(crate) name: Name,
    /// What stands on the label's own line.
    pub(crate) inline: Extent,
    /// The lines below, up to the next label.
    pub(crate) body: Extent,
}

/// The text before the first label, and the fields in order.
pub(crate) fn fields(outline: &Outline, at: Extent) -> (Extent, Vec<Field>) {
    let mut fields: Vec<Field> = Vec::new();
    let mut intro = at;
    for line in outline.lines_in(at).filter(|line| line.veil.is_none()) {
        let Some((name, after)) = label(outline.str(line.at)) else { continue };
        let end = line.at.start;
        match fields.last_mut() {
            Some(last) => last.body.end = end.max(last.body.start),
            None => intro.end = end,
        }
        let inline = outline.trimmed(Extent { start: line.at.start + after, end: line.at.end });
        fields.push(Field { name, inline, body: Extent { start: line.at.end, end: at.end } });
    }
    (intro, fields)
}

/// The label that a line begins with, and where the text behind it begins.
pub(crate) fn label(line: &str) -> Option<(Name, usize)> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    if indent > 3 || !text.starts_with(['*', '#', '-', '_']) {
        return None;
    }
    if text.starts_with('#') {
        let name = text.trim_matches(['#', ' ', '\t', ':', '*']);
        return known(&simple(name)).map(|name| (name, line.len()));
    }
    let bare = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(text).trim_start();
    let inner = bare.strip_prefix("**").or_else(|| bare.strip_prefix("__"))?;
    let pair = if bare.starts_with('*') { b"**" } else { b"__" };
    let close = inner.as_bytes().windows(2).position(|two| two == pair)?;
    let name = inner.get(..close)?;
    let rest = inner.get(close + 2..)?;
    let colon = name.trim_end().ends_with([':', '：']) || rest.trim_start().starts_with([':', '：']);
    let after = line.len() - rest.trim_start().trim_start_matches([':', '：']).len();
    let simple = simple(name);
    if let Some(name) = known(&simple) {
        // A label stands alone or has its colon; `**Type** system` in a sentence is neither.
        return (colon || rest.trim().is_empty() || rest.trim_start().starts_with('('))
            .then_some((name, after));
    }
    let own = colon && bare.len() == text.len() && !criteria::is_category(&simple) && simple.len() <= 40;
    own.then_some((Name::Other(simple), after))
}

/// The name in lowercase, without a note in parentheses and without its colon.
fn simple(name: &str) -> String {
    let name = name.split('(').next().unwrap_or(name);
    name.trim().trim_end_matches([':', '：']).trim().to_lowercase()
}

fn known(name: &str) -> Option<Name> {
    Some(match name {
        "type" => Name::Type,
        "required tools" | "tools" => Name::Tools,
        "inputs" | "input" => Name::Inputs,
        "outputs" | "output" => Name::Outputs,
        "steps" => Name::Steps,
        "must not do" | "must not" => Name::MustNot,
        "references" | "reference" => Name::References,
        "acceptance criteria" => Name::Criteria,
        "verify" => Name::Verify,
        "risk" | "risk level" => Name::Risk,
        "depends on" | "dependencies" | "requires" | "blocked by" => Name::Depends,
        _ if name.starts_with("rollback") => Name::Rollback,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_in_all_their_forms() {
        for (line, name) in [
            ("**Type**: work", Some(Name::Type)),
            ("**Must NOT Do**:", Some(Name::MustNot)),
            ("**Acceptance Criteria:**", Some(Name::Criteria)),
            ("#### Steps", Some(Name::Steps)),
            ("- **Steps**:", Some(Name::Steps)),
            ("**Rollback Plan**: revert", Some(Name::Rollback)),
            ("**Note**: careful", Some(Name::Other("note".into()))),
            ("**Functional**:", None),
            ("*Functional:*", None),
            ("**bold** text", None),
            ("    **Type**: code", None),
            ("Type: work", None),
        ] {
            assert_eq!(label(line).map(|(name, _)| name), name, "{line}");
        }
        let (_, after) = label("**Type**: work").unwrap();
        assert_eq!(&"**Type**: work"[after..], " work");
    }
}
