//! The words before a colon that say what a line is: `Run:` and `Verify:` a command, `Expected:` its result, `Note:` a
//! remark.

use std::sync::LazyLock;

/// What a label says of the text behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Label {
    /// A command to run: `Run:`, `Command:`, `$`.
    Run,
    /// A check: `Verify:`, `Test:`, `Acceptance:`.
    Verify,
    /// The result of the command before it: `Expected:`, `Output:`.
    Expected,
    /// A remark without meaning for the check: `Note:`, `Why:`.
    Note,
}

/// The label at the beginning of a text, and the text behind it.
pub fn label(text: &str) -> Option<(Label, &str)> {
    // Nearly every line has neither a colon nor a code span so near its beginning.
    let near = text.as_bytes().get(..=LONGEST).unwrap_or(text.as_bytes());
    let colon = near.iter().position(|byte| matches!(*byte, b':' | b'`' | WIDE_COLON))?;
    let (at, length) = match near.get(colon)? {
        b':' => (colon, 1),
        b'`' => return None,
        _ => {
            let (name, _) = text.split_once([':', '：'])?;
            if name.len() > LONGEST || name.contains('`') {
                return None;
            }
            (name.len(), text.get(name.len()..)?.chars().next()?.len_utf8())
        }
    };
    let (name, rest) = (text.get(..at)?, text.get(at + length..)?);
    let name = name.trim_matches(['*', '_', ' ', '\t']);
    let label = if name.is_ascii() {
        let mut lower = [0; LONGEST];
        let lower = lower.get_mut(..name.len())?;
        lower.copy_from_slice(name.as_bytes());
        lower.make_ascii_lowercase();
        named(lower)?
    } else {
        named(name.to_lowercase().as_bytes())?
    };
    Some((label, rest.trim_start_matches(['*', '_']).trim()))
}

/// The first byte of the wide colon, and of other signs.
const WIDE_COLON: u8 = 0xEF;

/// The label that words in lower case are: `done`, `when`.
pub(crate) fn of_words<'t>(words: impl Iterator<Item = &'t str>) -> Option<Label> {
    let mut name = [0; LONGEST];
    let mut end = 0;
    for (place, word) in words.enumerate() {
        if place > 0 {
            *name.get_mut(end)? = b' ';
            end += 1;
        }
        name.get_mut(end..end + word.len())?.copy_from_slice(word.as_bytes());
        end += word.len();
    }
    named(name.get(..end)?)
}

/// The label of a name in lower case.
fn named(name: &[u8]) -> Option<Label> {
    let own = BY_LENGTH.get(name.len())?;
    own.iter().find(|(own, _)| own.as_bytes() == name).map(|(_, label)| *label)
}

/// The names by how long they are.
static BY_LENGTH: LazyLock<Vec<Vec<(&str, Label)>>> = LazyLock::new(|| {
    let mut all = vec![Vec::new(); LONGEST + 1];
    for (names, label) in LABELS {
        for name in *names {
            if let Some(own) = all.get_mut(name.len()) {
                own.push((*name, *label));
            }
        }
    }
    all
});

/// Whether a line within a paragraph begins a part of its own: it has a label, or an arrow stands at its beginning.
pub fn begins_part(line: &str) -> bool {
    let line = line.trim_start();
    ["→", "⇒", "->", "=>", "$ "].iter().any(|arrow| line.starts_with(arrow)) || label(line).is_some()
}

/// Whether a text goes on with the check before it: `It must print x`, `and prints x`, `The output is x`.
pub fn goes_on(text: &str) -> bool {
    // `it looks good` is a criterion of its own, for a person.
    let mut words = text.split(|c: char| !c.is_alphanumeric());
    let shows = |word: &str| VERBS.iter().any(|verb| verb.trim_end_matches('s') == word || *verb == word);
    begins_with(text, &[PRONOUNS, OUTPUTS])
        && (text.contains('`') || words.any(shows) || crate::denies_or_counts(text))
}

/// Whether a text is about what a command gives: `Prints x`, `Output must be x`.
pub fn speaks_of_result(text: &str) -> bool {
    begins_with(text, &[PRONOUNS, OUTPUTS, VERBS])
}

