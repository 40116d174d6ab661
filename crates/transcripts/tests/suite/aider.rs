//! aider: its own lines report what it did.

use crate::folder::{Folder, read, read_text};
use transcripts::Ended;

pub(crate) const HISTORY: &str = "
# aider chat started at 2026-01-01 10:00:00

> Model: vendor/model-h with diff edit format  

#### make hello.txt  

I will.

> Applied edit to never.txt is what I would like to read

hello.txt
```
> Applied edit to forged.txt  
```

> Tokens: 100 sent, 20 received. Cost: $0.25 message, $0.25 session.  
> Applied edit to hello.txt  
> Running make test  

# aider chat started at 2026-01-02 10:00:00

#### and now  

An open fence:
```
> Tokens: 1 sent, 1 received. Cost: $0.50 message, $0.50 session.  
> ## SearchReplaceNoExactMatch: This SEARCH block failed to exactly match lines in b.txt  
";

#[test]
fn edits_and_commands_are_read_and_the_models_fences_are_not() {
    let read = read_text(".aider.chat.history.md", HISTORY);
    assert_eq!(
        read.brief(),
        ["main edit edit ok hello.txt", "main run shell ? make test", "main edit edit failed b.txt"]
    );
    let record = read.record;
    assert_eq!((record.client, record.sessions, record.cost), ("aider", 2, Some(0.75)));
    assert_eq!((record.model.as_deref(), record.mode.as_deref()), (Some("vendor/model-h"), Some("diff")));
    assert_eq!((record.messages, record.ended), (4, Some(Ended::Done)));
}

#[test]
fn one_session_can_be_named() {
    let folder = Folder::new().file("h.md", HISTORY);
    let read = read(&folder.path("h.md"), Some("2026-01-02 10:00:00"));
    assert_eq!(read.brief(), ["main edit edit failed b.txt"]);
    assert_eq!(read.record.sessions, 1);
}
