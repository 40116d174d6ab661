//! Titles: the text before a command. Beside a clause a title means nothing, unless it has a number, a comparison or a
//! negation. Without one it must say nothing either, or be a clause itself.

use super::clauses;
use super::tokens::{Token, TokenKind};
use crate::commands::class::{Classes, Nature};
use crate::labels::{self, Label};
use crate::synonyms::{Synonyms, Titles};
use wire::plan::Clause;

/// What a title means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Title {
    /// Nothing.
    Nothing,
    /// Clauses: `Tests pass:`, `No matches:`.
    Clauses(Vec<Clause>),
    /// It has a number, a comparison or a negation.
    Reserved(String),
    /// It may mean something that exit 0 does not say.
    Unknown,
}

/// What the title before a command means.
pub(crate) fn read(tokens: &[Token], has_clause: bool, nature: &Nature, table: &Synonyms) -> Title {
    let mut found: Vec<Clause> = Vec::new();
    let pieces: Vec<&[Token]> =
        tokens.split(|token| token.is(':') || token.is('—') || token.kind == TokenKind::Arrow).collect();
    for piece in pieces {
        let piece = without_id(piece);
        if piece.is_empty() || is_neutral(piece) || is_label(piece) {
            continue;
        }
        if let Some(clauses) = of_piece(piece, nature, table) {
            found.extend(clauses);
            continue;
        }
        if has_clause && table.titles == Titles::Ignore {
            continue;
        }
        let reserved = piece.iter().find_map(reserved).or_else(|| condition(piece));
        match reserved {
            Some(word) if !has_clause && agrees_with_negation(piece, nature) => drop(word),
            Some(word) => return Title::Reserved(word),
            None if has_clause || names_what_it_runs(piece, nature) || affirms(piece, nature) => {}
            None => return Title::Unknown,
        }
    }
    if found.is_empty() { Title::Nothing } else { Title::Clauses(found) }
}

/// Whether a piece is a label of checks: `Done when`, `Exit criteria`.
fn is_label(piece: &[Token]) -> bool {
    let words = || piece.iter().filter_map(Token::word);
    words().nth(1).is_some() && labels::of_words(words()) == Some(Label::Verify)
}

/// The clauses that a title states as a whole. The names of things are no clauses: `JSON:`, `3:`, `"x":`.
fn of_piece(piece: &[Token], nature: &Nature, table: &Synonyms) -> Option<Vec<Clause>> {
    let clauses = clauses::parse(piece, nature, table)?;
    let names = |clause: &Clause| {
        matches!(clause, Clause::Line { .. } | Clause::Number { .. } | Clause::Json { .. })
            && piece.len() == 1
    };
    (!clauses.is_empty() && !clauses.iter().any(names)).then_some(clauses)
}

/// A piece without the id at its beginning: `AC-3`, `2.`, `Step 4`.
pub(crate) fn without_id(piece: &[Token]) -> &[Token] {
    let is_number =
        |token: Option<&Token>| token.is_some_and(|token| matches!(token.kind, TokenKind::Number(_)));
    let ends =
        |token: Option<&Token>| token.is_some_and(|token| token.is('.') || token.is(')') || token.is(']'));
    let word = |at: usize| piece.get(at).and_then(Token::word).unwrap_or_default();
    let opened =
        usize::from(piece.first().is_some_and(|token| token.is('[') || token.is('(') || token.is('#')));
    let named = usize::from(ID_WORDS.contains(&word(opened)));
    let at = opened + named;
    let length =
        if is_number(piece.get(at)) && (ends(piece.get(at + 1)) || at > 0 && piece.get(at + 1).is_none()) {
            at + 1
        } else if is_id(word(opened)) {
            opened + 1
        } else {
            return piece;
        };
    let rest = piece.get(length..).unwrap_or_default();
    match rest.split_first() {
        Some((first, rest)) if first.is('.') || first.is(')') || first.is(']') => rest,
        _ => rest,
    }
}

const ID_WORDS: &[&str] = &[
    "step",
    "task",
    "phase",
    "ac",
    "criterion",
    "scenario",
    "check",
    "test",
    "item",
    "requirement",
    "req",
    "case",
    "단계",
    "步骤",
    "任务",
    "ステップ",
    "schritt",
    "étape",
    "paso",
    "passo",
    "шаг",
];

