complete -c context-save -l show -d 'Print what this task would inherit from those it waits for' -r
complete -c context-save -l repair -d 'Write a missing session file, and restore files that are no JSON from a snapshot' -r -F
complete -c context-save -l complete -d 'Complete a session: its own status, the archive, the manifest' -r -F
complete -c context-save -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c context-save -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c context-save -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c context-save -l snapshot -d 'Copy the list, the task files and the session file to \'.plantools/snapshots\''
complete -c context-save -l pretty -d 'Indent the JSON of `inherit/1` for people'
complete -c context-save -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c context-save -s h -l help -d 'Print this screen; --help-all has every option'
complete -c context-save -l help-all -d 'Print help with every option'
complete -c context-save -s V -l version -d 'Print the version'
