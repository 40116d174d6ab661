# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_punch_global_optspecs
    string join \n run= now= error-format= json-schema h/help V/version
end

function __fish_punch_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_punch_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_punch_using_subcommand
    set -l cmd (__fish_punch_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c punch -n "__fish_punch_needs_command" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_needs_command" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c punch -n "__fish_punch_needs_command" -s V -l version -d 'Print version'
complete -c punch -n "__fish_punch_needs_command" -f -a "checkpoint" -d 'Hold each order against a card and record the result'
complete -c punch -n "__fish_punch_needs_command" -f -a "list" -d 'Print records of the ledger, oldest first'
complete -c punch -n "__fish_punch_needs_command" -f -a "verify" -d 'Walk the chain of the ledger: exit 0 whole, 1 with every broken line named'
complete -c punch -n "__fish_punch_needs_command" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l card -d 'The card (default: `[defaults] card` in plantools.toml; none means that no card is asked for)' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c punch -n "__fish_punch_using_subcommand list" -l task -d 'Only records of this task' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l type -d 'Only records of this type' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l of-run -d 'Only records of this run' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand list" -l text -d 'One line for people instead of JSON'
complete -c punch -n "__fish_punch_using_subcommand list" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c punch -n "__fish_punch_using_subcommand verify" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand verify" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand verify" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand verify" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c punch -n "__fish_punch_using_subcommand help; and not __fish_seen_subcommand_from checkpoint list verify help" -f -a "checkpoint" -d 'Hold each order against a card and record the result'
complete -c punch -n "__fish_punch_using_subcommand help; and not __fish_seen_subcommand_from checkpoint list verify help" -f -a "list" -d 'Print records of the ledger, oldest first'
complete -c punch -n "__fish_punch_using_subcommand help; and not __fish_seen_subcommand_from checkpoint list verify help" -f -a "verify" -d 'Walk the chain of the ledger: exit 0 whole, 1 with every broken line named'
complete -c punch -n "__fish_punch_using_subcommand help; and not __fish_seen_subcommand_from checkpoint list verify help" -f -a "help" -d 'Print this message or the help of the given subcommand(s)'
