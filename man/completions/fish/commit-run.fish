complete -c commit-run -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c commit-run -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c commit-run -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c commit-run -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c commit-run -l land -d 'Bring the work of each order that has a worktree into the main tree, one at a time; the checks on the combined tree, the tick and the commit come behind it in the pipe'
complete -c commit-run -l pending -d 'Make the commits that are owed: tasks that are ticked on proof and not committed'
complete -c commit-run -l residual -d 'Commit what is left of the run: the plan, the context files, what workers changed'
complete -c commit-run -l bookkeeping -d 'Commit exactly the files that our own stages wrote: ticks, context, progress'
complete -c commit-run -l check-clean -d 'Say whether the tree is clean: exit 0, or 1 with the list'
complete -c commit-run -l rebuild-state -d 'Print which tasks are done, from the trailers of the commits alone'
complete -c commit-run -l push -d 'Push the branch afterwards, if a commit was made'
complete -c commit-run -l pretty -d 'Indent the JSON of `tick/1` for people'
complete -c commit-run -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c commit-run -s h -l help -d 'Print this screen; --help-all has every option'
complete -c commit-run -l help-all -d 'Print help with every option'
complete -c commit-run -s V -l version -d 'Print the version'
