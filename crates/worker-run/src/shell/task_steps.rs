//! The steps of a task's own file, for the embedded worker: inspections before the work, and commands of the work.
//!
//! `bash(…)` runs in a separate shell, `Read(…)` prints a file, `Extract(a.b)` a member of the JSON that was read before it;
//! any other step needs an agent and counts as failed.
//! The output of a step is in the environment of the later steps under its name, and `[name]` in a command refers to
//! it; the value itself is never written into a command.

use serde_json::Value;
use std::ffi::OsString;
use std::path::Path;
use toolkit::Fail;
use toolkit::files::fs;
use toolkit::files::root::inside;

/// Runs the steps one after the other, four words each: how to handle an error, the name, the variable, the script. A
/// constant; all words are arguments.
const DRIVER: &str = r#"
while [ "$#" -gt 0 ]; do
  on_error=$1 name=$2 variable=$3 script=$4 code=0
  shift 4
  sh -eu "$script" >"$script.out" || code=$?
  if [ "$code" != 0 ] && [ "$on_error" = retry_once ]; then
    code=0
    sh -eu "$script" >"$script.out" || code=$?
  fi
  cat "$script.out"
  if [ "$code" = 0 ]; then
    export "$variable=$(head -c 65536 "$script.out")"
  elif [ "$on_error" = skip_optional ]; then
    echo "step '$name' failed with $code and is left out" >&2
    export "$variable="
  else
    echo "step '$name' failed with $code" >&2
    exit 97
  fi
done
"#;

/// The exit code of [`DRIVER`] after a step that must not fail: its error handling is spent, so the task is not tried again.
pub(crate) const FLOW_FAILED: i32 = 97;

/// The command for the steps of a task's file; `None` if it has none.
pub(crate) fn command(file: &Value, folder: &Path, root: &Path) -> Result<Option<Vec<OsString>>, Fail> {
    let mut argv: Vec<OsString> = ["sh", "-c", DRIVER, "sh"].map(OsString::from).to_vec();
    let mut known: Vec<String> = Vec::new();
    for (at, step) in of(file).iter().enumerate() {
        let script = folder.join(format!("step-{}.sh", at + 1));
        let deeds = extracted(&step.deeds, root);
        let lines: Vec<String> = deeds.iter().map(|deed| deed.line(&known)).collect();
        fs::create_unsynced(&script, format!("{}\n", lines.join("\n")).as_bytes())?;
        let name = step.output.clone().unwrap_or_else(|| format!("step_{}", at + 1));
        argv.extend([step.on_error, &step.name, &variable(&name)].map(OsString::from));
        argv.push(script.into_os_string());
        known.push(name);
    }
    Ok((argv.len() > 4).then_some(argv))
}

/// The deeds with what they extract: `Extract(a.b)` is a member of the JSON that the step read last, and
/// `Read(extracted path)` the file that it names. What cannot be extracted stays, and fails when the step runs.
fn extracted(deeds: &[Deed], root: &Path) -> Vec<Deed> {
    let mut last = Value::Null;
    let mut value: Option<String> = None;
    let mut out = Vec::with_capacity(deeds.len());
    for deed in deeds {
        let next = match deed {
            Deed::Read(path) if path.to_lowercase().starts_with("extracted") => {
                value.clone().map_or_else(|| deed.clone(), Deed::Read)
            }
            Deed::Extract(path) => {
                let found = path.split('.').try_fold(&last, |at, name| at.get(name.trim_end_matches("[]")));
                value = found.and_then(|found| match found {
                    Value::Null => None,
                    Value::String(text) => Some(text.clone()),
                    other => Some(other.to_string()),
                });
                value.clone().map_or_else(|| deed.clone(), Deed::Value)
            }
            other => other.clone(),
        };
        if let Deed::Read(path) = &next {
            let bytes = inside(root, path).ok().and_then(|path| fs::read_if_there(&path).ok().flatten());
            last = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or(Value::Null);
        }
        out.push(next);
    }
    out
}

#[derive(Debug, PartialEq, Eq)]
struct Step {
    name: String,
    deeds: Vec<Deed>,
    output: Option<String>,
    on_error: &'static str,
}

/// The action of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Deed {
    Run(String),
    Read(String),
    /// A member of the JSON that the step read last, by its path with dots.
    Extract(String),
    /// A value that was extracted.
    Value(String),
    /// An action that only an agent can do.
    Other(String),
}

/// The steps before the work, then the steps of the work that have a command.
fn of(file: &Value) -> Vec<Step> {
    let list = |names: &[&str]| {
        let found = names.iter().find_map(|name| file.pointer(name)?.as_array());
        found.cloned().unwrap_or_default()
    };
    let before = list(&["/flow_control/pre_analysis", "/pre_analysis"]);
    let work = list(&["/flow_control/implementation_approach", "/implementation"]);
    before.iter().chain(&work).filter_map(step).collect()
}

