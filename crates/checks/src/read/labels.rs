//! The words before a colon that say what a line is: `Run:` and `Verify:` a command, `Expected:` its result, `Note:` a
//! remark.

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
    let (name, rest) = text.split_once([':', '：'])?;
    if name.len() > LONGEST || name.contains('`') {
        return None;
    }
    let plain = name.trim_matches(['*', '_', ' ', '\t']).to_lowercase();
    let (_, label) = LABELS.iter().find(|(names, _)| names.contains(&plain.as_str()))?;
    Some((*label, rest.trim_start_matches(['*', '_']).trim()))
}

/// Whether a line within a paragraph begins a part of its own: it has a label, or an arrow stands at its beginning.
pub fn begins_part(line: &str) -> bool {
    let line = line.trim_start();
    ["→", "⇒", "->", "=>", "$ "].iter().any(|arrow| line.starts_with(arrow)) || label(line).is_some()
}

const LONGEST: usize = 48;

#[rustfmt::skip]
const LABELS: &[(&[&str], Label)] = &[
    (&["run", "command", "cmd", "execute", "run again", "rerun", "re-run", "실행", "명령", "运行", "命令", "执行", "実行",
       "コマンド", "befehl", "ausführen", "commande", "exécuter", "comando", "ejecutar", "executar", "команда", "запустить"], Label::Run),
    (&["verify", "verification", "verify with", "verified by", "check", "checks", "test", "tests", "validate", "validation",
       "acceptance", "acceptance criteria", "acceptance criterion", "acceptance test", "done when", "qa", "automated",
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
