//! What the scripts for engines on many machines share: their head, what a job runs, and which tasks get one.
//!
//! A job is `orchestrate --shared --only ID PLAN`, whichever engine starts it: it claims its task before it works on it, so
//! that starting one twice does no harm. Engines differ only in how the graph is written for them.

use crate::to::label::clean;
use crate::to::shell::{is_wanted, sh_plan_word};
use graph::Graph;
use wire::Plan;

/// How an engine's script is called.
pub(crate) struct Usage {
    /// Where the jobs run, in the plural.
    pub(crate) places: &'static str,
    /// The engine's own command, whose options may follow.
    pub(crate) command: &'static str,
    /// Options to begin with, if there are any worth naming.
    pub(crate) example: Option<&'static str>,
}

/// What a job runs: `task` with an id and `$plan` behind it for one task, `whole` with `$plan` for all that is left.
const JOB: &str = r#"set -euo pipefail
read -r -a orchestrate <<<"${ORCHESTRATE:-orchestrate}"
whole=("${orchestrate[@]}" --shared) task=("${orchestrate[@]}" --shared --only)
"#;

/// The script of an engine, whose own part comes last.
pub(crate) fn write(plan: &Plan, usage: &Usage, own: &str) -> String {
    let Usage { places, command, example } = usage;
    let options = command.to_uppercase();
    let example = example.map_or_else(String::new, |e| format!("# For instance: bash THIS_FILE {e}\n"));
    format!(
        "#!/usr/bin/env bash\n# \"{}\"\n#\n\
         # Run it at the plan's root, which all {places} must have under the same path: bash THIS_FILE [OPTIONS OF {options}]\n\
         {example}\
         # ORCHESTRATE says what a job runs, for instance ORCHESTRATE='orchestrate --worker shell'.\n\
         {JOB}plan={}\n{own}",
        clean(&plan.title),
        sh_plan_word(plan)
    )
}

/// The rounds of what is left for an engine to start; none is empty.
pub(crate) fn rounds(plan: &Plan, graph: &Graph) -> Vec<Vec<u32>> {
    let wanted = |round: Vec<u32>| round.into_iter().filter(|&i| is_wanted(plan, graph, i)).collect();
    graph.rounds(false).into_iter().map(wanted).filter(|round: &Vec<u32>| !round.is_empty()).collect()
}

/// Runs a script with a stand-in for its engine.
#[cfg(test)]
pub(crate) mod bench {
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::process::{Command, Output};

    /// What it says with `ORCHESTRATE` set so, and how many files there are afterwards.
    pub(crate) fn run(script: &str, engine: &str, stand_in: &str, orchestrate: &str) -> (Output, usize) {
        let folder = std::env::temp_dir().join(format!("dag-export-{engine}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in [("script", script), (engine, stand_in)] {
            let mut file = std::fs::File::create(folder.join(name)).unwrap();
            file.set_permissions(std::fs::Permissions::from_mode(0o755)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        let mut bash = Command::new("bash");
        bash.current_dir(&folder).args(["-c", "PATH=$PWD:$PATH bash script"]).env("ORCHESTRATE", orchestrate);
        let output = bash.output().unwrap();
        let files = std::fs::read_dir(&folder).unwrap().count();
        std::fs::remove_dir_all(&folder).unwrap();
        (output, files)
    }
}
