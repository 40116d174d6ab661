//! `Folder`: a folder of files for one test, and the records read from it in short form.

use std::fs;
use std::path::{Path, PathBuf};
use transcripts::{Call, Record, Source};

pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Writes a file and the folders above it.
    #[expect(clippy::disallowed_methods, reason = "a fixture need not survive a crash")]
    pub(crate) fn file(self, name: &str, text: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Reads a record by its shape.
    pub(crate) fn read(&self, name: &str) -> Read {
        read(&self.path(name), None)
    }
}

pub(crate) struct Read {
    pub(crate) calls: Vec<Call>,
    pub(crate) record: Record,
}

pub(crate) fn read(path: &Path, session: Option<&str>) -> Read {
    let mut calls = Vec::new();
    let source = Source { path, session };
    let record = transcripts::read_session(&source, None, &mut |call| calls.push(call)).unwrap();
    assert_eq!(record.calls, calls.len() as u64);
    assert!(calls.iter().all(|call| call.source < record.sources.len() && call.line > 0));
    Read { calls, record }
}

/// One file of a name that is free.
pub(crate) fn read_text(name: &str, text: impl AsRef<[u8]>) -> Read {
    Folder::new().file(name, text).read(name)
}

impl Read {
    /// Each call as `agent name kind verdict target`.
    pub(crate) fn brief(&self) -> Vec<String> {
        self.calls.iter().map(brief).collect()
    }
}

fn brief(call: &Call) -> String {
    let agent = if call.agent.is_empty() { "main" } else { &call.agent };
    let ok = match call.ok {
        Some(true) => "ok",
        Some(false) => "failed",
        None => "?",
    };
    let code = call.exit_code.map(|code| format!("={code}")).unwrap_or_default();
    let target = call.target.as_deref().unwrap_or("-");
    format!("{agent} {} {} {ok}{code} {target}", call.name, call.kind.word())
}
