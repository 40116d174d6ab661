//! Section 5: a contract, from its prose and the fields of its JSON Schema.

use crate::roff::{Page, Words};
use crate::{fields, markdown, schemas};
use toolkit::Fail;

/// A page about one format or several that belong together.
pub(crate) struct Format {
    /// The page's name.
    pub(crate) name: &'static str,
    /// What the page is about, in a few words.
    pub(crate) about: &'static str,
    /// The contracts whose fields it lists.
    pub(crate) contracts: &'static [&'static str],
    /// Fields that another page lists, with its name.
    pub(crate) elsewhere: &'static [(&'static str, &'static str)],
}

/// Every page of section 5.
pub(crate) const FORMATS: &[Format] = &[
    Format {
        name: "plan",
        about: "what a plan says, and where exactly",
        contracts: &["plan/1", "ticks/1", "facts/1"],
        elsewhere: &[("diagnostics", "plan")],
    },
    Format {
        name: "order",
        about: "one ready task on its way through the pipe, and the end of the stream",
        contracts: &["order/1", "end/1"],
        elsewhere: &[("task", "plan"), ("verdict.gates", "gate")],
    },
    Format {
        name: "suggestion",
        about: "a check for a task that has none, and what its trial showed",
        contracts: &["suggestion/1"],
        elsewhere: &[],
    },
    Format {
        name: "gate",
        about: "one check that was run, and what is known of several",
        contracts: &["gate/1", "proof/1", "restoration/1"],
        elsewhere: &[("gate", "gate")],
    },
    Format {
        name: "attestation",
        about: "the evidence of a task as an in-toto statement, and whether it still fits",
        contracts: &["attestation/1", "fit/1"],
        elsewhere: &[],
    },
    Format { name: "punch", about: "one record of the ledger", contracts: &["punch/1"], elsewhere: &[] },
    Format {
        name: "card",
        about: "what a punch card said, and what is wrong with cards",
        contracts: &["card/1", "lint/1"],
        elsewhere: &[],
    },
    Format {
        name: "session",
        about: "thinking sessions, their chains, and what children say",
        contracts: &[
            "session/1",
            "verify/1",
            "chain/1",
            "resume/1",
            "link/1",
            "live/1",
            "result/1",
            "interchange/1",
        ],
        elsewhere: &[],
    },
    Format { name: "status", about: "where a plan stands", contracts: &["status/1"], elsewhere: &[] },
    Format {
        name: "rounds",
        about: "the whole schedule of a plan",
        contracts: &["rounds/1"],
        elsewhere: &[],
    },
    Format { name: "graph", about: "the task graph for programs", contracts: &["graph/1"], elsewhere: &[] },
    Format {
        name: "tick",
        about: "what was done to a box, or how it stands",
        contracts: &["tick/1"],
        elsewhere: &[],
    },
    Format { name: "inherit", about: "what a task would inherit", contracts: &["inherit/1"], elsewhere: &[] },
    Format {
        name: "report",
        about: "where a plan stands and what happened",
        contracts: &["report/1"],
        elsewhere: &[],
    },
    Format {
        name: "event",
        about: "one thing that happened in a run, for programs that look on",
        contracts: &["event/1"],
        elsewhere: &[],
    },
    Format {
        name: "reconcile",
        about: "where the records of a session disagree",
        contracts: &["reconcile/1"],
        elsewhere: &[],
    },
    Format {
        name: "failure",
        about: "one error as one line of JSON",
        contracts: &["failure/1"],
        elsewhere: &[],
    },
    Format {
        name: "plantools.toml",
        about: "the configuration of plantools",
        contracts: &[],
        elsewhere: &[],
    },
];

/// The page of a format: name, description, fields, then the chapters of its prose.
pub(crate) fn write(format: &Format, prose: &str) -> Result<String, Fail> {
    let mut page = Page::new(format.name, '5');
    page.section("name");
    page.paragraph(&Words::plain(&format!("{} - {}", format.name, format.about)));
    page.section("description");
    let (description, chapters) = prose.find("\n## ").map_or((prose, ""), |at| prose.split_at(at));
    markdown::write(&mut page, description);
    for name in format.contracts {
        page.section(&if format.contracts.len() > 1 {
            format!("fields of {name}")
        } else {
            "fields".to_owned()
        });
        fields::write(&mut page, &schemas::of(name)?, format.elsewhere);
    }
    markdown::write(&mut page, chapters);
    Ok(page.finish())
}

#[cfg(test)]
mod tests {
    use super::FORMATS;

    #[test]
    fn every_contract_has_a_page() {
        for (name, _) in wire::schema::all() {
            assert!(FORMATS.iter().any(|f| f.contracts.contains(&name)), "{name} is on no page");
        }
    }
}
