//! A session: the folder that is meant, and its own file.

pub(crate) mod complete;
pub(crate) mod repair;
pub(crate) mod snapshot;

use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};
use toolkit::files::fs;
use toolkit::files::root::{self, Home};
use toolkit::{Exit, Fail};

/// The session's own file.
pub(crate) const FILE: &str = "workflow-session.json";

/// A session on disk.
pub(crate) struct Session {
    /// Its folder.
    pub(crate) folder: PathBuf,
    /// Its name.
    pub(crate) name: String,
    /// The root.
    pub(crate) home: Home,
}

impl Session {
    /// The session that is named by its folder, or by its name below `.workflow/active` or the archive.
    pub(crate) fn find(named: &Path) -> Result<Self, Fail> {
        let places = ["", ".workflow/active", ".workflow/archives", ".workflow/sessions", ".workflow"];
        let found = places.iter().map(|place| Path::new(place).join(named)).find(|path| path.is_dir());
        let Some(folder) = found else {
            let message = format!("no session '{}': looked in {}", named.display(), places[1..].join(", "));
            return Err(Fail::new(Exit::NoInput, "no-session", message));
        };
        let folder = folder.canonicalize().map_err(|e| Fail::io(&folder, &e))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { home: Home::of(&root::find(&folder)?)?, folder, name })
    }

    /// The `.workflow` folder that holds it.
    pub(crate) fn workflow(&self) -> PathBuf {
        let above = self.folder.ancestors().find(|p| p.file_name().is_some_and(|name| name == ".workflow"));
        above.or_else(|| self.folder.parent()).unwrap_or(&self.folder).to_path_buf()
    }

    /// Whether it is in the archive.
    pub(crate) fn is_archived(&self) -> bool {
        self.folder.parent().and_then(Path::file_name).is_some_and(|place| place == "archives")
    }

    /// What its own file says; nothing where there is none.
    pub(crate) fn read(&self) -> Result<Option<Map<String, Value>>, Fail> {
        let path = self.folder.join(FILE);
        let Some(bytes) = fs::read_if_there(&path)? else { return Ok(None) };
        let bare = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&bytes);
        match serde_json::from_slice(bare) {
            Ok(Value::Object(map)) => Ok(Some(map)),
            Ok(_) => Err(Fail::data("broken-json", "holds no JSON object").in_file(&path)),
            Err(e) => Err(Fail::data("broken-json", format!("no valid JSON: {e}")).in_file(&path)),
        }
    }

    /// Writes its own file.
    pub(crate) fn write(&self, map: Map<String, Value>) -> Result<(), Fail> {
        let text = serde_json::to_string_pretty(&Value::Object(map));
        let text = text.map_err(|e| Fail::data("broken-json", e.to_string()))? + "\n";
        fs::replace(&self.folder.join(FILE), text.as_bytes(), &self.home.folder("tmp")?)
    }

    /// What its own file says where it says nothing else.
    pub(crate) fn fresh(&self) -> Map<String, Value> {
        json!({ "session_id": self.name, "status": "active" }).as_object().cloned().unwrap_or_default()
    }

    /// The names of its task files.
    pub(crate) fn task_files(&self) -> Vec<String> {
        let listed = std::fs::read_dir(self.folder.join(".task")).into_iter().flatten().flatten();
        let names = listed.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names
            .filter(|name| Path::new(name).extension().is_some_and(|e| e == "json"))
            .map(|n| format!(".task/{n}"))
            .collect();
        names.sort();
        names
    }
}
