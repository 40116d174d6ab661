//! A row of a table: one cell has the command, columns with known headings its title and its result.

use super::draft::{Below, Draft, Region};
use super::{Reader, texts};
use crate::commands::{self, Shape};
use crate::grammar::clauses;
use crate::grammar::tokens::{Token, TokenKind, tokens};
use crate::labels::{self, Label};
use crate::located::{Kind, Located, Part};
use crate::reading::{Reading, Unclear};
use crate::synonyms::Synonyms;
use markdown::Extent;

/// What the cells below a heading hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Column {
    Command,
    Title,
    Result,
    Exit,
    Stderr,
    Decoration,
    Note,
    Unknown,
}

pub(super) fn read(located: &Located<'_>, table: &Synonyms, offers: bool) -> Reading {
    let cells: Vec<(Column, &Part<'_>, String)> =
        located.parts.iter().map(|part| (column(part), part, unescaped(part))).collect();
    let is_command = |column: Column, text: &str| {
        let all = tokens(text);
        match column {
            Column::Command => all
                .first()
                .is_some_and(|first| matches!(&first.kind, TokenKind::Code(text) if !text.starts_with('#'))),
            Column::Title | Column::Unknown => {
                !matches!(texts::commands(&all, false), texts::Found::None) || only_script(&all)
            }
            _ => false,
        }
    };
    let is_at = |wanted: &[Column]| {
        cells.iter().position(|(column, _, text)| {
            wanted.contains(column) && text.contains('`') && is_command(*column, text)
        })
    };
    let place = is_at(&[Column::Command]).or_else(|| is_at(&[Column::Title, Column::Unknown]));
    let Some(place) = place else { return Reading::Prose };
    let mut reader =
        Reader { role: located.role, table, titles: Vec::new(), drafts: Vec::new(), awaits: false, offers };
    // The titles come first, wherever their column stands.
    for (number, (column, _, text)) in cells.iter().enumerate() {
        if matches!(column, Column::Title | Column::Command) && number != place && !is_blank(text) {
            reader.titles.extend(tokens(text));
            reader.titles.push(Token { kind: TokenKind::Sign(':'), at: Extent::default() });
        }
    }
    let Some((column, part, text)) = cells.get(place) else { return Reading::Prose };
    let own = Part { kind: Kind::Text, text: text.clone().into(), at: part.at };
    let all = tokens(text);
    let is_only =
        *column == Column::Command && matches!(all.as_slice(), [Token { kind: TokenKind::Code(_), .. }]);
    if is_only || only_script(&all) {
        let mut draft = Draft::commented(all.first().and_then(Token::literal).unwrap_or_default(), part.at);
        draft.title.clone_from(&reader.titles);
        reader.drafts.push(draft);
    } else if let Err(unclear) = reader.text(&own, true) {
        return reader.refused(*unclear);
    }
    for (number, (column, part, text)) in cells.iter().enumerate() {
        let is_result = matches!(column, Column::Result | Column::Exit | Column::Stderr);
        let is_empty = if is_result { is_unstated(text) } else { is_blank(text) };
        if number == place || is_empty {
            continue;
        }
        let prefix = match column {
            Column::Title | Column::Command | Column::Decoration => continue,
            Column::Note if !reader.states(text) => continue,
            Column::Result | Column::Note => None,
            Column::Exit => Some("exit"),
            Column::Stderr => Some("stderr"),
            Column::Unknown => return reader.refused(unknown(part)),
        };
        let mut said = tokens(text);
        let is_named =
            |word: &str| said.first().and_then(Token::word).is_some_and(|first| first.starts_with(word));
        if let Some(word) = prefix.filter(|word| !is_named(word)) {
            said.insert(0, Token { kind: TokenKind::Word(word.to_owned()), at: Extent::default() });
        }
        for draft in &mut reader.drafts {
            draft.regions.push(Region {
                tokens: said.clone(),
                text: text.clone(),
                at: part.at,
                kind: Some(Below::Cell),
            });
        }
    }
    reader.finish()
}

/// Whether a text is one script and nothing else: a command where a row or a label asks for one.
pub(super) fn only_script(all: &[Token]) -> bool {
    matches!(all, [Token { kind: TokenKind::Code(text), .. }] if commands::shape(text) == Shape::Script)
}

fn unknown(part: &Part<'_>) -> Unclear {
    let heading = match &part.kind {
        Kind::Cell { heading } => heading.trim(),
        _ => "",
    };
    Unclear {
        code: "unclear-column",
        message: format!("the column '{heading}' is unknown: call it Expected, or Note"),
        group: format!("a column '{heading}'"),
        at: part.at,
        ..Unclear::default()
    }
}

/// Whether the headings of a table make its rows checks wherever it stands: one names checks or results, or one names
/// commands and another what they give. Commands alone may be a reference: `| Command | Source |`.
pub fn are_checks(headings: &[&str]) -> bool {
    let labelled = |heading: &&str| {
        let name = heading.trim_matches(['*', '`', '_', ' ']);
        matches!(labels::label(&format!("{name}:")), Some((Label::Verify | Label::Expected, "")))
    };
    let is = |wanted: &[Column]| headings.iter().any(|heading| wanted.contains(&titled(heading)));
    headings.iter().any(labelled)
        || is(&[Column::Command]) && is(&[Column::Result, Column::Exit, Column::Stderr])
}

/// Whether a table has a column of commands or of checks.
pub fn has_commands(headings: &[&str]) -> bool {
    are_checks(headings) || headings.iter().any(|heading| titled(heading) == Column::Command)
}

fn column(part: &Part<'_>) -> Column {
    let Kind::Cell { heading } = &part.kind else { return Column::Unknown };
    titled(heading)
}

fn titled(heading: &str) -> Column {
    let plain = heading.trim_matches(['*', '_', '`', ' ', ':']).to_lowercase();
    let row = HEADINGS.iter().find(|(names, _)| names.contains(&plain.as_str()));
    row.map_or(Column::Unknown, |(_, column)| *column)
}

/// The headings that are known, in lower case.
#[rustfmt::skip]
const HEADINGS: &[(&[&str], Column)] = &[
    (&["expected", "expect", "expected result", "expected results", "expected output", "expected outcome",
       "expectation", "output", "result", "results", "outcome", "stdout", "should", "must", "threshold", "target",
       "pass if", "passes if", "pass when", "pass condition", "success", "success criteria", "returns", "prints",
       "예상", "예상 결과", "기대", "기대 결과", "기대값", "预期", "预期结果", "期望", "期望结果", "结果", "期待", "期待値", "期待結果", "結果",
       "erwartet", "ergebnis", "attendu", "résultat", "esperado", "resultado", "ожидается", "результат"], Column::Result),
    (&["exit", "exit code", "exit status", "rc", "return code", "status code", "종료 코드", "退出码", "終了コード"], Column::Exit),
    (&["#", "id", "no", "no.", "nr", "nr.", "status", "state", "done", "done?", "✓", "✅", "owner", "priority", "phase", "task",
       "tasks", "상태", "번호", "状态", "编号", "状態", "番号", "статус"], Column::Decoration),
    (&["note", "notes", "why", "rationale", "reason", "comment", "comments", "비고", "备注", "備考", "hinweis", "remarque",
       "nota", "notas", "примечание"], Column::Note),
    (&["command", "commands", "cmd", "run", "verify with", "verified by", "command to run", "명령", "명령어", "命令",
       "コマンド", "befehl", "commande", "comando", "команда"], Column::Command),
    (&["", "check", "checks", "verify", "verification", "test", "tests", "how", "how to verify", "method", "proof",
       "validation", "criterion", "criteria", "what", "description", "name", "requirement", "scenario", "feature",
       "item", "case", "title", "gate", "acceptance criterion", "acceptance criteria", "step", "category", "type",
       "tool", "검증", "확인", "항목", "설명", "기준", "检查", "验证", "描述", "项目", "标准", "検証", "確認", "項目", "説明", "prüfung",
       "beschreibung", "vérification", "verificación", "descripción", "verificação", "descrição", "проверка",
       "описание"], Column::Title),
    (&["stderr"], Column::Stderr),
];

/// A result that is left out; one that is still to come (`TBD`, `…`) is not understood.
fn is_unstated(text: &str) -> bool {
    matches!(text.trim(), "" | "-" | "–" | "—")
}

fn is_blank(text: &str) -> bool {
    let said = tokens(text);
    let said = clauses::trimmed(&said);
    said.is_empty()
        || matches!(text.trim().to_lowercase().as_str(), "n/a" | "na" | "[ ]" | "☐" | "⬜" | "tbd")
}

fn unescaped(part: &Part<'_>) -> String {
    part.text.trim().replace("\\|", "|")
}