/// `t001`, `ac-3`, `fr-012`, `us1.2`: at most four letters, then digits.
fn is_id(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_lowercase).count();
    let rest = word.get(letters..).unwrap_or_default().trim_start_matches('-');
    (1..=4).contains(&letters)
        && rest.starts_with(|c: char| c.is_ascii_digit())
        && rest.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-'))
}

/// Whether a title only says that something is run or checked.
pub(crate) fn is_neutral(piece: &[Token]) -> bool {
    piece.iter().all(|token| match &token.kind {
        TokenKind::Word(word) => NEUTRAL.binary_search(&word.as_str()).is_ok(),
        TokenKind::Sign(sign) => {
            clauses::is_decoration(*sign) || matches!(sign, '(' | ')' | '/' | '&' | '$' | '[' | ']')
        }
        _ => false,
    })
}

/// Whether the title is the name of what the command runs: `Parser tests` before a test runner.
fn names_what_it_runs(piece: &[Token], nature: &Nature) -> bool {
    let last = piece.iter().rev().find_map(Token::word).unwrap_or_default();
    let ends = |class: Classes, words: &[&str]| nature.classes.has(class) && words.contains(&last);
    !nature.denies
        && (ends(
            Classes::RUNNER,
            &["tests", "test", "suite", "specs", "spec", "테스트", "测试", "テスト", "pass"],
        ) || ends(Classes::BUILDER, &["build", "builds", "compiles", "빌드", "构建", "ビルド"])
            || ends(Classes::LINTER, &["lint", "lints", "typecheck", "typechecks", "린트"]))
}

/// Whether the title says that something is so, before a quiet test that says the same: `Config exists`, `CSS has a colour`.
/// A state ends the title; a verb with an object may stand anywhere in it.
fn affirms(piece: &[Token], nature: &Nature) -> bool {
    let words: Vec<&str> = piece.iter().filter_map(Token::word).collect();
    // Scripts without blanks end a word with the state.
    let is_state =
        |word: &str| STATES.iter().any(|state| word == *state || !state.is_ascii() && word.ends_with(state));
    let state = words.last().is_some_and(|last| is_state(last));
    // `has stopped`, `have been moved`
    let participle = |word: &&str| word.ends_with("ed") || word.ends_with("en");
    let verb = words
        .iter()
        .any(|word| VERBS.contains(word) || matches!(*word, "has" | "have") && !words.iter().any(participle));
    // One test says nothing about several things.
    let several = |token: &Token| match token.word() {
        Some(word) => {
            matches!(
                word,
                "and" | "each" | "every" | "all" | "und" | "et" | "y" | "e" | "и" | "및" | "和" | "と"
            )
        }
        None => token.is(',') || token.is('&') || token.is('/') || token.is('+'),
    };
    let one = !piece.iter().any(several);
    nature.classes.has(Classes::QUIET) && !nature.denies && one && (state || verb)
}

/// `No TODOs remain:` before `! grep -q TODO`: the one negation stands first, and the command has it too.
fn agrees_with_negation(piece: &[Token], nature: &Nature) -> bool {
    let Some((first, rest)) = piece.split_first() else { return false };
    let negates = first.word().is_some_and(|word| {
        matches!(word, "no" | "kein" | "keine" | "aucun" | "aucune" | "sin" | "sem" | "нет")
    });
    nature.negates_search && negates && !rest.iter().any(|token| reserved(token).is_some())
}

/// A code span that says where or with what the command runs: ``In `web/` ``, ``With `DEBUG=1` ``.
fn condition(piece: &[Token]) -> Option<String> {
    let of = |token: &Token| match &token.kind {
        TokenKind::Code(text) => Some(text.clone()),
        _ => None,
    };
    piece.iter().enumerate().find_map(|(at, token)| {
        let text = of(token)?;
        let before = at.checked_sub(1).and_then(|at| piece.get(at)).and_then(Token::word).unwrap_or_default();
        let runs = matches!(
            before,
            "in" | "from" | "inside" | "with" | "on" | "via" | "using" | "through" | "for" | "by"
        );
        let (name, value) = text.split_once('=').unwrap_or_default();
        let assigns = !value.is_empty()
            && !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        (runs || assigns || text.starts_with('-')).then(|| format!("{before} {text}").trim().to_owned())
    })
}

