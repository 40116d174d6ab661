# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_punch_global_optspecs
    string join \n hook card= cards= config= run= now= error-format= json-schema h/help help-all V/version
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

complete -c punch -n "__fish_punch_needs_command" -l card -d 'With --hook: the card' -r
complete -c punch -n "__fish_punch_needs_command" -l cards -d 'With --hook: a file of cards' -r -F
complete -c punch -n "__fish_punch_needs_command" -l config -d 'With --hook: configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c punch -n "__fish_punch_needs_command" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_needs_command" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_needs_command" -l hook -d 'Answer an agent\'s hook: refuse what the card forbids'
complete -c punch -n "__fish_punch_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_needs_command" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_needs_command" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_needs_command" -s V -l version -d 'Print the version'
complete -c punch -n "__fish_punch_needs_command" -f -a "checkpoint" -d 'Hold each order, or one task, against a card, on record'
complete -c punch -n "__fish_punch_needs_command" -f -a "evaluate" -d 'Hold one task against a card and record nothing'
complete -c punch -n "__fish_punch_needs_command" -f -a "mint" -d 'Mint punches from agents\' own records and seal them'
complete -c punch -n "__fish_punch_needs_command" -f -a "list" -d 'Print records of the ledger, oldest first'
complete -c punch -n "__fish_punch_needs_command" -f -a "verify" -d 'Walk the chain of the ledger and its seals'
complete -c punch -n "__fish_punch_needs_command" -f -a "attest" -d 'Keep the evidence of ticked tasks in git notes, or verify it'
complete -c punch -n "__fish_punch_needs_command" -f -a "append" -d 'Add a record of your own; no card and no tick accepts it'
complete -c punch -n "__fish_punch_needs_command" -f -a "cards" -d 'Print the cards that come with the tool, each with a note'
complete -c punch -n "__fish_punch_needs_command" -f -a "import-cards" -d 'Turn SQL seeds or JSON cards into cards for plantools.toml'
complete -c punch -n "__fish_punch_needs_command" -f -a "lint" -d 'Look for cards with rows that can never match or be met'
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l card -d 'For orders: the card (default: `[defaults] card` in plantools.toml; none means that no card is asked for)' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l tasks -d 'For orders: compare only tasks whose id is like this with the card' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l cards -d 'More cards, from a file in TOML, JSON or SQL' -r -F
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l plan -d 'The plan, where several have a task of this name' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l session -d 'The session, where a transcript holds several' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l client -d 'The client, where it is not told by the record\'s shape' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l run-timestamp -d 'The batch of a log in `gate_run.v1` (default: the newest of the task)' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l parent -d 'The task that this one is a child of' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l in -d 'The folder whose ledger it is' -r -F
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l receipts -d 'For one task: hold it also against the card of the receipts that commands.toml asks for, if any'
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l pre-exit -d 'The worker has not ended yet: rows about its end are only shown'
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l text -d 'The older name of \'--format text\''
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l pretty -d 'JSON over several lines'
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand checkpoint" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l cards -d 'More cards, from a file in TOML, JSON or SQL' -r -F
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l plan -d 'The plan, where several have a task of this name' -r
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l session -d 'The session, where a transcript holds several' -r
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l client -d 'The client, where it is not told by the record\'s shape' -r
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l run-timestamp -d 'The batch of a log in `gate_run.v1` (default: the newest of the task)' -r
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l parent -d 'The task that this one is a child of' -r
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l in -d 'The folder whose ledger it is' -r -F
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l pre-exit -d 'The worker has not ended yet: rows about its end are only shown'
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l text -d 'The older name of \'--format text\''
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l pretty -d 'JSON over several lines'
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand evaluate" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand evaluate" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand mint" -l task -d 'The task' -r
complete -c punch -n "__fish_punch_using_subcommand mint" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c punch -n "__fish_punch_using_subcommand mint" -l plan -d 'The plan, where several have a task of this name' -r
complete -c punch -n "__fish_punch_using_subcommand mint" -l session -d 'The session, where a transcript holds several' -r
complete -c punch -n "__fish_punch_using_subcommand mint" -l client -d 'The client, where it is not told by the record\'s shape' -r
complete -c punch -n "__fish_punch_using_subcommand mint" -l run-timestamp -d 'The batch of a log in `gate_run.v1` (default: the newest of the task)' -r
complete -c punch -n "__fish_punch_using_subcommand mint" -l parent -d 'The task that this one is a child of' -r
complete -c punch -n "__fish_punch_using_subcommand mint" -l in -d 'The folder whose ledger it is' -r -F
complete -c punch -n "__fish_punch_using_subcommand mint" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand mint" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand mint" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand mint" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand mint" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand mint" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand list" -l task -d 'Only records of this task' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l plan -d 'Only records of this plan' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l type -d 'Only records of this type' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l key -d 'Only records with this key' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l of-run -d 'Only records of this run; the same as --run' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c punch -n "__fish_punch_using_subcommand list" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand list" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand list" -l last -d 'Only the last record; with --key, only if the last one has that key'
complete -c punch -n "__fish_punch_using_subcommand list" -l minted -d 'What was minted from transcripts too, behind the record that seals it'
complete -c punch -n "__fish_punch_using_subcommand list" -l text -d 'The older name of \'--format text\''
complete -c punch -n "__fish_punch_using_subcommand list" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand list" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand list" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand verify" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand verify" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand verify" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand verify" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand verify" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand verify" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand attest" -l task -d 'Only this task; may be given again' -r
complete -c punch -n "__fish_punch_using_subcommand attest" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c punch -n "__fish_punch_using_subcommand attest" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c punch -n "__fish_punch_using_subcommand attest" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand attest" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand attest" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand attest" -l verify -d 'Say which evidence still fits the tree and the plan; run and write nothing'
complete -c punch -n "__fish_punch_using_subcommand attest" -l text -d 'The older name of \'--format text\''
complete -c punch -n "__fish_punch_using_subcommand attest" -l pretty -d 'JSON over several lines'
complete -c punch -n "__fish_punch_using_subcommand attest" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand attest" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand attest" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand append" -l type -d 'The type of the record' -r
complete -c punch -n "__fish_punch_using_subcommand append" -l key -d 'What it is about' -r
complete -c punch -n "__fish_punch_using_subcommand append" -l task -d 'The task' -r
complete -c punch -n "__fish_punch_using_subcommand append" -l plan -d 'The plan\'s path as seen from the root' -r
complete -c punch -n "__fish_punch_using_subcommand append" -l data -d 'The rest, as JSON' -r
complete -c punch -n "__fish_punch_using_subcommand append" -l in -d 'The folder whose ledger it is' -r -F
complete -c punch -n "__fish_punch_using_subcommand append" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand append" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand append" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand append" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand append" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand append" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand cards" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand cards" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand cards" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand cards" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand cards" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand cards" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand import-cards" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand import-cards" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand import-cards" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand import-cards" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand import-cards" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand import-cards" -l help-all -d 'Print help with every option'
complete -c punch -n "__fish_punch_using_subcommand lint" -l against -d 'Real records that rows must be able to match' -r
complete -c punch -n "__fish_punch_using_subcommand lint" -l vocabulary -d 'The client whose words count (default: all of them)' -r
complete -c punch -n "__fish_punch_using_subcommand lint" -l cards -d 'More cards, from a file in TOML, JSON or SQL' -r -F
complete -c punch -n "__fish_punch_using_subcommand lint" -l gate -d 'A gate that there is, besides those of plantools.toml' -r
complete -c punch -n "__fish_punch_using_subcommand lint" -l in -d 'The folder that plantools.toml is looked for in' -r -F
complete -c punch -n "__fish_punch_using_subcommand lint" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c punch -n "__fish_punch_using_subcommand lint" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c punch -n "__fish_punch_using_subcommand lint" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c punch -n "__fish_punch_using_subcommand lint" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c punch -n "__fish_punch_using_subcommand lint" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c punch -n "__fish_punch_using_subcommand lint" -l text -d 'The older name of \'--format text\''
complete -c punch -n "__fish_punch_using_subcommand lint" -l pretty -d 'JSON over several lines'
complete -c punch -n "__fish_punch_using_subcommand lint" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c punch -n "__fish_punch_using_subcommand lint" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c punch -n "__fish_punch_using_subcommand lint" -l help-all -d 'Print help with every option'
