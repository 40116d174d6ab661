//! The labelled fields of a task's section: `**Type**: work`, `**Steps**:` and the lines after them.

use crate::criteria::categories;
use crate::sections::table;
use checks::labels::Label;
use markdown::{Extent, Outline};
use memchr::memchr;

/// The name of a field.
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
    Files,
    Commit,
    /// A label outside of the grammar, in lowercase.
    Other(String),
}

/// One field.
pub(crate) struct LabelledField {
    pub(crate) name: Name,
    /// The text on the label's own line.
    pub(crate) inline: Extent,
    /// The lines below, up to the next label.
    pub(crate) body: Extent,
    /// Whether the label is a bullet with its own list indented below it.
    bullet: bool,
}

/// The text before the first label, and the fields in order.
pub(crate) fn fields(outline: &Outline, at: Extent) -> (Extent, Vec<LabelledField>) {
    let mut fields: Vec<LabelledField> = Vec::new();
    let mut intro = at;
    let mut above = Above::Head;
    // The level of the heading that is the last label.
    let mut level = 0;
    for line in outline.lines_in(at).filter(|line| line.veil.is_none()) {
        let text = outline.str(line.at);
        let found =
            label(text).or_else(|| row(text)).or_else(|| plain(text).filter(|found| above.lets(text, found)));
        let found = found.filter(|(name, _)| !is_within_item(outline, name, line.at, at.start));
        above = above.then(text, found.is_some());
        // A label that is a bullet owns the text indented below it; the next bullet is a sibling.
        let bullet = markdown::marks::after_bullet(text).filter(|_| !text.starts_with([' ', '\t']));
        if let Some(last) = fields.last_mut().filter(|last| last.bullet && last.body.end == at.end)
            && bullet.is_some()
        {
            last.body.end = line.at.start.max(last.body.start);
        }
        let hashes = text.bytes().take_while(|byte| *byte == b'#').count();
        let Some((name, after)) = found else {
            // A heading ends the field of a heading above it.
            if let Some(last) =
                fields.last_mut().filter(|last| hashes > 0 && hashes <= level && last.body.end == at.end)
            {
                last.body.end = line.at.start.max(last.body.start);
            }
            continue;
        };
        level = hashes;
        let end = line.at.start;
        match fields.last_mut() {
            Some(last) => last.body.end = last.body.end.min(end).max(last.body.start),
            None => intro.end = end,
        }
        let end = line.at.start + if text.starts_with('|') { text.trim_end().len() - 1 } else { text.len() };
        let inline = outline.trimmed(Extent { start: line.at.start + after, end });
        let below = outline.str(Extent { start: line.at.end, end: at.end }).trim_start_matches(['\r', '\n']);
        let nested = below.starts_with([' ', '\t']);
        let bullet = bullet.is_some_and(|text| nested || !text.starts_with(['*', '_']));
        fields.push(LabelledField { name, inline, body: Extent { start: line.at.end, end: at.end }, bullet });
    }
    (intro, fields)
}

/// Whether a label stands below a list item and belongs to it: `**Must print:**` below a criterion.
fn is_within_item(outline: &Outline, name: &Name, line: Extent, from: usize) -> bool {
    let other = matches!(name, Name::Other(_));
    let text = outline.str(line);
    text.starts_with([' ', '\t'])
        && markdown::marks::after_bullet(text.trim_start()).is_none()
        && outline.items.iter().any(|item| {
            from <= item.at.start
                && item.at.start < line.start
                && line.start < item.at.end
                && (other || item.mark.is_some())
        })
}

/// The kind of line above; it decides whether a label without emphasis is a label or part of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Above {
    /// Nothing but labels, up to the heading.
    Head,
    /// A line that ends the text before it.
    Edge,
    /// A line of a sentence that may continue.
    Prose,
}

impl Above {
    fn then(self, line: &str, is_label: bool) -> Self {
        let text = line.trim();
        match self {
            Self::Head if is_label || text.is_empty() => Self::Head,
            _ if is_label || text.is_empty() || text.starts_with(['#', '|']) => Self::Edge,
            _ if markdown::marks::after_bullet(text).is_some() => Self::Edge,
            _ => Self::Prose,
        }
    }

    /// Whether a plain label counts here. Directly below the heading every label does; further down only
    /// dependencies, at the beginning of a paragraph, and names of lists alone on their line.
    fn lets(self, line: &str, (name, after): &(Name, usize)) -> bool {
        match self {
            Self::Head => true,
            Self::Edge if *name == Name::Depends => true,
            Self::Edge => {
                *name != Name::Type && line.get(*after..).is_some_and(|rest| rest.trim().is_empty())
            }
            Self::Prose => false,
        }
    }
}

