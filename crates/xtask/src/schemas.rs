//! JSON Schemas of the contracts.

/// Writes them.
pub(crate) fn write() {
    for (name, schema) in wire::schema::all() {
        let path = format!("crates/wire/schema/{}.json", name.replace('/', "."));
        let text = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        #[expect(clippy::disallowed_methods, reason = "bootstrap")]
        std::fs::write(path, text).unwrap();
    }
}