/// The number, comparison or negation that a token is.
pub(crate) fn reserved(token: &Token) -> Option<String> {
    match &token.kind {
        TokenKind::Number(number) => Some(number.clone()),
        TokenKind::Op(op) => Some(op.sign().to_owned()),
        TokenKind::Regex(_) | TokenKind::Pointer(_) => Some("a pattern".to_owned()),
        TokenKind::Sign(sign)
            if matches!(sign, '❌' | '✗' | '✘' | '✖' | '⛔' | '🚫' | '~' | '≈' | '±' | '!') =>
        {
            Some(sign.to_string())
        }
        TokenKind::Word(word) => is_reserved(word).then(|| word.clone()),
        _ => None,
    }
}

/// Whether a word denies, compares, counts or limits.
pub(crate) fn is_reserved(word: &str) -> bool {
    let wide = |c: char| !c.is_ascii();
    word.starts_with(|c: char| c.is_ascii_digit())
        || word.ends_with("n't")
        || RESERVED.binary_search(&word).is_ok()
        || begins_with_stem(word)
        || word.starts_with("un") && word.len() > 4 && !UN.iter().any(|stem| word.starts_with(stem))
        || word.contains(wide) && PARTS.iter().any(|part| word.contains(part))
}

/// Whether a word begins with one of the stems, which are sorted.
fn begins_with_stem(word: &str) -> bool {
    let Some(first) = word.as_bytes().first() else { return false };
    let from = STEMS.partition_point(|stem| stem.as_bytes().first() < Some(first));
    let own = STEMS.get(from..).unwrap_or_default().iter();
    own.take_while(|stem| stem.as_bytes().first() == Some(first)).any(|stem| word.starts_with(stem))
}

/// Words that begin with `un` and deny nothing.
const UN: &[&str] = &[
    "unit",
    "uniq",
    "unio",
    "univ",
    "unix",
    "unic",
    "unif",
    "unde",
    "unti",
    "unpack",
    "unmarshal",
    "unzip",
    "unwrap",
];

/// Words that deny, compare, count or limit; sorted.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "aber", "above", "absence", "absent", "after", "all-or-nothing", "almost", "alone", "als", "approximately",
    "around", "aucun", "aucune", "außer", "before", "below", "between", "beyond", "both", "broken",
    "but", "cannot", "clean", "cleanly", "cleanup", "dead", "different", "double", "dozen", "drei", "eight", "eins", "either",
    "eleven", "else", "empty", "equal", "equals", "error", "errors", "exactly", "except", "false", "fehler", "few",
    "fewer", "first", "five", "four", "free", "given", "gone", "half", "hardly", "hundred", "identical", "if",
    "illegal", "instead", "jamais", "just", "kein", "keine", "keinen", "keiner", "last", "least", "less", "lower",
    "mais", "many", "max", "maximum", "mayor", "mehr", "menor", "menos", "min", "mindestens", "minimum", "minute",
    "minutes", "missing", "moins", "more", "most", "nada", "ne", "negative", "neither", "nem", "never", "ni", "nicht",
    "nichts", "nie", "nine", "no", "nobody", "non", "none", "nor", "not", "nothing", "nowhere", "null", "nunca",
    "nur", "off", "ohne", "once", "one", "only", "or", "over", "para", "pas", "per", "percent", "pero", "plus",
    "rather", "rien", "same", "sans", "sauf", "second", "seconds", "sem", "seven", "sin", "single", "sino", "six",
    "solo", "sonst", "stale", "ten", "than", "then", "thousand", "three", "too", "twelve", "twice",
    "two", "under", "unless", "unter", "until", "versus", "vs", "weder", "weg", "weniger", "when", "whenever",
    "where", "while", "within", "without", "wrong", "zero", "zwei",
];

