complete -c checkbox -l tick -d 'Tick this task by hand; recorded with the reason' -r
complete -c checkbox -l untick -d 'Clear the box of this task; recorded with the reason' -r
complete -c checkbox -l state -d 'Say that this task is `in_progress`, `blocked`, `skipped` or `failed`; recorded with the reason' -r
complete -c checkbox -l criterion -d 'Tick the box of this criterion by hand, named like \'3:2\', or \'note:1\' where it belongs to no task; recorded with the reason' -r
complete -c checkbox -l add -d 'Add a task behind this one; recorded with the reason' -r
complete -c checkbox -l title -d 'The title of the added task' -r
complete -c checkbox -l body -d 'A file with the text of the added task, below its heading' -r -F
complete -c checkbox -l reason -d 'Why it is done by hand' -r
complete -c checkbox -l dialect -d 'Read the plan as this dialect instead of looking' -r
complete -c checkbox -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c checkbox -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c checkbox -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c checkbox -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c checkbox -l defer -d 'Leave the box of the criterion open for later instead; what waits for it goes on'
complete -c checkbox -l dry-run -d 'Print what would change as a unified diff; nothing is written'
complete -c checkbox -l adapt -d 'Add the task that the worker of a halted order found missing, one level deep and at most three for each task'
complete -c checkbox -l begin -d 'Mark the tasks of the orders as begun, where the plan has a mark for it; goes before worker-run'
complete -c checkbox -l untick-on-fail -d 'Open each ticked task again of which a check has failed since'
complete -c checkbox -l goals -d 'Tick what the plan calls done beside its tasks, each box whose command has passed; exit 5 where one is left open'
complete -c checkbox -l list -d 'List the tasks of the plan with their boxes'
complete -c checkbox -l text -d 'List for people: state, id and title'
complete -c checkbox -l pretty -d 'Indent the JSON of `tick/1` for people'
complete -c checkbox -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c checkbox -s h -l help -d 'Print this screen; --help-all has every option'
complete -c checkbox -l help-all -d 'Print help with every option'
complete -c checkbox -s V -l version -d 'Print the version'
