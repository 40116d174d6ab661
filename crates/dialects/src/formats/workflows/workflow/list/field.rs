//! Labelled lines below a task's name: `Dependencies: IMPL-1`, `**依赖**: 无`, `Agent: @x`.

use markdown::{Extent, Outline};

/// One such line.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LabelledLine {
    pub(crate) name: Name,
    /// The text after the colon.
    pub(crate) value: Extent,
}

/// The name of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// The dependencies.
    Depends,
    /// The agent.
    Agent,
    /// The state, in words.
    Status,
    /// The tasks that it may run with.
    Group,
    /// Its files.
    Files,
    /// A criterion.
    Check,
    /// A link to its file or summary.
    Link,
    /// Kept unchanged, under this key.
    Other(&'static str),
}

/// The fields in a range.
pub(crate) fn fields(outline: &Outline, at: Extent) -> Vec<LabelledLine> {
    let lines = outline.lines_in(at).filter(|line| line.veil.is_none());
    lines.filter_map(|line| field(outline, line.at)).collect()
}

/// Whether a status word means done; `None` if it is unknown.
pub(crate) fn is_done(status: &str) -> Option<bool> {
    let status = status.trim_start_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| status.starts_with(word));
    if begins(&["complete", "done", "finished", "已完成", "完成", "pass"]) {
        Some(true)
    } else if begins(&[
        "pending",
        "not ",
        "todo",
        "in progress",
        "in_progress",
        "active",
        "blocked",
        "failed",
    ]) || begins(&["待", "未", "进行中", "阻塞", "失败"])
    {
        Some(false)
    } else {
        None
    }
}

fn field(outline: &Outline, line: Extent) -> Option<LabelledLine> {
    let text = outline.str(line);
    let bare = text.trim_start().trim_start_matches(['-', '*', '+', '•', ' ', '\t', '_']);
    // Some runners note the result as a bare state word below the box.
    if text.trim_start().starts_with('-') && ["failed", "pending"].iter().any(|word| is_word(bare, word)) {
        let start = line.end - bare.len();
        return Some(LabelledLine {
            name: Name::Status,
            value: outline.trimmed(Extent { start, end: line.end }),
        });
    }
    let colon = bare.find([':', '：'])?;
    let key = bare.get(..colon)?.trim_matches(['*', ' ', '_', '`']).to_lowercase();
    let name = name(&key)?;
    let rest = bare.get(colon..)?.trim_start_matches([':', '：', '*', ' ', '\t']);
    // The list that a label announces is part of the task's text.
    if name == Name::Check && rest.is_empty() {
        return None;
    }
    Some(LabelledLine {
        name,
        value: outline.trimmed(Extent { start: line.end - rest.len(), end: line.end }),
    })
}

fn is_word(text: &str, word: &str) -> bool {
    text.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
}

fn name(key: &str) -> Option<Name> {
    Some(match key {
        "dependencies" | "dependency" | "depends on" | "depends_on" | "depends" | "requires" | "依赖"
        | "前置依赖" | "依赖任务" | "前置任务" => Name::Depends,
        "agent" | "代理" | "执行代理" => Name::Agent,
        "status" | "状态" => Name::Status,
        "execution group" | "execution_group" | "group" | "执行组" => Name::Group,
        "target" | "targets" | "target files" | "file" | "files" | "文件" | "目标文件" => Name::Files,
        "acceptance"
        | "acceptance criteria"
        | "verify"
        | "verification"
        | "done when"
        | "验收"
        | "验收标准"
        | "验证" => Name::Check,
        "link" | "links" | "task" | "summary" => Name::Link,
        "type" | "类型" => Name::Other("type"),
        "priority" | "优先级" => Name::Other("priority"),
        "effort" | "estimate" | "工作量" => Name::Other("effort"),
        "quantified" => Name::Other("quantified"),
        "test" | "tests" | "测试" => Name::Other("tests"),
        "focus" => Name::Other("focus"),
        "internal phases" | "tdd phase" => Name::Other("phases"),
        _ => return None,
    })
}
