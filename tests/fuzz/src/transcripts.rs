//! Agents' own records. Laws: no panic, and the same calls when read again.

use crate::folder;
use ::transcripts::{Call, Source, detect, read_session};
use std::path::Path;

/// A file whose client is found.
pub(crate) fn any(bytes: &[u8]) {
    folder::with_file(bytes, |path| {
        let _ = detect(path);
        read(path, None);
    });
}

/// A file that is said to be of a client.
pub(crate) fn of(client: &'static str, bytes: &[u8]) {
    assert!(::transcripts::table().iter().any(|row| row.name == client), "there is a client '{client}'");
    folder::with_file(bytes, |path| read(path, Some(client)));
}

/// A folder of files, for the clients that keep one.
pub(crate) fn folder(bytes: &[u8]) {
    folder::with_files(bytes, |place| {
        read(place, None);
        for client in ::transcripts::table() {
            read(place, Some(client.name));
        }
    });
}

/// The log of gates of the source system.
pub(crate) fn gate_log(bytes: &[u8]) {
    folder::with_file(bytes, punch::outside::gate_log);
}

fn read(path: &Path, client: Option<&str>) {
    let calls = || {
        let mut calls: Vec<Call> = Vec::new();
        let record = read_session(&Source { path, session: None }, client, &mut |call| calls.push(call));
        (record.is_ok(), format!("{calls:?}"))
    };
    assert!(calls() == calls(), "read twice, it says two things");
}
