//! A script that hands the plan to GNU parallel, one list of jobs a round.
//!
//! A round begins when the one before it is through; within it a job that fails is tried on another host. Each round has
//! its own joblog, so that the script can be run again and goes on where it stopped. The ids are read as data, ended by
//! zeros, and quoted by parallel itself.

use crate::to::label::clean;
use crate::to::shell::{is_wanted, sh_plan_word, sh_word};
use graph::Graph;
use std::fmt::Write;
use wire::Plan;

const HEAD: &str = r#"#
# Run it at the plan's root, which all hosts must have under the same path: bash THIS_FILE [OPTIONS OF PARALLEL]
# For instance: bash THIS_FILE --sshlogin 4/one,4/two,8/three
# ORCHESTRATE says what a job runs, for instance ORCHESTRATE='orchestrate --worker shell'.
set -euo pipefail
read -r -a orchestrate <<<"${ORCHESTRATE:-orchestrate}"
"#;

const ROUND: &str = r#"
options=("$@")
mkdir -p .plantools/logs
failed=0
# NUMBER IDS...: carries out one round.
round() {
  local log=.plantools/logs/parallel-$1.joblog
  shift
  printf '%s\0' "$@" | parallel --null --quote --will-cite --joblog "$log" --resume-failed --retries 3 \
    --workdir "$PWD" "${options[@]}" "${orchestrate[@]}" --shared --only '{}' "$plan" || failed=$?
}
"#;

/// The script.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let mut out = format!(
        "#!/usr/bin/env bash\n# \"{}\"\n{HEAD}plan={}\n{ROUND}\n",
        clean(&plan.title),
        sh_plan_word(plan)
    );
    let rounds = graph.rounds(false).into_iter();
    let rounds =
        rounds.map(|round| round.into_iter().filter(|&i| is_wanted(plan, graph, i)).collect::<Vec<u32>>());
    for (number, round) in rounds.filter(|round| !round.is_empty()).enumerate() {
        let ids = round.iter().fold(String::new(), |mut list, &i| {
            let _ = write!(list, " {}", sh_word(plan.tasks[i as usize].id.as_str()));
            list
        });
        let _ = writeln!(out, "round {}{ids}", number + 1);
    }
    out.push_str("\n# What is left, and the end of the plan.\n\"${orchestrate[@]}\" --shared \"$plan\" || failed=$?\nexit \"$failed\"\n");
    out
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::to::samples::{HOSTILE, hostile, small};
    use std::io::Write;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;

    #[test]
    fn the_small_plan_as_rounds() {
        let (plan, graph) = small();
        let file = write(&plan, &graph);
        assert!(file.contains("\nplan='PLAN.md'\n"));
        assert!(file.contains("\nround 1 '2.a'\nround 2 '3'\n"), "{file}");
    }

    #[test]
    fn every_hostile_id_is_data() {
        let folder = std::env::temp_dir().join(format!("dag-export-parallel-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let (plan, graph) = hostile();
        std::fs::File::create(folder.join("rounds"))
            .unwrap()
            .write_all(write(&plan, &graph).as_bytes())
            .unwrap();
        // A stand-in for parallel: it shows what it was given to read.
        std::fs::File::create(folder.join("parallel")).unwrap().write_all(b"#!/bin/sh\ncat\n").unwrap();
        std::fs::set_permissions(folder.join("parallel"), std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut bash = Command::new("bash");
        bash.current_dir(&folder).args(["-c", "PATH=$PWD:$PATH bash rounds"]).env("ORCHESTRATE", "true");
        let output = bash.output().unwrap();
        let strays = std::fs::read_dir(&folder).unwrap().count();
        std::fs::remove_dir_all(&folder).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!((text.split_terminator('\0').collect::<Vec<_>>(), strays), (HOSTILE.to_vec(), 3));
    }
}
