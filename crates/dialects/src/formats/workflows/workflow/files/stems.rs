//! The names of task files, by the ids of their tasks.
//!
//! The oldest names are in lowercase; some have a word after the id, which is accepted if only one file begins with
//! the id.

use std::collections::HashMap;

/// Names by id.
pub(crate) struct Stems {
    exact: HashMap<String, String>,
    /// `None` if several files begin with the same id.
    longer: HashMap<String, Option<String>>,
}

impl Stems {
    /// Collects the names in `.task/`.
    pub(crate) fn new(names: &[String]) -> Self {
        let mut stems = Self { exact: HashMap::new(), longer: HashMap::new() };
        for name in names {
            let stem = name.rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
            let path = format!(".task/{name}");
            // A name in the case of the id takes precedence.
            stems.exact.insert(stem.to_owned(), path.clone());
            stems.exact.entry(stem.to_uppercase()).or_insert_with(|| path.clone());
            let short = stem.trim_end_matches(|c: char| c.is_ascii_alphabetic());
            if let Some(id) = short.strip_suffix('-').filter(|_| short.len() < stem.len()) {
                let slot = stems.longer.entry(id.to_uppercase());
                slot.and_modify(|found| *found = None).or_insert(Some(path));
            }
        }
        stems
    }

    /// The file of a task, relative to the session's folder.
    pub(crate) fn find(&self, id: &str) -> Option<String> {
        let upper = id.to_uppercase();
        let exact = self.exact.get(id).or_else(|| self.exact.get(&upper));
        exact.cloned().or_else(|| self.longer.get(&upper).cloned().flatten())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_id() {
        let names =
            ["impl-001.json", "IMPL-2.json", "IMPL-3.5-review.json", "IMPL-4-a.json", "IMPL-4-b.json"];
        let stems = Stems::new(&names.map(str::to_owned));
        assert_eq!(stems.find("IMPL-001").as_deref(), Some(".task/impl-001.json"));
        assert_eq!(stems.find("IMPL-2").as_deref(), Some(".task/IMPL-2.json"));
        assert_eq!(stems.find("IMPL-3.5").as_deref(), Some(".task/IMPL-3.5-review.json"));
        assert_eq!(stems.find("IMPL-4"), None);
        assert_eq!(stems.find("IMPL-20"), None);
    }
}
