//! How the states look, the same in every drawing.

use wire::State;

/// The look of one state.
pub(crate) struct Look {
    /// The state.
    pub(crate) state: State,
    /// The inside of a box.
    pub(crate) fill: &'static str,
    /// Its border.
    pub(crate) line: &'static str,
    /// Inside and border where the page is dark.
    pub(crate) dark: (&'static str, &'static str),
    /// What stands in its box in text.
    pub(crate) mark: char,
    /// For people.
    pub(crate) name: &'static str,
}

/// All states, as legends list them.
pub(crate) const LOOKS: [Look; 6] = [
    Look {
        state: State::Pending,
        fill: "#ffffff",
        line: "#8b949e",
        dark: ("#161b22", "#7d8590"),
        mark: ' ',
        name: "pending",
    },
    Look {
        state: State::InProgress,
        fill: "#ddf0ff",
        line: "#1f6feb",
        dark: ("#0f2a4d", "#58a6ff"),
        mark: '~',
        name: "in progress",
    },
    Look {
        state: State::Completed,
        fill: "#dcf5e3",
        line: "#2da44e",
        dark: ("#12301d", "#3fb950"),
        mark: 'x',
        name: "completed",
    },
    Look {
        state: State::Blocked,
        fill: "#fff3cd",
        line: "#bf8700",
        dark: ("#362a0c", "#d29922"),
        mark: '!',
        name: "blocked",
    },
    Look {
        state: State::Failed,
        fill: "#ffe3e0",
        line: "#cf222e",
        dark: ("#3f1417", "#f85149"),
        mark: 'F',
        name: "failed",
    },
    Look {
        state: State::Skipped,
        fill: "#eceff2",
        line: "#afb8c1",
        dark: ("#262c34", "#545d68"),
        mark: '-',
        name: "skipped",
    },
];

/// The line of the critical path.
pub(crate) const CRITICAL: &str = "#c2410c";
/// The same where the page is dark.
pub(crate) const CRITICAL_DARK: &str = "#ff8a4c";

/// The look of a state.
pub(crate) fn look(state: State) -> &'static Look {
    LOOKS.iter().find(|look| look.state == state).unwrap_or(&LOOKS[0])
}

#[cfg(test)]
mod tests {
    use super::{LOOKS, look};

    #[test]
    fn every_state_has_its_own_look() {
        for (i, one) in LOOKS.iter().enumerate() {
            assert_eq!(look(one.state).mark, one.mark);
            assert!(LOOKS[..i].iter().all(|other| other.mark != one.mark && other.fill != one.fill));
        }
    }
}
