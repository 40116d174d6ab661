//! Thinking sessions. Laws: no panic; the one layout of exports is its own layout.

use crate::folder;
use config::SessionRule;
use sessions::{Ask, Schema, SessionText, normal};

/// A session file: judged, summed up, laid out.
pub(crate) fn session(bytes: &[u8]) {
    let Ok(sheet) = SessionText::of("task-7-prep-2026-01-31.json", bytes.to_vec()) else { return };
    for name in ["task-7-prep-2026-01-31.json", "task-7-subtask-1-2026-01-31.json", "x.json"] {
        let _ = ::sessions::verify(&sheet, &Ask::of_name(name, SessionRule::default()));
    }
    if let Ok(file) = sheet.thoughts() {
        let summary = ::sessions::summary("x.json", &file);
        ::sessions::summary::text(&summary);
        ::sessions::summary::source::shape(&summary);
    }
    let order = ::sessions::PacketOrder::default();
    for schema in [Schema::Kit, Schema::Composability, Schema::Subtask] {
        let _ = ::sessions::packet(&sheet, schema, &order);
    }
    if serde_json::from_str::<serde::de::IgnoredAny>(sheet.text()).is_ok() {
        let once = normal(sheet.text());
        assert_eq!(normal(&once), once, "laid out again it is another");
    }
}

/// The Markdown that a worker ends with.
pub(crate) fn result(bytes: &[u8]) {
    let _ = ::sessions::result("result.md", &String::from_utf8_lossy(bytes), Some("model"));
}

/// A packet.
pub(crate) fn packet(bytes: &[u8]) {
    let _ = ::sessions::check_packet("packet", bytes, None);
}

/// A client of the server: each line is a message.
pub(crate) fn server(bytes: &[u8]) {
    folder::with(|top| {
        let root = top.join("server");
        let _ = std::fs::remove_dir_all(&root);
        std::fs::create_dir(&root).expect("a folder in memory");
        session_export::outside::server(&root, bytes.split(|byte| *byte == b'\n').take(8));
    });
}
