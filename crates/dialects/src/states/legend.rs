//! The meaning of a list's marks: the list's own legend, then the dialect's convention.
//!
//! Legends define their own marks for work in progress, `[~]`, `[/]`, `[-]`; the same sign may mean something else in
//! another list.

use markdown::{Extent, Outline};
use wire::State;

/// The legend of one list.
pub(crate) struct Legend(Vec<(char, State)>);

impl Legend {
    /// Reads the legend from the lines of the list.
    pub(crate) fn new(outline: &Outline) -> Self {
        let all = Extent { start: 0, end: outline.bytes.len() };
        let lines = outline.lines_in(all).filter(|line| line.veil.is_none());
        Self(lines.filter_map(|line| announced(outline.str(line.at))).collect())
    }

    /// The state of a mark; `None` if it is unknown.
    pub(crate) fn state(&self, mark: &str) -> Option<State> {
        let mut chars = mark.trim().chars();
        let Some(c) = chars.next() else { return Some(State::Pending) };
        if let Some((_, state)) = self.0.iter().find(|(known, _)| *known == c) {
            return Some(*state);
        }
        match c {
            'x' | 'X' => Some(State::Completed),
            '-' | '/' | '~' | '>' => Some(State::InProgress),
            '!' => Some(State::Blocked),
            _ => None,
        }
    }

    /// The mark that this list defines for a state.
    pub(crate) fn mark(&self, state: State) -> Option<char> {
        self.0.iter().find(|(_, known)| *known == state).map(|(mark, _)| *mark)
    }
}

/// A line such as `` - `- [/]` = In progress``. The two marks common to all lists cannot be redefined.
fn announced(line: &str) -> Option<(char, State)> {
    let open = line.find('`')?;
    let rest = line.get(open..)?;
    let inner = rest.get(rest.find('[')? + 1..)?;
    let c = inner.chars().next().filter(|c| !matches!(c, ' ' | 'x' | 'X' | '`'))?;
    let after = inner.get(c.len_utf8()..)?.strip_prefix(']')?;
    let words = after.get(after.find('`')?..)?.to_lowercase();
    let says = |list: &[&str]| list.iter().any(|word| words.contains(word));
    let state = if says(&["in progress", "in-progress", "进行中", "active"]) {
        State::InProgress
    } else if says(&["blocked", "阻塞"]) {
        State::Blocked
    } else if says(&["failed", "失败"]) {
        State::Failed
    } else if says(&["skipped", "cancel", "跳过", "取消"]) {
        State::Skipped
    } else {
        return None;
    };
    Some((c, state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use markdown::Text;

    #[test]
    fn the_lists_own_legend_decides() {
        let text = "- `- [ ]` = Pending\n- `[~]` = Blocked\n- `- [/]` = In progress\n- `- [x]` = blocked\n";
        let legend = Legend::new(&Outline::new(&Text { path: "l", bytes: text.as_bytes() }));
        assert_eq!(legend.state("~"), Some(State::Blocked));
        assert_eq!(legend.state("/"), Some(State::InProgress));
        assert_eq!(legend.state("x"), Some(State::Completed));
        assert_eq!(legend.state(" "), Some(State::Pending));
        assert_eq!(legend.state("?"), None);
    }
}
