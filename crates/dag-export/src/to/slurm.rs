//! A script that submits the plan to Slurm, one job a task, each after those that it depends on.
//!
//! The script is the job's own script as well, and the id of the task its argument: nothing of the plan becomes part of a
//! line that a shell reads. A job claims its task before it works on it, so one that Slurm starts twice (`--requeue`)
//! waits for the first, takes over from it, or finds the task done. The last job looks at the whole, whatever became of
//! the others.

use crate::to::script::{self, Usage};
use crate::to::shell::{key, sh_word};
use graph::Graph;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;
use wire::{Plan, Task};

/// Minutes that a job gets beyond what its worker may take: for checks, and for its turn to bring the work in.
const MORE: u64 = 30;

const USAGE: Usage = Usage { places: "nodes", command: "sbatch", example: None };

const SUBMIT: &str = r#"case ${1-} in
  --task) exec "${task[@]}" "$2" "$plan" ;;
  --all) exec "${whole[@]}" "$plan" ;;
esac

options=("$@")
mkdir -p .plantools/logs
job=() all=''
# NUMBER NAME LIMITS DEPENDENCY ARGUMENTS...: submits a job and remembers it.
submit() {
  local limits after=()
  read -r -a limits <<<"$3"
  [[ -z $4 ]] || after=(--dependency="$4")
  job[$1]=$(sbatch --parsable --requeue --open-mode=append --job-name="$2" --chdir="$PWD" \
    --output=.plantools/logs/slurm-%j.log "${limits[@]}" "${after[@]}" "${options[@]}" -- "$0" "${@:5}")
  job[$1]=${job[$1]%%;*}
  all+=:${job[$1]}
  printf '%s %s\n' "${job[$1]}" "$2"
}

"#;

/// The script.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let mut out = SUBMIT.to_owned();
    let mut numbers: HashMap<u32, usize> = HashMap::new();
    for i in script::rounds(plan, graph).into_iter().flatten() {
        let task = &plan.tasks[i as usize];
        let after: Vec<String> = graph
            .requires(i)
            .iter()
            .filter_map(|before| numbers.get(before))
            .map(|number| format!(":${{job[{number}]}}"))
            .collect();
        let after = if after.is_empty() { "''".to_owned() } else { format!("\"afterok{}\"", after.concat()) };
        let number = numbers.len();
        numbers.insert(i, number);
        let _ = writeln!(
            out,
            "submit {number} task-{} '{}' {after} --task {}",
            key(task),
            limits(task),
            sh_word(task.id.as_str())
        );
    }
    let end = numbers.len();
    let _ = writeln!(out, "submit {end} plan-end '' \"${{all:+afterany$all}}\" --all");
    script::write(plan, &USAGE, &out)
}

/// What the plan says about time and memory, as options.
fn limits(task: &Task) -> String {
    let time = task.timeout_seconds.map(|seconds| format!("--time={}", seconds.div_ceil(60) + MORE));
    let memory = memory(task).map(|size| format!("--mem={size}"));
    time.into_iter().chain(memory).collect::<Vec<_>>().join(" ")
}

/// `memory: 4G` among the task's own fields, or a resource `mem=4G`; anything but a size is left out.
fn memory(task: &Task) -> Option<String> {
    let named = ["memory", "mem"].iter().find_map(|name| match task.extra.get(*name)? {
        Value::Number(megabytes) => Some(megabytes.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    });
    let resource = || task.resources.iter().find_map(|r| r.strip_prefix("mem=").map(str::to_owned));
    let size =
        named.or_else(resource)?.trim().trim_end_matches(['B', 'b']).trim_end_matches('i').to_uppercase();
    let digits = size.trim_end_matches(['K', 'M', 'G', 'T']);
    let is_size =
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) && size.len() <= digits.len() + 1;
    is_size.then_some(size)
}

#[cfg(test)]
mod tests {
    use super::{limits, write};
    use crate::to::samples::{HOSTILE, hostile, small, task};
    use crate::to::script::bench;

    #[test]
    fn the_small_plan_as_jobs() {
        let (plan, graph) = small();
        let file = write(&plan, &graph);
        assert!(file.contains("\nplan='PLAN.md'\n"));
        assert!(file.contains("\nsubmit 0 task-2.a '' '' --task '2.a'\n"), "{file}");
        assert!(file.contains("\nsubmit 1 task-3 '' \"afterok:${job[0]}\" --task '3'\n"));
        assert!(file.ends_with("\nsubmit 2 plan-end '' \"${all:+afterany$all}\" --all\n"));
    }

    #[test]
    fn limits_are_what_the_plan_states_and_nothing_else() {
        let mut one = task("1", "", &[]);
        one.timeout_seconds = Some(90);
        one.resources = vec!["db".into(), "mem=4GiB".into()];
        assert_eq!(limits(&one), "--time=32 --mem=4G");
        for odd in ["4 G", "G", "4G --wrap=x", "-1", "4GG", "$(x)"] {
            one.resources = vec![format!("mem={odd}")];
            assert_eq!(limits(&one), "--time=32", "{odd}");
        }
    }

    #[test]
    fn every_hostile_id_arrives_as_one_argument_of_the_job() {
        let (plan, graph) = hostile();
        // It runs the job at once.
        let sbatch = "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nbash \"$@\" >&2\necho 7\n";
        let (output, files) = bench::run(&write(&plan, &graph), "sbatch", sbatch, "printf %s\\0");
        let text = String::from_utf8(output.stderr).unwrap();
        let got: Vec<&str> = text.split_terminator('\0').collect();
        let mut wanted: Vec<&str> =
            HOSTILE.iter().flat_map(|id| ["--shared", "--only", id, "./-it's a $plan; #1"]).collect();
        wanted.extend(["--shared", "./-it's a $plan; #1"]);
        assert_eq!((got, files), (wanted, 3));
    }
}
