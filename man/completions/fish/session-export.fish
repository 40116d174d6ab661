# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_session_export_global_optspecs
    string join \n run= now= error-format= json-schema h/help V/version
end

function __fish_session_export_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_session_export_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_session_export_using_subcommand
    set -l cmd (__fish_session_export_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c session-export -n "__fish_session_export_needs_command" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_needs_command" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c session-export -n "__fish_session_export_needs_command" -s V -l version -d 'Print version'
complete -c session-export -n "__fish_session_export_needs_command" -a "summary" -d 'Say what a thinking session holds'
complete -c session-export -n "__fish_session_export_needs_command" -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l pretty -d 'Indent the JSON for people'
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand summary" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c session-export -n "__fish_session_export_using_subcommand help; and not __fish_seen_subcommand_from summary help" -f -a "summary" -d 'Say what a thinking session holds'
complete -c session-export -n "__fish_session_export_using_subcommand help; and not __fish_seen_subcommand_from summary help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