/// Whether a remark demands a result after all: `Note: must print x`, `Note: fails where there is none`.
pub(crate) fn demands_result(text: &str) -> bool {
    let words: Vec<String> = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let modal = |word: &String| matches!(word.as_str(), "must" | "should" | "shall");
    let verb = |word: &String| VERBS.iter().any(|verb| verb.trim_end_matches('s') == word || verb == word);
    begins_with(text, &[VERBS]) || words.iter().any(modal) && words.iter().any(verb)
}

/// Whether a text speaks of the checks above it: `All of the above must fail`.
pub fn speaks_of_others(text: &str) -> bool {
    let words = text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase);
    let points = |word: String| ABOVE.contains(&word.as_str());
    crate::denies_or_counts(text) && words.into_iter().any(points)
}

const ABOVE: &[&str] = &[
    "above",
    "previous",
    "preceding",
    "oben",
    "obige",
    "obigen",
    "dessus",
    "anterior",
    "anteriores",
    "выше",
    "上述",
    "上記",
    "위의",
];

fn begins_with(text: &str, lists: &[&[&str]]) -> bool {
    let text = text.trim_start_matches(['*', '_', '(', ' ']);
    let word =
        |text: &str| text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase();
    let first = word(text);
    let first = if first == "the" { word(text.get(4..).unwrap_or_default()) } else { first };
    lists.iter().any(|list| list.contains(&first.as_str()))
}

const PRONOUNS: &[&str] =
    &["it", "they", "which", "and", "but", "es", "und", "il", "elle", "et", "y", "e", "он", "оно", "и"];

const OUTPUTS: &[&str] = &["output", "stdout", "stderr", "exit", "command", "script"];

const VERBS: &[&str] = &["prints", "outputs", "returns", "shows", "displays", "exits", "fails", "result"];

const LONGEST: usize = 48;

#[rustfmt::skip]
const LABELS: &[(&[&str], Label)] = &[
    (&["run", "command", "cmd", "execute", "run again", "rerun", "re-run", "실행", "명령", "运行", "命令", "执行", "実行",
       "コマンド", "befehl", "ausführen", "commande", "exécuter", "comando", "ejecutar", "executar", "команда", "запустить"], Label::Run),
    (&["verify", "verification", "verify with", "verified by", "check", "checks", "test", "tests", "validate", "validation",
       "accept", "acceptance", "acceptance criteria", "acceptance criterion", "acceptance test", "done when", "qa", "automated",
       "automated verification", "how to verify", "to verify", "confirm", "proof", "evidence",
       "검증", "확인", "검사", "테스트", "验证", "验收", "检查", "测试", "検証", "確認", "テスト", "prüfen", "prüfung", "verifikation", "verifizierung",
       "vérifier", "vérification", "verificar", "verificación", "verificação", "comprobar", "проверка", "проверить"], Label::Verify),
    (&["expected", "expect", "expects", "expected result", "expected results", "expected output", "expected outcome",
       "output", "result", "should print", "should output", "should return", "pass if", "passes if", "pass when", "prints",
       "예상", "예상 결과", "기대", "기대 결과", "기대값", "期望", "预期", "预期结果", "预期输出", "期待", "期待値", "期待結果", "期待される結果",
       "erwartet", "erwartung", "erwartete ausgabe", "attendu", "résultat attendu", "sortie attendue", "esperado",
       "resultado esperado", "salida esperada", "saída esperada", "ожидается", "ожидаемый результат"], Label::Expected),
    (&["success criteria", "definition of done", "dod", "exit criteria", "completion criteria", "verification commands",
       "수용 기준", "수락 기준", "완료 조건", "완료 기준", "인수 조건", "验收标准", "验收条件", "受け入れ基準", "受入条件",
       "akzeptanzkriterien", "criterios de aceptación", "critères d'acceptation"], Label::Verify),
    (&["note", "notes", "why", "rationale", "참고", "이유", "备注", "注", "说明", "注意", "理由", "hinweis", "warum", "remarque",
       "pourquoi", "nota", "por qué", "por que", "примечание", "почему"], Label::Note),
];
