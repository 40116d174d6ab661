//! The words of headings that give a section its role, in the languages that plans are written in.
//!
//! A row is a role and its names: lowercase, without numbering, signs, remarks in parentheses and the colon.

use super::Role;

/// Names that give the role wherever they begin or end a heading: `Phase 1 Success Criteria`.
#[rustfmt::skip]
pub(crate) const CRITERIA: &[&str] = &[
    "acceptance criteria", "acceptance criterion", "success criteria", "release criteria", "exit criteria",
    "completion criteria", "done criteria", "pass criteria", "passing criteria", "verification criteria", "definition of done", "done definition",
    "done when", "success metrics", "acceptance checklist", "success indicators",
    "验收标准", "验收条件", "完成标准", "成功标准", "完成定义", "受け入れ基準", "受入基準", "受入条件", "受け入れ条件",
    "完了条件", "完了基準", "完了の定義", "수용 기준", "인수 기준", "완료 조건", "완료 기준", "성공 기준",
    "akzeptanzkriterien", "abnahmekriterien", "erfolgskriterien", "critères d'acceptation", "critères de succès",
    "criterios de aceptación", "criterios de éxito", "critérios de aceitação", "critérios de aceite",
    "critérios de sucesso", "критерии приемки", "критерии приёмки", "критерии успеха", "критерии готовности",
    "критерии завершения", "criteri di accettazione", "criteri di successo", "acceptatiecriteria",
    "tiêu chí chấp nhận", "tiêu chí hoàn thành",
];

/// Names that give the role only as the whole heading.
#[rustfmt::skip]
pub(crate) const NAMES: &[(Role, &[&str])] = &[
    (Role::Tasks, &[
        "tasks", "task", "task list", "tasks / subtasks", "tasks/subtasks", "tasks & subtasks", "todo", "todos", "to do",
        "to-do", "todo list",
        "implementation checklist", "implementation", "queue", "phases",
        "steps", "stages", "action items", "action plan", "work items", "work breakdown", "plan", "plan of work", "roadmap",
        "progress", "next steps", "milestones", "execution plan", "step-by-step plan",
        "task breakdown", "backlog", "current tasks", "remaining work",
        "remaining tasks", "open tasks", "in progress", "phase details", "proposed changes",
        "任务", "任务列表", "任务清单", "实施步骤", "实施计划", "实现步骤", "步骤", "阶段", "待办", "待办事项",
        "タスク", "タスク一覧", "実装フェーズ", "実装計画", "実装手順", "手順", "フェーズ",
        "작업", "할 일", "작업 목록", "구현 단계", "구현 계획", "단계", "tareas", "pasos", "fases", "plan de implementación",
        "tâches", "étapes", "plan d'implémentation", "plan d'action", "aufgaben", "schritte", "phasen", "umsetzungsplan",
        "tarefas", "passos", "etapas", "plano de implementação", "задачи", "шаги", "этапы", "план", "план реализации",
        "attività", "passi", "fasi", "piano di implementazione", "taken", "stappen", "fasering", "nhiệm vụ", "các bước",
        "lộ trình", "lộ trình triển khai", "kế hoạch triển khai", "görevler", "yapılacaklar", "adımlar", "uygulama adımları",
        "uygulama planı", "zadania", "kroki", "plan wdrożenia", "tugas", "langkah-langkah", "rencana implementasi",
    ]),
    (Role::Criteria, &["acceptance", "acceptance tests", "验收", "人工验收", "受け入れ", "abnahme", "приёмка", "приемка"]),
    (Role::Checks, &[
        "verification", "verification plan", "verification steps", "verification checklist", "verification commands",
        "verify", "validation", "validation plan", "validation steps", "validation checklist", "validation commands",
        "validation and acceptance", "test plan", "testing plan", "testing checklist",
        "test checklist", "testing strategy", "test strategy", "manual testing", "manual tests", "manual verification",
        "automated verification", "automated tests", "checklist", "final checklist", "review checklist", "quality checklist",
        "qa checklist", "pr checklist", "release checklist", "pre-release checklist", "evidence", "evidências", "evidencias", "pre-merge checklist", "pre-commit checklist", "completion checklist",
        "done checklist", "improvements checklist", "review findings", "checks", "how to verify", "quality gates",
        "quality gate", "ci checklist", "验证", "测试清单", "检查清单", "验证清单", "検証",
        "検証手順", "チェックリスト", "テスト計画", "검증", "체크리스트", "verifikation", "prüfung", "vérification", "verificación",
        "verificação", "проверка", "verifica", "verificatie",
    ]),
    (Role::Prerequisites, &[
        "prerequisites", "prerequisite", "preconditions", "entry criteria", "before you start", "before starting",
        "dependencies", "前提条件", "前置条件", "前提", "사전 준비", "voraussetzungen",
        "prérequis", "requisitos previos", "pré-requisitos", "предварительные требования", "prerequisiti", "vereisten",
    ]),
    (Role::Notes, &[
        "notes", "note", "open questions", "questions", "key questions", "user review required", "risks",
        "mitigations", "discoveries", "surprises", "outcomes", "retrospective",
        "risk mitigation", "risk assessment",
        "non-goals", "non goals", "not in scope", "what we're not doing", "decisions",
        "decisions made", "decision log", "references", "background", "context", "goals", "objectives", "errors encountered",
        "lessons learned", "learnings",
        "changelog", "change log", "glossary", "assumptions",
        "constraints", "guardrails", "requirements", "functional requirements", "technical requirements",
        "non-functional requirements", "current state", "current state analysis", "desired end state",
        "task dependencies",
        "dependency graph",
        "schedule", "rollout strategy", "rollout plan", "rollback plan",
        "estimated effort", "parallel opportunities", "implementation strategy",
        "file list", "dev notes", "dev agent record", "qa results", "future enhancements",
        "migration notes", "migration guide",
        "关键问题", "已做决策", "遇到的错误", "备注", "约束", "错误记录", "风险", "背景", "目标", "注意事項", "リスク",
        "概要", "目的", "비고", "위험", "배경", "notizen", "risiken", "hintergrund", "notas", "riesgos", "contexte", "risques",
        "заметки", "риски", "контекст",
    ]),
    (Role::Design, &[
        "architecture", "technical architecture", "architektur", "technische architektur", "architectuur",
        "technische architectuur", "arquitectura", "arquitectura técnica", "design", "design approach", "technical design",
        "directory structure",
    ]),
    (Role::Legend, &[
        "key", "symbols", "markers", "format", "task format", "conventions",
        "status key", "status tags", "图例", "状态说明", "범례", "leyenda", "légende", "legende", "легенда",
    ]),
    (Role::Examples, &[
        "example", "examples", "sample", "samples", "template", "templates", "parallel example", "usage example",
        "示例", "例", "예시", "예제", "beispiel", "beispiele", "exemple", "exemples", "ejemplo", "ejemplos", "пример", "примеры",
    ]),
];

