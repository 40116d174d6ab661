//! Reads the bytes of a file into a checked plan.

pub(crate) mod beside;
pub(crate) mod fingerprint;
pub(crate) mod folder;
pub(crate) mod plan_snapshot;
pub(crate) mod remembered;
pub(crate) mod validate;

use crate::criteria::{commits, plan_wide, project_table};
use crate::explain::{lost, nearest};
use crate::{Dialect, Folder, Plan, Shape, dialect};
use markdown::Text;
use markdown::outline::BOM;
use markdown::{Outline, limits, two_threads};
use std::fs;
use std::path::Path;
use toolkit::files::sha;
use toolkit::{Exit, Fail};
use wire::plan::{SCHEMA, Severity, Source, SourceFile};

/// Options of a read.
#[derive(Debug, Clone, Default)]
pub struct Ask {
    /// Read as this dialect instead of detecting it.
    pub dialect: Option<String>,
    /// The session to select among several.
    pub session: Option<String>,
    /// Tasks whose own files are read too.
    pub load: Vec<String>,
    /// Whether the agent that each open task's own file names is read, and nothing else of it.
    pub agents: bool,
    /// Whether everything that a run needs must exist.
    pub prepared: bool,
}

impl Ask {
    /// Options with only a dialect, if any.
    pub fn dialect(name: Option<&str>) -> Self {
        Self { dialect: name.map(str::to_owned), ..Self::default() }
    }
}

/// Reads a plan: detects its dialect, reads it, and validates it.
///
/// Faults in the tasks themselves are returned as diagnostics ([`errors`] turns them into a failure); a text that is
/// not a plan, or a plan without a task, is a failure at once.
pub fn read(text: &Text, dialect: Option<&str>) -> Result<Plan, Fail> {
    checked(unchecked(text, dialect)?)
}

/// The same without validation, so that a plan without a task can be inspected.
pub fn unchecked(text: &Text, dialect: Option<&str>) -> Result<Plan, Fail> {
    let data = |shape: &Shape| match shape {
        Shape::Data { detect, .. } => Some(detect(text)),
        _ => None,
    };
    // Try data formats first if the text looks like data, so that a large file is not parsed as Markdown; otherwise
    // skip them, so that no data reader searches a Markdown text for its keys. A list of boxes begins like data too:
    // a dialect that can be both is data only if it says so itself.
    let only_data =
        |dialect: &Dialect| !dialect.shapes.iter().any(|shape| matches!(shape, Shape::Markdown { .. }));
    if is_data(text) {
        match dialect::choose(dialect, text.path, data) {
            Ok((dialect, shape @ Shape::Data { read, .. }))
                if data(shape) > Some(0) || only_data(dialect) =>
            {
                return Ok(finish(read(text)?, dialect, text.path, vec![file_of(text)]));
            }
            Err(fail) if fail.code == "ambiguous-dialect" => return Err(fail),
            // YAML is no Markdown: its comments would be headings.
            Err(fail) if is_yaml(text) && dialect.is_none() => return Err(fail),
            _ => {}
        }
    }
    limits::check(text)?;
    let outline = Outline::new(text);
    let (dialect, shape) = dialect::choose(dialect, text.path, |shape| match shape {
        Shape::Markdown { detect, .. } => Some(detect(&outline)),
        Shape::Data { .. } => dialect.is_some().then_some(0),
        Shape::Folder { .. } => None,
    })
    .map_err(|fail| nearest_to(&outline, dialect, fail))?;
    let (mut plan, file) = match shape {
        // Compute the digest of a long file in parallel.
        Shape::Markdown { read, .. } if text.bytes.len() > LONG => {
            two_threads::both(|| read(&outline), || file_of(text))
        }
        Shape::Markdown { read, .. } => (read(&outline), file_of(text)),
        Shape::Data { read, .. } => (read(text)?, file_of(text)),
        Shape::Folder { .. } => return Err(Fail::data("not-a-plan", "is no folder").at(text.path, 1)),
    };
    if matches!(shape, Shape::Markdown { .. }) {
        plan_wide::read(&outline, &mut plan);
        commits::read(&outline, &mut plan);
        lost::tell(&outline, &mut plan);
    }
    Ok(finish(plan, dialect, text.path, vec![file]))
}

/// The failure of a text that is no plan, with the place that comes nearest to one.
fn nearest_to(outline: &Outline, dialect: Option<&str>, fail: Fail) -> Fail {
    if fail.code != "not-a-plan" || dialect.is_some() {
        return fail;
    }
    match nearest::find(outline) {
        Some((at, message)) => {
            Fail::data("not-a-plan", format!("not a plan: {message}")).at(outline.path, outline.line(at))
        }
        None => fail,
    }
}