fn step(step: &Value) -> Option<Step> {
    let text = |name: &str| match step.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let several = step.get("commands").and_then(Value::as_array).cloned().unwrap_or_default();
    let several = several.iter().filter_map(Value::as_str).map(str::to_owned);
    let deeds: Vec<Deed> = text("command").into_iter().chain(several).map(|command| deed(&command)).collect();
    let on_error = match text("on_error").as_deref() {
        Some("skip_optional" | "skip" | "continue" | "warn") => "skip_optional",
        Some("retry_once" | "retry") => "retry_once",
        _ => "fail",
    };
    let name = text("step").or_else(|| text("title")).unwrap_or_default();
    (!deeds.is_empty()).then(|| Step { name, deeds, output: text("output_to"), on_error })
}

fn deed(command: &str) -> Deed {
    let inside = |name: &str| {
        let rest = command.trim().strip_prefix(name)?.strip_prefix('(')?;
        Some(rest.strip_suffix(')')?.trim().to_owned())
    };
    if let Some(line) = inside("bash").or_else(|| inside("Bash")) {
        return Deed::Run(line);
    }
    let is_member = |path: &String| {
        !path.is_empty() && path.chars().all(|c| c.is_ascii_alphanumeric() || "._-[]".contains(c))
    };
    match (inside("Read"), inside("Extract").filter(is_member)) {
        (Some(path), _) => Deed::Read(path),
        (None, Some(path)) => Deed::Extract(path),
        (None, None) => Deed::Other(command.to_owned()),
    }
}

impl Deed {
    /// The script line. Names of earlier outputs become references to variables.
    fn line(&self, known: &[String]) -> String {
        let named =
            |text: &str| known.iter().find(|name| text == format!("[{name}]")).map(|name| variable(name));
        match self {
            Deed::Run(line) => known.iter().fold(line.clone(), |line, name| {
                line.replace(&format!("[{name}]"), &format!("${{{}}}", variable(name)))
            }),
            Deed::Read(path) => {
                let path = named(path).map_or_else(|| quoted(path), |name| format!("\"${name}\""));
                format!("cat -- {path}")
            }
            Deed::Extract(path) => {
                let message = format!("there is no '{path}' in what the step has read");
                format!("printf '%s\\n' {} >&2; exit 3", quoted(&message))
            }
            Deed::Value(value) => format!("printf '%s\\n' {}", quoted(value)),
            Deed::Other(text) => {
                format!("printf '%s\\n' {} >&2; exit 3", quoted(&format!("needs an agent: {text}")))
            }
        }
    }
}

/// A word quoted for a shell.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn variable(name: &str) -> String {
    let safe = name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_uppercase() } else { '_' });
    format!("STEP_{}", safe.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::{Deed, deed, extracted, of};
    use serde_json::json;

    #[test]
    fn steps_before_the_work_come_first_and_prose_is_no_step() {
        let file = json!({"flow_control": {
            "implementation_approach": [{"step": 1, "title": "Write it"}, {"step": 2, "command": "bash(make)"}],
            "pre_analysis": [{"step": "look", "commands": ["Read(a.md)", "bash(wc -l [seen])"], "output_to": "seen",
                "on_error": "skip_optional"}],
        }});
        let steps = of(&file);
        assert_eq!(steps.iter().map(|step| step.name.as_str()).collect::<Vec<_>>(), ["look", "2"]);
        assert_eq!(steps.iter().map(|step| step.on_error).collect::<Vec<_>>(), ["skip_optional", "fail"]);
        assert_eq!(steps[0].deeds, [Deed::Read("a.md".to_owned()), Deed::Run("wc -l [seen]".to_owned())]);
    }

    #[test]
    fn a_value_is_referred_to_and_never_written_into_a_line() {
        let known = ["key-word".to_owned()];
        assert_eq!(deed("bash(grep -r [key-word] src [x])").line(&known), "grep -r ${STEP_KEY_WORD} src [x]");
        assert_eq!(deed("Read([key-word])").line(&known), "cat -- \"$STEP_KEY_WORD\"");
        assert_eq!(deed("Read(it's $HOME)").line(&known), r"cat -- 'it'\''s $HOME'");
        assert!(deed("Ask(somebody)").line(&known).ends_with("exit 3"));
    }

    #[test]
    fn a_member_of_what_was_read_names_the_next_file() {
        let root = std::env::temp_dir();
        let all = ["Read(no such file)", "Extract(a.b)", "Read(extracted path)"].map(deed);
        assert_eq!(extracted(&all, &root), all, "what is not there stays, and fails when the step runs");
    }
}
