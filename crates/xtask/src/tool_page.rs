//! Section 1: a tool, from its command line and the prose beside its source.

use crate::roff::{Page, Words};
use crate::tools::Tool;
use crate::{markdown, usage};

/// The page of a tool; `prose` goes on with the description and has the chapters after the options.
pub(crate) fn write(tool: &Tool, prose: &str) -> String {
    let mut command = (tool.command)();
    command.build();
    let mut page = Page::new(tool.name, '1');
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    page.section("name");
    page.paragraph(&Words::plain(&format!("{} - {}", tool.name, usage::lower(&about))));
    page.section("synopsis");
    usage::synopsis(&mut page, &command);
    page.section("description");
    let long = command.get_long_about().map_or(about, ToString::to_string);
    for paragraph in long.split("\n\n") {
        page.paragraph(&markdown::words(paragraph).stop());
    }
    let (description, chapters) = prose.find("\n## ").map_or((prose, ""), |at| prose.split_at(at));
    markdown::write(&mut page, description);
    usage::options(&mut page, &command);
    markdown::write(&mut page, chapters);
    page.finish()
}