/// The label at the beginning of a line, and where the text after it begins.
pub(crate) fn label(line: &str) -> Option<(Name, usize)> {
    let text = line.trim_start();
    let indent = line.len() - text.len();
    if indent > 3 {
        return None;
    }
    if !text.starts_with(['*', '#', '-', '_']) {
        return None;
    }
    if text.starts_with('#') {
        let name = text.trim_matches(['#', ' ', '\t', ':', '*']);
        return known(&simple(name)).map(|name| (name, line.len()));
    }
    let bare = text.strip_prefix("- ").or_else(|| text.strip_prefix("* ")).unwrap_or(text).trim_start();
    let Some(inner) = bare.strip_prefix("**").or_else(|| bare.strip_prefix("__")) else {
        // In a list of steps a word with a colon is usually a step; only dependencies, and the name of the criteria
        // alone on its line, are always labels.
        let ends = bare.trim_end().ends_with([':', '：']);
        return plain(line.get(line.len() - bare.len()..)?)
            .filter(|(name, _)| indent == 0 && (*name == Name::Depends || *name == Name::Criteria && ends))
            .map(|(name, after)| (name, after + line.len() - bare.len()));
    };
    let pair = if bare.starts_with('*') { b"**" } else { b"__" };
    let close = inner.as_bytes().windows(2).position(|two| two == pair)?;
    let name = inner.get(..close)?;
    let rest = inner.get(close + 2..)?;
    let colon = name.trim_end().ends_with([':', '：']) || rest.trim_start().starts_with([':', '：']);
    let after = line.len() - rest.trim_start().trim_start_matches([':', '：']).len();
    let simple = simple(name);
    if let Some(name) = known(&simple) {
        // A label stands alone or has a colon; `**Type** system` in a sentence has neither.
        return (colon || rest.trim().is_empty() || rest.trim_start().starts_with('('))
            .then_some((name, after));
    }
    // The result of the check before it.
    if matches!(checks::labels::label(&format!("{simple}:")), Some((Label::Expected, _))) {
        return None;
    }
    let own = colon && bare.len() == text.len() && !categories::is_category(&simple) && simple.len() <= 40;
    own.then_some((Name::Other(simple), after))
}

/// A label without emphasis, `Depends on: TODO 1`, at the beginning of a line; [`Above`] decides whether it counts.
fn plain(line: &str) -> Option<(Name, usize)> {
    // Most lines have no colon near their beginning.
    let near = line.as_bytes().get(..=LONGEST).unwrap_or(line.as_bytes());
    if near.is_ascii() && memchr(b':', near).is_none() {
        return None;
    }
    let (name, rest) = line.split_once([':', '：'])?;
    if name.len() > LONGEST
        || name.starts_with([' ', '\t'])
        || !(rest.is_empty() || rest.starts_with([' ', '\t']))
    {
        return None;
    }
    // The other names are ordinary words in a sentence: `Requires: Node 18`, `Verify: it works`.
    let own = [Name::Type, Name::Steps, Name::MustNot, Name::Criteria, Name::Depends];
    let simple = simple(name);
    known(&simple)
        .filter(|name| own.contains(name) && simple != "requires")
        .map(|name| (name, line.len() - rest.len()))
}

/// The maximum length of a label without emphasis, in bytes.
const LONGEST: usize = 32;

/// A row of a table with two columns, `| Depends on | TODO 1 |`.
fn row(line: &str) -> Option<(Name, usize)> {
    let inner = line.trim_end().strip_prefix('|')?.strip_suffix('|')?;
    let (name, value) = inner.split_once('|')?;
    let one = !value.replace("\\|", "").contains('|') && !value.trim().is_empty();
    let name = known(&simple(name.trim().trim_matches(['*', '`', '_'])))?;
    one.then_some((name, name_end(inner) + 1))
}

fn name_end(inner: &str) -> usize {
    inner.find('|').map_or(inner.len(), |at| at + 1)
}

/// The name in lowercase, without a note in parentheses and without the colon.
fn simple(name: &str) -> String {
    let name = name.split('(').next().unwrap_or(name);
    name.trim().trim_end_matches([':', '：']).trim().to_lowercase()
}

