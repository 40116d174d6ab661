//! How a tool prints an answer: one option, spelled alike in every tool.

/// The options that choose between JSON and text.
#[derive(Debug, Clone, Copy, Default, clap::Args)]
pub struct FormatArgs {
    /// Print the answer as 'json' or, for people, as 'text'
    #[arg(long, value_name = "FORM", value_enum, hide_possible_values = true)]
    format: Option<Form>,
    /// The older name of '--format text'
    #[arg(long, hide = true, conflicts_with = "format")]
    text: bool,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Form {
    /// JSON, for programs
    Json,
    /// Text, for people
    Text,
}

impl FormatArgs {
    /// The form that the command line names; `None` leaves it to the tool.
    pub fn named(self) -> Option<Form> {
        if self.text { Some(Form::Text) } else { self.format }
    }

    /// Whether the answer is text.
    pub fn is_text(self) -> bool {
        self.named() == Some(Form::Text)
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, FormatArgs};
    use clap::Parser;

    #[derive(Debug, clap::Parser)]
    struct Line {
        #[command(flatten)]
        format: FormatArgs,
    }

    #[test]
    fn the_older_name_means_the_same() {
        for (line, form) in [
            ("tool", None),
            ("tool --format json", Some(Form::Json)),
            ("tool --format text", Some(Form::Text)),
            ("tool --text", Some(Form::Text)),
        ] {
            assert_eq!(Line::try_parse_from(line.split(' ')).unwrap().format.named(), form, "{line}");
        }
        Line::try_parse_from(["tool", "--text", "--format", "json"]).unwrap_err();
    }
}
