//! The fields of a task in the items below it: `Depends on: T1`, `Files: a.rs`, `Status: done`.

use crate::fields::item_text;
use memchr::memchr2;

/// What a field says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskField {
    /// The tasks that it waits for.
    Depends,
    /// The files that it writes.
    Files,
    /// Its state in words.
    Status,
}

/// The field at the beginning of an item, and the text after its label.
pub(crate) fn read(line: &str) -> Option<(TaskField, &str)> {
    // Most lines have no colon; the wide one begins with the other byte.
    memchr2(b':', 0xEF, line.as_bytes())?;
    let (name, said) = line.split_once([':', '：'])?;
    // `_Depends: 1.1_` is a field of some dialects, which read it themselves.
    if name == "_Depends" {
        return None;
    }
    let name = name.trim_matches(['*', '_', '`', ' ']).to_lowercase();
    let said = said.trim_matches(['*', '_']).trim();
    let (_, field) = LABELS.iter().find(|(names, _)| names.contains(&name.as_str()))?;
    (*field != TaskField::Depends || !item_text::is_none(said)).then_some((*field, said))
}

/// Whether an item is a field of its task.
pub(crate) fn is_one(line: &str) -> bool {
    let line = line.trim_start_matches('_');
    read(line).is_some() || line.split_once(':').is_some_and(|(name, _)| name == "Depends")
}

#[rustfmt::skip]
const LABELS: &[(&[&str], TaskField)] = &[
    (&["depends on", "depends", "dependencies", "dependency", "deps", "blocked by", "requires", "prerequisites",
       "의존성", "선행 작업", "依赖", "依赖关系", "前置任务", "依存", "depende de", "dependencias", "dependências", "dépend de", "dépendances", "abhängig von", "abhängigkeiten", "зависит от",
       "зависимости"], TaskField::Depends),
    (&["files", "file", "files to modify", "files to create", "文件", "파일"], TaskField::Files),
    (&["status", "state", "상태", "状态"], TaskField::Status),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_known_by_their_label() {
        assert_eq!(read("**Depends on**: T1, T2"), Some((TaskField::Depends, "T1, T2")));
        assert_eq!(read("Dependencies: None"), None);
        assert_eq!(read("_Dependencies: #3, #5_"), Some((TaskField::Depends, "#3, #5")));
        assert_eq!(read("_Depends: 1.1_"), None);
        assert_eq!(read("Note: careful"), None);
        assert_eq!(read("Files: `a.rs`"), Some((TaskField::Files, "`a.rs`")));
    }
}