/// The size in bytes from which a second thread pays off.
const LONG: usize = 1 << 20;

/// Whether a text begins like data, or has the name of a data format that may begin with any word.
fn is_data(text: &Text) -> bool {
    let bytes = text.bytes.strip_prefix(BOM).unwrap_or(text.bytes);
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    matches!(first, Some(b'{' | b'[')) || text.is_toml() || is_yaml(text)
}

fn is_yaml(text: &Text) -> bool {
    [".yaml", ".yml"].iter().any(|end| text.path.ends_with(end))
}

/// Reads the plan in a file or folder; its path becomes relative to `root`.
pub fn open(file: &Path, root: &Path, dialect: Option<&str>) -> Result<Plan, Fail> {
    open_with(file, root, &Ask::dialect(dialect))
}

/// Reads the plan in a file or folder, with options.
pub fn open_with(file: &Path, root: &Path, ask: &Ask) -> Result<Plan, Fail> {
    open_with_text(file, root, ask).map(|(plan, _)| plan)
}

/// The same, with the bytes that a plan of one file was read from.
pub(crate) fn open_with_text(file: &Path, root: &Path, ask: &Ask) -> Result<(Plan, Option<Vec<u8>>), Fail> {
    project_table::load(root)?;
    let path = from_root(file, root);
    let (mut plan, text) = if file.is_dir() {
        (read_folder(&Folder::new(file, &path), &file.to_string_lossy(), ask)?, None)
    } else {
        let bytes = fs::read(file).map_err(|error| Fail::io(file, &error))?;
        let mut plan = read(&Text { path: &path, bytes: &bytes }, ask.dialect.as_deref())?;
        beside::take(&mut plan, file, root, ask)?;
        (plan, Some(bytes))
    };
    plan.source.root = root.to_string_lossy().into_owned();
    Ok((plan, text))
}

/// Reads a folder; `named` is the caller's name for it, needed if it is the root and so has an empty path.
fn read_folder(folder: &Folder, named: &str, ask: &Ask) -> Result<Plan, Fail> {
    let shown = if folder.path.is_empty() { named } else { &folder.path };
    let (dialect, shape) = dialect::choose(ask.dialect.as_deref(), shown, |shape| match shape {
        Shape::Folder { detect, .. } => Some(detect(folder)),
        _ => None,
    })?;
    let Shape::Folder { read, .. } = shape else {
        return Err(Fail::data("not-a-plan", "is a folder").at(shown, 1));
    };
    let plan = read(folder, ask)?;
    // A reader may have descended to a subfolder: then that is the plan.
    let path = if plan.source.path.is_empty() { folder.path.clone() } else { plan.source.path.clone() };
    checked(finish(plan, dialect, &path, folder.opened()))
}

/// Validates the plan.
fn checked(mut plan: Plan) -> Result<Plan, Fail> {
    validate::check(&mut plan)?;
    Ok(plan)
}

/// Sets the fields that all plans have: the schema and the source.
fn finish(mut plan: Plan, dialect: &Dialect, path: &str, files: Vec<SourceFile>) -> Plan {
    SCHEMA.clone_into(&mut plan.schema);
    let sha256 = match files.as_slice() {
        [one] => one.sha256.clone(),
        several => several.iter().fold(sha::Hasher::new(), |h, f| h.with(f.sha256.as_bytes())).finish(),
    };
    plan.source = Source {
        path: path.to_owned(),
        dialect: dialect.name.to_owned(),
        files,
        sha256,
        root: String::new(),
    };
    plan
}

fn file_of(text: &Text) -> SourceFile {
    SourceFile { path: text.path.to_owned(), sha256: sha::hex(text.bytes) }
}

/// The first error among the diagnostics as a failure, with the number of further errors.
pub fn errors(plan: &Plan) -> Option<Fail> {
    let mut errors = plan.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let first = errors.next()?;
    let more = match errors.count() {
        0 => String::new(),
        1 => " (and 1 more error)".to_owned(),
        n => format!(" (and {n} more errors)"),
    };
    let code = validate::code_word(&first.code);
    Some(Fail::new(Exit::Data, code, format!("{}{more}", first.message)).at(first.path.clone(), first.line))
}

fn from_root(file: &Path, root: &Path) -> String {
    let full = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    // Keep the file's own name even if it is a link: spans and ticks refer to the plan as it was named.
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let named = file.file_name().map_or_else(|| full(file), |name| full(folder).join(name));
    let seen = named.strip_prefix(full(root)).unwrap_or(file);
    seen.to_string_lossy().into_owned()
}
