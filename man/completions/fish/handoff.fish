complete -c handoff -l for -d 'Whom the prompt is for' -r -f -a "auto\t'Whoever is next: the worker, at a checkpoint the reviewer, after a failed step of a runbook the diagnostician'
worker\t'The worker of the task'
fitter\t'The Fitter, for a gate that gave no verdict'
review\t'The reviewer of a phase; of any other task, the reviewer of its change'
check\t'Whoever proposes checks for a task that has none'
diagnostic\t'Whoever finds out why a step failed'"
complete -c handoff -l max-bytes -d 'Largest prompt; what is left out is said and given as a path' -r
complete -c handoff -l packet -d 'Handoff packet that the todo list was made from (default: looked for by the task\'s name)' -r -F
complete -c handoff -l set -d 'Value for a {{TOKEN}} in the plan; may be given more than once' -r
complete -c handoff -l accept-change -d 'Go on although plan, configuration or hooks changed since the first attempt; recorded' -r
complete -c handoff -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c handoff -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c handoff -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c handoff -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c handoff -l prompt -d 'Print the prompts alone and write nothing'
complete -c handoff -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c handoff -s h -l help -d 'Print this screen; --help-all has every option'
complete -c handoff -l help-all -d 'Print help with every option'
complete -c handoff -s V -l version -d 'Print the version'
