# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_context_save_global_optspecs
    string join \n run= now= error-format= json-schema h/help help-all V/version
end

function __fish_context_save_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_context_save_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_context_save_using_subcommand
    set -l cmd (__fish_context_save_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c context-save -n "__fish_context_save_needs_command" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c context-save -n "__fish_context_save_needs_command" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c context-save -n "__fish_context_save_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c context-save -n "__fish_context_save_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c context-save -n "__fish_context_save_needs_command" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c context-save -n "__fish_context_save_needs_command" -l help-all -d 'Print help with every option'
complete -c context-save -n "__fish_context_save_needs_command" -s V -l version -d 'Print the version'
complete -c context-save -n "__fish_context_save_needs_command" -a "inherit" -d 'Print what a task would inherit from the tasks that it depends on'
complete -c context-save -n "__fish_context_save_needs_command" -a "snapshot" -d 'Copy the files of a session to \'.plantools/snapshots\''
complete -c context-save -n "__fish_context_save_needs_command" -a "repair" -d 'Write a missing session file; restore broken JSON from a snapshot'
complete -c context-save -n "__fish_context_save_needs_command" -a "complete" -d 'Complete a session: status, archive and manifest'
complete -c context-save -n "__fish_context_save_using_subcommand inherit" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c context-save -n "__fish_context_save_using_subcommand inherit" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c context-save -n "__fish_context_save_using_subcommand inherit" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c context-save -n "__fish_context_save_using_subcommand inherit" -l pretty -d 'Indent the JSON of `inherit/1`'
complete -c context-save -n "__fish_context_save_using_subcommand inherit" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c context-save -n "__fish_context_save_using_subcommand inherit" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c context-save -n "__fish_context_save_using_subcommand inherit" -l help-all -d 'Print help with every option'
complete -c context-save -n "__fish_context_save_using_subcommand snapshot" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c context-save -n "__fish_context_save_using_subcommand snapshot" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c context-save -n "__fish_context_save_using_subcommand snapshot" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c context-save -n "__fish_context_save_using_subcommand snapshot" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c context-save -n "__fish_context_save_using_subcommand snapshot" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c context-save -n "__fish_context_save_using_subcommand snapshot" -l help-all -d 'Print help with every option'
complete -c context-save -n "__fish_context_save_using_subcommand repair" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c context-save -n "__fish_context_save_using_subcommand repair" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c context-save -n "__fish_context_save_using_subcommand repair" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c context-save -n "__fish_context_save_using_subcommand repair" -l session-file -d 'Look at the session\'s own file alone, and leave the files of its tasks closed'
complete -c context-save -n "__fish_context_save_using_subcommand repair" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c context-save -n "__fish_context_save_using_subcommand repair" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c context-save -n "__fish_context_save_using_subcommand repair" -l help-all -d 'Print help with every option'
complete -c context-save -n "__fish_context_save_using_subcommand complete" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c context-save -n "__fish_context_save_using_subcommand complete" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c context-save -n "__fish_context_save_using_subcommand complete" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c context-save -n "__fish_context_save_using_subcommand complete" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c context-save -n "__fish_context_save_using_subcommand complete" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c context-save -n "__fish_context_save_using_subcommand complete" -l help-all -d 'Print help with every option'
