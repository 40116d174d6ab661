complete -c worker-run -l worker -d 'Use this worker; a wrong name lists those that exist' -r
complete -c worker-run -l jobs -d 'How many workers may run at once' -r
complete -c worker-run -l timeout-seconds -d 'How many seconds a worker may take' -r
complete -c worker-run -l stall-seconds -d 'How many seconds a worker may be silent' -r
complete -c worker-run -l grace-seconds -d 'How long a worker has to end after it was asked to' -r
complete -c worker-run -l isolate -d 'Give each order a tree of its own and hand it on as it finishes; `commit-run land` brings it in' -r -f -a "none\t'Nothing: all share the working tree'
worktree\t'A git worktree and a branch for each'"
complete -c worker-run -l lease -d 'For how long a task is claimed at a time (default: as configured, else 120)' -r
complete -c worker-run -l contain -d 'Give the worker a PID namespace of its own' -r -f -a "auto\t'Where it can be had'
none\t'No'
pidns\t'Yes, or no worker at all'"
complete -c worker-run -l reports -d 'With --preflight: refuse a worker that does not report this of its use' -r -f -a "cost\t'What it cost in dollars; [prices] in plantools.toml gives it too, for a worker that reports tokens'
tokens\t'Tokens, input and output'"
complete -c worker-run -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c worker-run -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c worker-run -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c worker-run -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c worker-run -l shared -d 'Other runs carry out the same plan: claim each task, renew the claim while it is under way, and take no task that another run has claimed'
complete -c worker-run -l sandbox -d 'Let the worker write nothing but its tree'
complete -c worker-run -l worker-dry-run -d 'Print the exact command lines and start nothing'
complete -c worker-run -l preflight -d 'Read a plan instead of orders, and check that every open task has a worker; start nothing'
complete -c worker-run -l drive-acp -d 'Drive COMMAND, which speaks the Agent Client Protocol: the process of an attempt'
complete -c worker-run -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c worker-run -s h -l help -d 'Print this screen; --help-all has every option'
complete -c worker-run -l help-all -d 'Print help with every option'
complete -c worker-run -s V -l version -d 'Print the version'
