# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_commit_run_global_optspecs
    string join \n push config= run= now= error-format= json-schema h/help help-all V/version
end

function __fish_commit_run_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_commit_run_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_commit_run_using_subcommand
    set -l cmd (__fish_commit_run_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c commit-run -n "__fish_commit_run_needs_command" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c commit-run -n "__fish_commit_run_needs_command" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_needs_command" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_needs_command" -l push -d 'Push the branch afterwards, if a commit was made'
complete -c commit-run -n "__fish_commit_run_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_needs_command" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_needs_command" -l help-all -d 'Print help with every option'
complete -c commit-run -n "__fish_commit_run_needs_command" -s V -l version -d 'Print the version'
complete -c commit-run -n "__fish_commit_run_needs_command" -a "pending" -d 'Make the commits that are owed'
complete -c commit-run -n "__fish_commit_run_needs_command" -a "residual" -d 'Commit the rest of a run: plan, context files, workers\' changes'
complete -c commit-run -n "__fish_commit_run_needs_command" -a "bookkeeping" -d 'Commit only what the tools wrote: ticks, context, progress'
complete -c commit-run -n "__fish_commit_run_needs_command" -a "check-clean" -d 'Exit 0 if the tree is clean, else list the changes and exit 1'
complete -c commit-run -n "__fish_commit_run_needs_command" -a "start" -d 'Print the commit that the first run of a plan began at'
complete -c commit-run -n "__fish_commit_run_needs_command" -a "revert" -d 'Revert the commits of tasks, the latest first'
complete -c commit-run -n "__fish_commit_run_needs_command" -a "rebuild-state" -d 'Print which tasks are done, read from commit trailers alone'
complete -c commit-run -n "__fish_commit_run_needs_command" -a "land" -d 'Bring the work of orders with a worktree into the main tree'
complete -c commit-run -n "__fish_commit_run_using_subcommand pending" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c commit-run -n "__fish_commit_run_using_subcommand pending" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand pending" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand pending" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_using_subcommand pending" -l push -d 'Push the branch afterwards, if a commit was made'
complete -c commit-run -n "__fish_commit_run_using_subcommand pending" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_using_subcommand pending" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand pending" -l help-all -d 'Print help with every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -l push -d 'Push the branch afterwards, if a commit was made'
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -l approved -d 'Commit workers\' files as they are now, since a person has approved them so'
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand residual" -l help-all -d 'Print help with every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand bookkeeping" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c commit-run -n "__fish_commit_run_using_subcommand bookkeeping" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand bookkeeping" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand bookkeeping" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_using_subcommand bookkeeping" -l push -d 'Push the branch afterwards, if a commit was made'
complete -c commit-run -n "__fish_commit_run_using_subcommand bookkeeping" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_using_subcommand bookkeeping" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand bookkeeping" -l help-all -d 'Print help with every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand check-clean" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand check-clean" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand check-clean" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_using_subcommand check-clean" -l resume -d 'Leave out what the last attempt on record changed, if its task is not done: a run goes on with that'
complete -c commit-run -n "__fish_commit_run_using_subcommand check-clean" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_using_subcommand check-clean" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand check-clean" -l help-all -d 'Print help with every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand start" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand start" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand start" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_using_subcommand start" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_using_subcommand start" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand start" -l help-all -d 'Print help with every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l reason -d 'Why; it stands in the commit message' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l dependents -d 'Revert what depends on them as well'
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l list -d 'Only list the tasks in the order in which they are undone'
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l dry-run -d 'Try it, and change nothing'
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand revert" -l help-all -d 'Print help with every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand rebuild-state" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand rebuild-state" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand rebuild-state" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_using_subcommand rebuild-state" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c commit-run -n "__fish_commit_run_using_subcommand rebuild-state" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_using_subcommand rebuild-state" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand rebuild-state" -l help-all -d 'Print help with every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand land" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c commit-run -n "__fish_commit_run_using_subcommand land" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand land" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -n "__fish_commit_run_using_subcommand land" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -n "__fish_commit_run_using_subcommand land" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -n "__fish_commit_run_using_subcommand land" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -n "__fish_commit_run_using_subcommand land" -l help-all -d 'Print help with every option'