/// The beginnings of words that deny; sorted.
#[rustfmt::skip]
const STEMS: &[&str] = &[
    "abgelehnt", "abort", "absen", "apag", "avoid", "block", "borr", "break", "cleaned", "cleaning", "cleans",
    "clear", "collaps", "conflict", "crash", "delet", "denied", "denies", "deny", "deprecat", "disab", "disallow",
    "disappear", "discard", "drop", "elimin", "eliminat", "entfern", "erase", "error", "exceed", "exclu", "exit",
    "fail", "falh", "falla", "fallo", "faster", "fault", "fehl", "forbad", "forbid", "gelösch", "gone", "halt",
    "höchst", "ignor", "illeg", "impos", "inact", "incomp", "incorr", "interdi", "invalid", "kill", "lack", "leak",
    "limit", "malform", "mislead", "miss", "nenhum", "ningun", "ningún", "non-", "obsolet", "omit", "panic",
    "prevent", "prohib", "prohíb", "proib", "purg", "quit", "rais", "rechaz", "refus", "regress", "reject", "rejet",
    "remov", "replac", "retir", "revok", "skip", "slower", "stop", "strip", "suppress", "supprim", "terminat",
    "throw", "timeout", "uninstall", "vanish", "verbot", "verweiger", "violat", "warn", "échou",
];

/// Parts of words of scripts that glue words together.
#[rustfmt::skip]
const PARTS: &[&str] = &[
    "não", "über", "без", "более", "больше", "запрещ", "кроме", "менее", "меньше", "не", "нет", "ни", "никогда",
    "откл", "отклон", "отсутств", "ошиб", "только", "удал", "ずに", "せず", "だけ", "ない", "なし", "のみ", "ません", "エラー", "不",
    "之前", "之后", "仅", "以上", "以下", "以内", "停止", "删", "削除", "只", "多于", "大于", "失敗", "失败", "小于", "少于", "拒", "无", "最多", "未",
    "没", "消", "無", "禁", "移除", "至少", "超", "错误", "除", "非", "거부", "금지", "만족하지", "못", "미만", "번만", "삭제", "실패", "아니", "않", "비존재", "미존재", "부재", "사라", "폐기",
    "없", "에러", "오류", "이내", "이상", "이하", "제거", "제외", "중단", "차단", "초과", "하나",
];

/// Words that only say that something is run or checked; sorted.
#[rustfmt::skip]
const NEUTRAL: &[&str] = &[
    "a", "acceptance", "again", "all", "also", "analysis", "and", "api", "app", "ausführen", "automated", "backend",
    "bash", "bauen", "befehl", "build", "by", "check", "checking", "checks", "ci", "cli", "client", "cmd", "code",
    "comando", "command", "commande", "commands", "compilar", "compilation", "compile", "complete", "comprobar",
    "confirm", "confirmation", "construire", "cross-check", "dod", "e2e", "ejecutar", "end", "end-to-end", "ensure",
    "entire", "evidence", "executar", "execute", "exécuter", "final", "following", "for", "format", "formatting",
    "frontend", "full", "functional", "gate", "gates", "in", "integration", "it", "lancer", "lint", "linter",
    "linting", "local", "locally", "make", "new", "of", "on", "package", "project", "proof", "pruebas", "prüfen",
    "prüfung", "qa", "quality", "re-run", "regular", "repo", "rerun", "root", "run", "running", "runs", "runtime",
    "script", "server", "shell", "smoke", "specs", "static", "suite", "sure", "syntax", "terminal", "test", "teste",
    "testen", "tester", "testes", "testing", "tests", "that", "the", "then", "this", "to", "type", "type-check",
    "type-checking", "typecheck", "typechecking", "types", "typescript", "unit", "use", "using", "validate",
    "validation", "verificación", "verificar", "verification", "verificação", "verified", "verify", "via",
    "vérification", "vérifier", "web", "whole", "with", "workspace", "запустить", "проверить", "проверка", "сборка",
    "тест", "тесты", "テスト", "ビルド", "実行", "构建", "检查", "検証", "测试", "確認", "编译", "运行", "验收", "验证", "검사", "검증", "기능", "단위",
    "런타임", "린트", "빌드", "실행", "전체", "정리", "정적", "테스트", "확인",
];