/// Names that give the role wherever they end a heading: `Implementation Timeline`.
#[rustfmt::skip]
pub(crate) const ENDS: &[(Role, &[&str])] = &[
    (Role::Notes, &["timeline", "out of scope"]),
    (Role::Order, &[
        "implementation order", "execution order", "build order", "delivery order", "order of work", "order of implementation",
        "order of execution", "recommended order", "suggested order", "实施顺序", "执行顺序", "实现顺序", "実装順序", "実装順",
        "구현 순서", "작업 순서", "orden de implementación", "ordem de implementação", "ordre d'implémentation", "reihenfolge",
        "порядок реализации", "порядок работ", "порядок выполнения", "uygulama sırası", "thứ tự triển khai", "thứ tự thực hiện",
    ]),
    (Role::Legend, &["legend", "凡例"]),
    (Role::Checks, &["チェックリスト", "检查清单", "체크리스트"]),
];

/// Words before the name of a list of work: `Detailed Implementation Steps`.
#[rustfmt::skip]
pub(crate) const OF_WORK: &[&str] = &[
    "implementation ", "development ", "execution ", "build ", "delivery ", "work ", "project ", "migration ", "refactoring ",
    "proposed ", "detailed ", "phased ", "remaining ", "current ", "recommended ", "suggested ", "planned ", "step-by-step ",
];

/// Names of lists whose bullets are tasks even without boxes and numbers.
#[rustfmt::skip]
pub(crate) const LISTS: &[&str] = &[
    "tasks", "task list", "todo", "todos", "to do", "to-do", "todo list", "action items", "work items", "remaining work",
    "remaining tasks", "open tasks", "current tasks", "backlog", "任务", "任务列表", "任务清单", "待办", "待办事项", "タスク", "タスク一覧",
    "작업", "할 일", "작업 목록", "tareas", "tâches", "aufgaben", "tarefas", "задачи", "attività", "taken", "nhiệm vụ", "görevler",
    "yapılacaklar",
];

/// Words in the title or the name of a plan.
#[rustfmt::skip]
pub(crate) const PLANS: &[&str] = &[
    "plan", "roadmap", "todo", "backlog", "implementation", "milestone", "task", "phase", "migration", "计划", "計画", "路线", "方案", "계획",
    "план", "kế hoạch", "fahrplan",
];
