# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_gate_run_global_optspecs
    string join \n when= gate= all preflight profile= fail-fast again jobs= set= base= gate-id= env= expect= retries= timeout-seconds= stall-seconds= grace-seconds= tail-lines= no-log log-megabytes= bead-id= run-timestamp= cwd= accept-unproved= before allow-acts= unclear-note= hook agent= taken plan= stale= pass-through json-only heartbeat-seconds= pretty config= run= now= error-format= json-schema h/help help-all V/version
end

function __fish_gate_run_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_gate_run_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_gate_run_using_subcommand
    set -l cmd (__fish_gate_run_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c gate-run -n "__fish_gate_run_needs_command" -l when -d 'Run the gates of task, test, phase, end or manual' -r -f -a "task\t''
test\t''
phase\t''
end\t''
manual\t''
recheck\t''"
complete -c gate-run -n "__fish_gate_run_needs_command" -l gate -d 'Run this gate of the configuration; may be given again' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l profile -d 'Budgets to use, by the name that the configuration gives them' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l jobs -d 'How many gates may run at the same time; those with the same lock never do' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l set -d 'The value of a `{{TOKEN}}` in the configuration; may be given again' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l base -d 'The commit that built-in checks compare with' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l gate-id -d 'Name of the gate, with `-- COMMAND`' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l env -d 'A variable for the command, with `-- COMMAND`; may be given again' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l expect -d 'What must come: `fail` is for tests that are written first, and takes only a test that ran and failed' -r -f -a "pass\t''
fail\t''"
complete -c gate-run -n "__fish_gate_run_needs_command" -l retries -d 'How often to run a check again that failed; one that passes then is flaky' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l timeout-seconds -d 'How long a check may take; 0 is no limit (default: as configured, else 600)' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l stall-seconds -d 'How long a check may be silent; 0 is no limit (default: as configured; for `-- COMMAND` 60)' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l grace-seconds -d 'How long a check has to end after it was asked to' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l tail-lines -d 'How many last lines of output to keep (default: as configured, else 50)' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l log-megabytes -d 'How much of the output of one check to log and to digest (default: as configured, else 64)' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l bead-id -d 'Name of the bead or task that gates and commands belong to; a command with one is recorded' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l run-timestamp -d 'When the run began, shared by all gates of a batch (default: now)' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l cwd -d 'Where to run a command; for gates, the folder whose configuration it is' -r -F
complete -c gate-run -n "__fish_gate_run_needs_command" -l accept-unproved -d 'Let a task pass that is unproved; recorded with the reason' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l allow-acts -d 'Let checks run that act (deploy, publish, migrate, …); recorded with the reason' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l unclear-note -d 'Let tasks pass whose unclear checks a person judges; recorded with the reason' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l agent -d 'The agent whose work a hook verifies, without the name of its plugin' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l plan -d 'The plan: with `--when end`, the checks that it sets for the whole run too; with `--when recheck`, only those of its ticked tasks; with `--hook`, its criteria run instead of those that the worker reports' -r -F
complete -c gate-run -n "__fish_gate_run_needs_command" -l stale -d 'Run only the checks of ticked tasks whose evidence in the history does not fit, see \'punch attest\'' -r -F
complete -c gate-run -n "__fish_gate_run_needs_command" -l heartbeat-seconds -d 'Say on a terminal that a check is still running, each time so much time has passed; 0 is never' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c gate-run -n "__fish_gate_run_needs_command" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c gate-run -n "__fish_gate_run_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c gate-run -n "__fish_gate_run_needs_command" -l all -d 'Run every gate of the configuration but the manual ones'
complete -c gate-run -n "__fish_gate_run_needs_command" -l preflight -d 'Check that every gate of the configuration could run, its tokens and its Python, and run none'
complete -c gate-run -n "__fish_gate_run_needs_command" -l fail-fast -d 'Stop at the first gate that does not pass'
complete -c gate-run -n "__fish_gate_run_needs_command" -l again -d 'With `--when recheck`, also run what has passed on this very tree: its cause may be outside of the tree'
complete -c gate-run -n "__fish_gate_run_needs_command" -l no-log -d 'Keep neither a log nor a digest of the output: it is counted, and the end of it is shown'
complete -c gate-run -n "__fish_gate_run_needs_command" -l before -d 'Run each task\'s own checks before its first attempt; for orders, before worker-run'
complete -c gate-run -n "__fish_gate_run_needs_command" -l hook -d 'Answer an agent\'s hook, whose JSON is on standard input'
complete -c gate-run -n "__fish_gate_run_needs_command" -l taken -d 'With --hook, judge only the task that a session has taken from \'orchestrate mcp\'; let all else pass'
complete -c gate-run -n "__fish_gate_run_needs_command" -l pass-through -d 'Show the output of checks on stderr while they run, secrets masked'
complete -c gate-run -n "__fish_gate_run_needs_command" -l json-only -d 'Say nothing on stderr while all is well'
complete -c gate-run -n "__fish_gate_run_needs_command" -l pretty -d 'Indent the JSON of answers for people'
complete -c gate-run -n "__fish_gate_run_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c gate-run -n "__fish_gate_run_needs_command" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c gate-run -n "__fish_gate_run_needs_command" -l help-all -d 'Print help with every option'
complete -c gate-run -n "__fish_gate_run_needs_command" -s V -l version -d 'Print the version'
complete -c gate-run -n "__fish_gate_run_needs_command" -a "proof" -d 'Say from the ledger whether these gates have passed'
complete -c gate-run -n "__fish_gate_run_needs_command" -a "try" -d 'Try suggested checks: they must be false until the work is done'
complete -c gate-run -n "__fish_gate_run_needs_command" -a "task" -d 'Run the checks of a task as they are now, and record nothing'
complete -c gate-run -n "__fish_gate_run_needs_command" -a "at" -d 'Run one check of a plan on the tree of a commit'
complete -c gate-run -n "__fish_gate_run_needs_command" -a "restore" -d 'Run a gate again after a fault, as a Restoration Contract asks'
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l require -d 'The gates, separated by commas' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l set -d 'The value of a `{{TOKEN}}` in the configuration; may be given again' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l bead-id -d 'Name of the bead or task that gates and commands belong to; a command with one is recorded' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l run-timestamp -d 'When the run began, shared by all gates of a batch (default: now)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l cwd -d 'Where to run a command; for gates, the folder whose configuration it is' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l pretty -d 'Indent the JSON of answers for people'
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand proof" -l help-all -d 'Print help with every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l timeout-seconds -d 'How long a check may take; 0 is no limit (default: as configured, else 600)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l stall-seconds -d 'How long a check may be silent; 0 is no limit (default: as configured; for `-- COMMAND` 60)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l grace-seconds -d 'How long a check has to end after it was asked to' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l tail-lines -d 'How many last lines of output to keep (default: as configured, else 50)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l set -d 'The value of a `{{TOKEN}}` in the configuration; may be given again' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l bead-id -d 'Name of the bead or task that gates and commands belong to; a command with one is recorded' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l run-timestamp -d 'When the run began, shared by all gates of a batch (default: now)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l cwd -d 'Where to run a command; for gates, the folder whose configuration it is' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l pretty -d 'Indent the JSON of answers for people'
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand try" -l help-all -d 'Print help with every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l timeout-seconds -d 'How long a check may take; 0 is no limit (default: as configured, else 600)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l stall-seconds -d 'How long a check may be silent; 0 is no limit (default: as configured; for `-- COMMAND` 60)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l grace-seconds -d 'How long a check has to end after it was asked to' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l tail-lines -d 'How many last lines of output to keep (default: as configured, else 50)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l set -d 'The value of a `{{TOKEN}}` in the configuration; may be given again' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l bead-id -d 'Name of the bead or task that gates and commands belong to; a command with one is recorded' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l run-timestamp -d 'When the run began, shared by all gates of a batch (default: now)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l cwd -d 'Where to run a command; for gates, the folder whose configuration it is' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l pretty -d 'Indent the JSON of answers for people'
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand task" -l help-all -d 'Print help with every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l commit -d 'The commit (default: the tree as it is now)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l timeout-seconds -d 'How long a check may take; 0 is no limit (default: as configured, else 600)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l stall-seconds -d 'How long a check may be silent; 0 is no limit (default: as configured; for `-- COMMAND` 60)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l grace-seconds -d 'How long a check has to end after it was asked to' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l tail-lines -d 'How many last lines of output to keep (default: as configured, else 50)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l set -d 'The value of a `{{TOKEN}}` in the configuration; may be given again' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l bead-id -d 'Name of the bead or task that gates and commands belong to; a command with one is recorded' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l run-timestamp -d 'When the run began, shared by all gates of a batch (default: now)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l cwd -d 'Where to run a command; for gates, the folder whose configuration it is' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l pretty -d 'Indent the JSON of answers for people'
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand at" -l help-all -d 'Print help with every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l set -d 'The value of a `{{TOKEN}}` in the configuration; may be given again' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l bead-id -d 'Name of the bead or task that gates and commands belong to; a command with one is recorded' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l run-timestamp -d 'When the run began, shared by all gates of a batch (default: now)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l cwd -d 'Where to run a command; for gates, the folder whose configuration it is' -r -F
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l pretty -d 'Indent the JSON of answers for people'
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c gate-run -n "__fish_gate_run_using_subcommand restore" -l help-all -d 'Print help with every option'