/// States that a quiet test confirms.
#[rustfmt::skip]
const STATES: &[&str] = &[
    "added", "available", "configured", "created", "declared", "defined", "documented", "enabled", "executable", "exist", "exists",
    "exported", "found", "generated", "implemented", "imported", "included", "installed", "present", "registered", "there", "tracked", "written",
    "존재", "있음", "추가", "생성", "추가됨", "생성됨", "存在", "存在する", "存在すること", "存在함", "已创建", "已添加", "existiert", "vorhanden", "existe", "existent", "présent", "существует",
];

/// Verbs whose object a quiet test finds.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "accepts", "calls", "contain", "contains", "declares", "defines", "documents", "enables", "exports", "imports", "implements", "include", "includes",
    "lists", "mentions", "names", "provides", "re-exports", "references", "registers", "renders", "supports", "uses",
    "포함", "包含", "含む", "enthält", "contient", "contiene", "contém", "содержит",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::class::nature;
    use crate::grammar::tokens::tokens;

    fn title(text: &str, command: &str, has_clause: bool) -> Title {
        read(&tokens(text), has_clause, &nature(command), Synonyms::builtin())
    }

    #[test]
    fn lists_are_sorted() {
        for list in [RESERVED, STEMS, NEUTRAL] {
            let mut sorted = list.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            for (own, wanted) in list.iter().zip(&sorted) {
                assert_eq!(own, wanted);
            }
        }
    }

    #[test]
    fn a_title_means_nothing_beside_a_clause_unless_it_counts_compares_or_denies() {
        for text in ["Prints the version:", "AC-3:", "Step 2: build", "CLI — usage:", "버전 출력:"] {
            assert_eq!(title(text, "./app", true), Title::Nothing, "{text}");
        }
        for text in [
            "No TODOs remain:",
            "Rejects invalid input:",
            "Coverage is at least 80%:",
            "Tests (12 must pass):",
            "Doesn't crash:",
            "Runs twice:",
            "With `DEBUG=1`,",
            "In `packages/a`:",
            "When it is cold:",
            "Unhealthy service:",
            "Nur einmal:",
            "오류가 없음을 확인:",
            "不应包含:",
            "≥ 3 rows:",
            "Removes the old file:",
        ] {
            assert!(matches!(title(text, "./app", true), Title::Reserved(_)), "{text}");
        }
    }

    #[test]
    fn without_a_clause_a_title_says_nothing_or_is_a_clause() {
        for (text, command) in [
            ("Run", "./app"),
            ("Verify with", "./app"),
            ("**Done when:**", "npm test"),
            ("Exit criteria:", "npm test"),
            ("Run full test suite:", "npm test"),
            ("Parser tests:", "pytest tests/parser"),
            ("Config exists:", "test -f c"),
            ("`Button.jsx` exports function:", "grep -q 'export function' Button.jsx"),
            ("No TODOs remain:", "! grep -rq TODO src"),
            ("**Step 2: 빌드 확인** — Run:", "make"),
        ] {
            assert_eq!(title(text, command, false), Title::Nothing, "{text}");
        }
        for (text, command) in [
            ("All tests pass:", "npm test"),
            ("Should fail:", "./app bad"),
            ("No matches:", "grep -rn TODO src"),
            ("Build succeeds:", "make build"),
            ("Verify that it fails:", "./app"),
        ] {
            assert!(matches!(title(text, command, false), Title::Clauses(_)), "{text}");
        }
        for (text, command) in [
            ("Prints the name:", "./app"),
            ("The login works:", "./app"),
            ("Coverage stays high:", "pytest --cov"),
            ("Old file is gone:", "test -f old"),
            ("Legacy module:", "test -f old"),
            ("Rejects invalid input:", "./app bad"),
            ("Config exists:", "! test -f c"),
            ("Config exists:", "test ! -f c"),
            ("Lock is released:", "test -f lock"),
            ("Config is history:", "test -f c"),
            ("Server has retired:", "test -f pid"),
            ("Secrets are safe:", "grep -q secret log"),
            ("No TODOs remain:", "grep -rn TODO src"),
        ] {
            assert!(matches!(title(text, command, false), Title::Reserved(_) | Title::Unknown), "{text}");
        }
    }
}
