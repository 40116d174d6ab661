# Completion of orchestrate for fish.
complete -c orchestrate -l worker -d 'The worker' -x -a shell
complete -c orchestrate -l jobs -d 'How many tasks at once' -x
complete -c orchestrate -l max-attempts -d 'How often a task may be tried' -x
complete -c orchestrate -l only -d 'Only this task' -x
complete -c orchestrate -l accept-change -d 'Go on although plan, configuration or hooks changed' -x
complete -c orchestrate -l wait -d 'Wait for another run of the same plan'
complete -c orchestrate -l dry-run -d 'Print what would run next and change nothing'
complete -c orchestrate -s h -l help -d 'Print help'
