//! A script that hands the plan to GNU parallel, one list of jobs a round.
//!
//! A round begins when the one before it is through; within it a job that fails is tried on another host. Each round has
//! its own joblog, so that the script can be run again and goes on where it stopped. The ids are read as data, ended by
//! zeros, and quoted by parallel itself.

use crate::to::script::{self, Usage};
use crate::to::shell::sh_word;
use graph::Graph;
use std::fmt::Write;
use wire::Plan;

const USAGE: Usage =
    Usage { places: "hosts", command: "parallel", example: Some("--sshlogin 4/one,4/two,8/three") };

const ROUND: &str = r#"
options=("$@")
mkdir -p .plantools/logs
failed=0
# NUMBER IDS...: carries out one round.
round() {
  local log=.plantools/logs/parallel-$1.joblog
  shift
  printf '%s\0' "$@" | parallel --null --quote --will-cite --joblog "$log" --resume-failed --retries 3 \
    --workdir "$PWD" "${options[@]}" "${task[@]}" '{}' "$plan" || failed=$?
}

"#;

const END: &str = r#"
# What is left, and the end of the plan.
"${whole[@]}" "$plan" || failed=$?
exit "$failed"
"#;

/// The script.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let mut out = ROUND.to_owned();
    for (number, round) in (1..).zip(script::rounds(plan, graph)) {
        let ids = round.iter().fold(String::new(), |mut list, &i| {
            let _ = write!(list, " {}", sh_word(plan.tasks[i as usize].id.as_str()));
            list
        });
        let _ = writeln!(out, "round {number}{ids}");
    }
    out.push_str(END);
    script::write(plan, &USAGE, &out)
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::to::samples::{HOSTILE, hostile, small};
    use crate::to::script::bench;

    #[test]
    fn the_small_plan_as_rounds() {
        let (plan, graph) = small();
        let file = write(&plan, &graph);
        assert!(file.contains("\nplan='PLAN.md'\n"));
        assert!(file.contains("\nround 1 '2.a'\nround 2 '3'\n"), "{file}");
    }

    #[test]
    fn every_hostile_id_is_data() {
        let (plan, graph) = hostile();
        // It shows what it runs, and what it was given to read.
        let parallel = "#!/bin/sh\nwhile [ \"$1\" != true ]; do shift; done\nprintf '%s\\0' \"$@\"\ncat\n";
        let (output, files) = bench::run(&write(&plan, &graph), "parallel", parallel, "true");
        let text = String::from_utf8(output.stdout).unwrap();
        let job = ["true", "--shared", "--only", "{}", "./-it's a $plan; #1"];
        let wanted: Vec<&str> = HOSTILE.iter().flat_map(|id| job.into_iter().chain([*id])).collect();
        assert_eq!((text.split_terminator('\0').collect::<Vec<_>>(), files), (wanted, 3));
    }
}
