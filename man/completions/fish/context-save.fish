complete -c context-save -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c context-save -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c context-save -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c context-save -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c context-save -s h -l help -d 'Print help (see more with \'--help\')'
complete -c context-save -s V -l version -d 'Print version'
