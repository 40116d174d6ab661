complete -c gate-run -l when -d 'Run the gates that plantools.toml sets for this moment: task, phase, end or manual' -r -f -a "task\t''
phase\t''
end\t''
manual\t''"
complete -c gate-run -l gate-id -d 'Name of the gate, with `-- COMMAND`' -r
complete -c gate-run -l bead-id -d 'Name of the bead or task, with `-- COMMAND`' -r
complete -c gate-run -l timeout-seconds -d 'How long a check may take (default: 600, or as configured)' -r
complete -c gate-run -l stall-seconds -d 'How long a check may be silent (default: as configured, else as long as it may take)' -r
complete -c gate-run -l grace-seconds -d 'How long a check has to end after it was asked to' -r
complete -c gate-run -l tail-lines -d 'How many last lines of output to keep' -r
complete -c gate-run -l cwd -d 'Where to run the command' -r -F
complete -c gate-run -l accept-unproved -d 'Let a task pass that has nothing to run; recorded with the reason' -r
complete -c gate-run -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c gate-run -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c gate-run -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c gate-run -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c gate-run -l pretty -d 'Indent the JSON of `gate/1` for people'
complete -c gate-run -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c gate-run -s h -l help -d 'Print help (see more with \'--help\')'
complete -c gate-run -s V -l version -d 'Print version'
