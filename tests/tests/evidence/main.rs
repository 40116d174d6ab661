//! Evidence: a tick, a commit and "done" rest on proof, whatever workers, checks and people do meanwhile.

mod a_person_at_work;
mod bad_workers;
mod before_the_work;
mod checks_that_could_not_look;
mod files_from_before;
mod files_of_other_tasks;
mod fresh_attempts;
mod history;
mod hostile_input;
mod huge_files;
mod killed_runs;
mod known_failures;
mod levels;
mod products_of_checks;
mod recheck_at_the_end;
mod reverted_tasks;
mod reviews;
mod runbook_steps;
mod sandbox;
mod stopped_stages;
mod tasks_without_a_change;
mod test_first;
mod thinking_sessions;
mod unclear_checks;
mod worker_commits;
mod workers_that_reach_out;
