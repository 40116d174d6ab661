# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_session_export_global_optspecs
    string join \n require-reasoning config= run= now= error-format= json-schema h/help help-all V/version
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

complete -c session-export -n "__fish_session_export_needs_command" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c session-export -n "__fish_session_export_needs_command" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_needs_command" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_needs_command" -l require-reasoning -d 'Halt an order whose task changed several files or a test and left no reasoning of its own'
complete -c session-export -n "__fish_session_export_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_needs_command" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_needs_command" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_needs_command" -s V -l version -d 'Print the version'
complete -c session-export -n "__fish_session_export_needs_command" -a "summary" -d 'Say what a thinking session holds'
complete -c session-export -n "__fish_session_export_needs_command" -a "verify" -d 'Hold a session against every rule'
complete -c session-export -n "__fish_session_export_needs_command" -a "think" -d 'Add one thought to the live session'
complete -c session-export -n "__fish_session_export_needs_command" -a "import" -d 'Make a session the base of the next thoughts'
complete -c session-export -n "__fish_session_export_needs_command" -a "export" -d 'Write the live session under its name, whole or not at all'
complete -c session-export -n "__fish_session_export_needs_command" -a "clear" -d 'Begin the live session anew; what stands there is kept aside'
complete -c session-export -n "__fish_session_export_needs_command" -a "chain" -d 'Show the chain of a task, with everything that is wrong with it'
complete -c session-export -n "__fish_session_export_needs_command" -a "resume" -d 'Say where to go on: the last whole link and what comes next'
complete -c session-export -n "__fish_session_export_needs_command" -a "packet" -d 'Make a handoff packet from a session, or check one'
complete -c session-export -n "__fish_session_export_needs_command" -a "result" -d 'Read what a child says in Markdown'
complete -c session-export -n "__fish_session_export_needs_command" -a "interchange" -d 'Make an interchange document from an agent\'s own record'
complete -c session-export -n "__fish_session_export_needs_command" -a "serve" -d 'Speak the Model Context Protocol on standard input and output'
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l source -d 'The thinking server\'s own shape, with what it lacks'
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l text -d 'The older name of \'--format text\''
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l pretty -d 'Indent the JSON for people'
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand summary" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand summary" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l stage -d 'The rules to check it by (default: by its name, else \'prep\')' -r -f -a "prep\t'A preparation'
execution\t'A link that came after it'"
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l task -d 'The task that it must be about (default: by its name)' -r
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l require-reasoning -d 'Ask for an Analysis and a Conclusion tagged \'subtask-N\'' -r
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l text -d 'The older name of \'--format text\''
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l pretty -d 'Indent the JSON for people'
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand verify" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand verify" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand think" -l stage -d 'Its stage: problem-definition, research, analysis, synthesis or conclusion' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l tag -d 'A word to find it by; may be repeated' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l axiom -d 'A principle that it rests on; may be repeated' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l challenges -d 'An assumption that it challenges; may be repeated' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l revises -d 'The thought that it revises' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l from -d 'The thought that its branch leaves from' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l branch -d 'The name of its branch' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l number -d 'Its number (default: the next)' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l total -d 'How many are foreseen (default: its number)' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l live -d 'The live session (default: .plantools/sessions/current.jsonl at the root)' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand think" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand think" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand think" -l last -d 'No other is to follow'
complete -c session-export -n "__fish_session_export_using_subcommand think" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand think" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand think" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand import" -l live -d 'The live session (default: .plantools/sessions/current.jsonl at the root)' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand import" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand import" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand import" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand import" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand import" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand import" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand export" -l to -d 'The file; a name of the chain makes it a link' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand export" -l task -d 'The task that it is a link of' -r
complete -c session-export -n "__fish_session_export_using_subcommand export" -l as -d 'Its place in the chain: prep, subtask-N or tests' -r
complete -c session-export -n "__fish_session_export_using_subcommand export" -l dir -d 'The folder of the chain' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand export" -l date -d 'The day in its name (default: today)' -r
complete -c session-export -n "__fish_session_export_using_subcommand export" -l live -d 'The live session (default: .plantools/sessions/current.jsonl at the root)' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand export" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand export" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand export" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand export" -l replace -d 'Give up thoughts that only the file which is replaced holds'
complete -c session-export -n "__fish_session_export_using_subcommand export" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand export" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand export" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand clear" -l live -d 'The live session (default: .plantools/sessions/current.jsonl at the root)' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand clear" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand clear" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand clear" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand clear" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand clear" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand clear" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand chain" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c session-export -n "__fish_session_export_using_subcommand chain" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand chain" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand chain" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand chain" -l text -d 'The older name of \'--format text\''
complete -c session-export -n "__fish_session_export_using_subcommand chain" -l pretty -d 'Indent the JSON for people'
complete -c session-export -n "__fish_session_export_using_subcommand chain" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand chain" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand chain" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand resume" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c session-export -n "__fish_session_export_using_subcommand resume" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand resume" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand resume" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand resume" -l text -d 'The older name of \'--format text\''
complete -c session-export -n "__fish_session_export_using_subcommand resume" -l pretty -d 'Indent the JSON for people'
complete -c session-export -n "__fish_session_export_using_subcommand resume" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand resume" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand resume" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l schema -d 'The packet\'s schema (default: \'kit\'; with --check by its fields)' -r -f -a "kit\t'The whole task for its orchestrator'
composability\t'A child\'s task'
subtask\t'One subtask for its worker'"
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l subtask -d 'Which subtask, for the schema \'subtask\'' -r
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l task -d 'The task\'s id (default: by the session\'s name)' -r
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l constraint -d 'What must not be touched; may be repeated' -r
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l result -d 'What a child said, for the attestations; may be repeated' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l check -d 'Check a packet instead, alone or in a message'
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l text -d 'The older name of \'--format text\''
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l pretty -d 'Indent the JSON for people'
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand packet" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand packet" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand result" -l model -d 'The model that was asked for' -r
complete -c session-export -n "__fish_session_export_using_subcommand result" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand result" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand result" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand result" -l pretty -d 'Indent the JSON for people'
complete -c session-export -n "__fish_session_export_using_subcommand result" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand result" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand result" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand interchange" -l client -d 'The client that wrote it, where its shape does not tell' -r
complete -c session-export -n "__fish_session_export_using_subcommand interchange" -l session -d 'Which session, where the record holds several' -r
complete -c session-export -n "__fish_session_export_using_subcommand interchange" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand interchange" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand interchange" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand interchange" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand interchange" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand interchange" -l help-all -d 'Print help with every option'
complete -c session-export -n "__fish_session_export_using_subcommand serve" -l live -d 'The live session (default: .plantools/sessions/current.jsonl at the root)' -r -F
complete -c session-export -n "__fish_session_export_using_subcommand serve" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c session-export -n "__fish_session_export_using_subcommand serve" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c session-export -n "__fish_session_export_using_subcommand serve" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c session-export -n "__fish_session_export_using_subcommand serve" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c session-export -n "__fish_session_export_using_subcommand serve" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c session-export -n "__fish_session_export_using_subcommand serve" -l help-all -d 'Print help with every option'
