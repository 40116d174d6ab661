complete -c plan-parse -l dialect -d 'Read it as this dialect instead of looking' -r
complete -c plan-parse -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c plan-parse -l list-dialects -d 'List the dialects that can be read'
complete -c plan-parse -l lock-file -d 'Print the file that a run of this plan locks, making its folder'
complete -c plan-parse -l strict -d 'Treat warnings as errors'
complete -c plan-parse -l with-body -d 'Put each task\'s own text into the output'
complete -c plan-parse -s q -l quiet -d 'Do not print warnings and hints'
complete -c plan-parse -l pretty -d 'Indent the JSON for people'
complete -c plan-parse -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c plan-parse -s h -l help -d 'Print help (see more with \'--help\')'
complete -c plan-parse -s V -l version -d 'Print version'
