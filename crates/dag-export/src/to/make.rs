//! A Makefile whose targets are the tasks: `make -j8 -k -f FILE` at the plan's root carries the plan out.
//!
//! Stamps are order-only prerequisites: a task waits for those before it, but is not done again because
//! one of them is newer. `orchestrate` holds the plan's lock, hence `--wait`.

use crate::to::label::clean;
use crate::to::shell::{STAMPS, key, plan_word, stamp, stamps_before, stamps_of_all, word};
use graph::Graph;
use std::fmt::Write;
use wire::{Plan, Task};

/// The Makefile.
pub(crate) fn write(plan: &Plan, graph: &Graph) -> String {
    let mut out = String::new();
    // The quotes keep a backslash from joining the next line to the comment.
    let _ =
        writeln!(out, "# \"{}\"\n# Run at the plan's root: make -j8 -k -f THIS_FILE\n", clean(&plan.title));
    let _ = writeln!(
        out,
        "ORCHESTRATE ?= orchestrate\n.DEFAULT_GOAL := all\n.SUFFIXES:\nMAKEFLAGS += --no-builtin-rules\n"
    );
    let _ =
        writeln!(out, ".PHONY: all clean\nall:{}\n\nclean:\n\trm -rf {STAMPS}", stamps_of_all(plan, graph));
    for (task, i) in plan.tasks.iter().zip(0..) {
        let title = clean(&task.title);
        let (stamp, before) = (stamp(task), stamps_before(plan, graph, i));
        let _ = writeln!(out, "\n# {}: \"{title}\"\n.PHONY: task-{0}", key(task));
        if graph.children(i).is_empty() {
            let bar = if before.is_empty() { "" } else { " |" };
            let _ =
                writeln!(out, "task-{}: {stamp}\n{stamp}:{bar}{before}\n{}", key(task), recipe(plan, task));
        } else {
            let _ = writeln!(out, "task-{}:{before}", key(task));
        }
    }
    out
}

/// A task that is settled leaves its stamp at once.
fn recipe(plan: &Plan, task: &Task) -> String {
    let touch = format!("\t@mkdir -p {STAMPS} && touch $@");
    if task.state.is_settled() {
        return touch;
    }
    format!("\t$(ORCHESTRATE) --wait --only {} {}\n{touch}", word(task.id.as_str()), plan_word(plan))
}

#[cfg(test)]
mod tests {
    use super::write;
    use crate::to::samples::{HOSTILE, hostile, small};
    use std::fs;
    use std::process::Command;

    #[test]
    fn the_small_plan_as_a_makefile() {
        let (plan, graph) = small();
        let file = write(&plan, &graph);
        assert!(
            file.contains("\nall: .plantools/make/1.done .plantools/make/2.a.done .plantools/make/3.done\n")
        );
        assert!(file.contains("\n.plantools/make/1.done:\n\t@mkdir"));
        assert!(file.contains(
            "\n.plantools/make/2.a.done: | .plantools/make/1.done\n\t$(ORCHESTRATE) --wait --only '2.a' 'PLAN.md'\n"
        ));
        assert!(file.contains("\n.plantools/make/3.done: | .plantools/make/2.a.done\n"));
        assert!(file.contains("\ntask-2: .plantools/make/2.a.done\n"));
    }

    #[test]
    fn every_hostile_id_arrives_as_one_argument() {
        let folder = std::env::temp_dir().join(format!("dag-export-make-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (plan, graph) = hostile();
        let mut make = Command::new("make");
        make.current_dir(&folder).args(["-s", "-f", "-", "ORCHESTRATE=printf '%s\\0'"]);
        let pipe = std::process::Stdio::piped;
        let mut child = match make.stdin(pipe()).stdout(pipe()).spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                eprintln!("make is not here: its own reading of the file is not tried");
                return fs::remove_dir_all(&folder).unwrap();
            }
            Err(error) => panic!("make: {error}"),
        };
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), write(&plan, &graph).as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        let files = fs::read_dir(folder.join(".plantools/make")).unwrap().count();
        let strays = fs::read_dir(&folder).unwrap().count();
        fs::remove_dir_all(&folder).unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let arguments: Vec<&str> = text.split_terminator('\0').collect();
        let expected: Vec<&str> =
            HOSTILE.iter().flat_map(|id| ["--wait", "--only", id, "./-it's a $plan; #1"]).collect();
        assert_eq!((arguments, files, strays), (expected, HOSTILE.len(), 1));
    }
}
