complete -c dag-export -l format -d 'What to write: text, dot, mermaid, svg, json, make, ninja, slurm or parallel' -r
complete -c dag-export -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c dag-export -l list-targets -d 'List the formats'
complete -c dag-export -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c dag-export -s h -l help -d 'Print this screen; --help-all has every option'
complete -c dag-export -l help-all -d 'Print help with every option'
complete -c dag-export -s V -l version -d 'Print the version'