fn known(name: &str) -> Option<Name> {
    Some(match name {
        "type" | "유형" | "类型" | "種別" | "typ" | "tipo" => Name::Type,
        "required tools" | "tools" => Name::Tools,
        "inputs" | "input" | "입력" | "输入" | "入力" => Name::Inputs,
        "outputs" | "output" | "출력" | "输出" | "出力" => Name::Outputs,
        "steps"
        | "implementation steps"
        | "verification steps"
        | "what to do"
        | "단계"
        | "작업 단계"
        | "步骤"
        | "手順"
        | "schritte"
        | "pasos"
        | "étapes" => Name::Steps,
        "must not do" | "must not" | "do not" | "금지" | "금지 사항" | "하지 말 것" | "禁止" => {
            Name::MustNot
        }
        "references" | "reference" | "참고" | "참조" | "参考" => Name::References,
        "acceptance criteria"
        | "accept"
        | "acceptance"
        | "success criteria"
        | "definition of done"
        | "done when"
        | "test requirements"
        | "verification"
        | "automated verification"
        | "validation"
        | "qa"
        | "qa scenarios"
        | "checklist"
        | "exit criteria"
        | "수락 기준"
        | "수용 기준"
        | "완료 기준"
        | "인수 조건"
        | "완료 조건"
        | "验收标准"
        | "验收条件"
        | "受け入れ基準"
        | "受入条件"
        | "akzeptanzkriterien"
        | "criterios de aceptación"
        | "critères d'acceptation" => Name::Criteria,
        "verify" => Name::Verify,
        "risk" | "risk level" | "위험" | "위험도" | "리스크" | "风险" => Name::Risk,
        "depends on" | "dependencies" | "dependency" | "requires" | "blocked by" | "의존성" | "선행 작업"
        | "依赖" | "依赖关系" | "前置任务" | "依存" | "依存関係" | "abhängigkeiten" | "hängt ab von"
        | "dependencias" | "depende de" | "dépendances" | "dépend de" => Name::Depends,
        "files" | "files to modify" | "files to create" | "files to change" | "target files"
        | "수정 파일" => Name::Files,
        "commit" | "commit message" | "커밋" | "提交" => Name::Commit,
        _ if name.starts_with("rollback") => Name::Rollback,
        _ if table::CRITERIA.contains(&name) => Name::Criteria,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<Name> {
        let outline = Outline::new(&markdown::Text { path: "PLAN.md", bytes: text.as_bytes() });
        let (_, fields) = fields(&outline, Extent { start: 0, end: text.len() });
        fields.into_iter().map(|field| field.name).collect()
    }

    #[test]
    fn a_heading_ends_the_field_of_a_heading() {
        let text = "#### Acceptance Criteria\n- a\n##### Part\n- b\n#### Out of scope\n- c\n";
        let outline = Outline::new(&markdown::Text { path: "PLAN.md", bytes: text.as_bytes() });
        let (_, fields) = fields(&outline, Extent { start: 0, end: text.len() });
        assert_eq!(outline.str(fields[0].body).trim(), "- a\n##### Part\n- b");
    }

    #[test]
    fn a_plain_label_counts_where_it_cannot_be_a_sentence() {
        for (text, found) in [
            ("Type: work\nDepends on: TODO 1\n", vec![Name::Type, Name::Depends]),
            ("\nType: work\n\nDepends on: TODO 1\n", vec![Name::Type, Name::Depends]),
            ("Say what it is.\n\nDepends on: TODO 1\n", vec![Name::Depends]),
            ("- a step\nDepends on: TODO 1\n", vec![Name::Depends]),
            ("Say what it is.\n\nSteps:\n- a\n", vec![Name::Steps]),
            ("The order of things\nDepends on: TODO 1 being quick.\n", vec![]),
            ("Say what it is.\n\nType: a word is typed.\n", vec![]),
            ("Say what it is.\n\nSteps: one by one.\n", vec![]),
            ("The parser reads\nSteps:\n", vec![]),
            ("type:system\n", vec![]),
            ("The type: work\n", vec![]),
            ("Requires: Node 18\n", vec![]),
        ] {
            assert_eq!(names(text), found, "{text}");
        }
    }

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
            ("- Depends on: TODO 1", Some(Name::Depends)),
            ("- Verify: look at it", None),
            ("  - Depends on: TODO 1", None),
            ("**의존성**: TODO 1", Some(Name::Depends)),
        ] {
            assert_eq!(label(line).map(|(name, _)| name), name, "{line}");
        }
        for (line, value) in [
            ("| Type | work |", Some("| work |")),
            ("| **Depends on** | 1 |", Some("| 1 |")),
            ("| Type | a | b |", None),
        ] {
            assert_eq!(row(line).map(|(_, after)| &line[after - 1..]), value, "{line}");
        }
        let (_, after) = label("**Type**: work").unwrap();
        assert_eq!(&"**Type**: work"[after..], " work");
    }
}
