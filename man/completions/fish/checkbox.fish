# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_checkbox_global_optspecs
    string join \n adapt accept= reason= config= run= now= error-format= json-schema h/help help-all V/version
end

function __fish_checkbox_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_checkbox_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_checkbox_using_subcommand
    set -l cmd (__fish_checkbox_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c checkbox -n "__fish_checkbox_needs_command" -l accept -d 'Let this level of evidence tick in this run: proved, passes, reviewed, already-true or gates; recorded with the reason' -r
complete -c checkbox -n "__fish_checkbox_needs_command" -l reason -d 'Why that level is enough' -r
complete -c checkbox -n "__fish_checkbox_needs_command" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c checkbox -n "__fish_checkbox_needs_command" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_needs_command" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_needs_command" -l adapt -d 'Add the task that the worker of a halted order found missing, one level deep and at most three for each task'
complete -c checkbox -n "__fish_checkbox_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_needs_command" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_needs_command" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_needs_command" -s V -l version -d 'Print the version'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "list" -d 'List the tasks of a plan with their boxes'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "tick" -d 'Tick a task by hand'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "retry" -d 'Clear the mark of every task that has failed'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "untick" -d 'Clear the box of a task'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "state" -d 'Mark a task as `in_progress`, `blocked`, `skipped` or `failed`'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "criterion" -d 'Tick the box of a criterion by hand, or defer the criterion'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "add" -d 'Add a task after another'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "adopt" -d 'Write suggested checks below their tasks, in the dialect\'s form'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "begin" -d 'Mark the tasks of orders as begun; runs before worker-run'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "fix" -d 'Make unclear checks clear, asking group by group'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "goals" -d 'Tick the goals that have passed; exit 5 if one is still open'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "presented" -d 'Say whether the report that a task waits for was presented, on the files as they are now; exit 5 if not'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "unfold" -d 'Write the plan that another file stands for, once'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "progress" -d 'Write into the progress file of a runbook that it is completed, if its steps are done'
complete -c checkbox -n "__fish_checkbox_needs_command" -a "regressions" -d 'Clear the box of each task whose check has failed since its tick'
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l text -d 'The older name of \'--format text\''
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l open -d 'Print only the ids of the tasks that are open, one a line'
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand list" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l reason -d 'Why; it is recorded' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l if-there -d 'Do nothing if the plan has no such task'
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l dry-run -d 'Print the change as a unified diff and write nothing'
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand tick" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l reason -d 'Why; it is recorded' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l dry-run -d 'Print the change as a unified diff and write nothing'
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand retry" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l evidence -d 'A JSON object that the next worker gets to see; with \'failed\' rows as a halt of gate-run has them' -r -F
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l reason -d 'Why; it is recorded' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l dry-run -d 'Print the change as a unified diff and write nothing'
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand untick" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l reason -d 'Why; it is recorded' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l dry-run -d 'Print the change as a unified diff and write nothing'
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand state" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l reason -d 'Why; it is recorded' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l defer -d 'Leave the box open; the plan may be complete without it'
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l dry-run -d 'Print the change as a unified diff and write nothing'
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand criterion" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l title -d 'The title of the new task' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l body -d 'A file with the text of the new task, without its heading' -r -F
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l reason -d 'Why; it is recorded' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l dry-run -d 'Print the change as a unified diff and write nothing'
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand add" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -l adopt -d 'Which suggestions to take: ask about each on the terminal, all that are fit, only those derived without an agent, or none' -r -f -a "ask\t'Those that a person takes, one by one'
all\t'Every one that is fit'
suggested\t'Every fit one that was derived without an agent'
none\t'None; they are only listed'"
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -l undo -d 'Take every adopted check of the plan out again'
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand adopt" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand begin" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand begin" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand begin" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand begin" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand begin" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand begin" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l all -d 'Ask nothing: make only the rewrites that the table of synonyms makes equal'
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l print -d 'Print the rewrites as a unified diff and write nothing; with --all, only the equal ones'
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand fix" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand goals" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand goals" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand goals" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand goals" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand goals" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand goals" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand goals" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand goals" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -l shown-now -d 'Record that it is presented now'
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand presented" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand unfold" -l reviews -d 'Instead, write the runbook of the two reviews of these commits, like \'START..END\'' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand unfold" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand unfold" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand unfold" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand unfold" -l dry-run -d 'Write nothing: print the plan itself if the other is not there, and the text of the reviews'
complete -c checkbox -n "__fish_checkbox_using_subcommand unfold" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand unfold" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand unfold" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand progress" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand progress" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand progress" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand progress" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand progress" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand progress" -l help-all -d 'Print help with every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -l dialect -d 'Read the plan as this dialect instead of detecting it' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -l pretty -d 'Indent the JSON of `tick/1`'
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -n "__fish_checkbox_using_subcommand regressions" -l help-all -d 'Print help with every option'
