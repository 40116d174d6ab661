# Completion of orchestrate for fish.
complete -c orchestrate -n __fish_is_first_arg -a init -d 'Write a plantools.toml'
complete -c orchestrate -n __fish_is_first_arg -a doctor -d 'Say what is missing or wrong'
complete -c orchestrate -n __fish_is_first_arg -a plans -d 'List the plans'
complete -c orchestrate -l profile -d 'The workflow' -x -a 'checklist execute execute-task orchestrate-runbook workflow-execute'
complete -c orchestrate -l worker -d 'The worker' -x -a 'shell claude codex opencode kilo gemini goose cline aider'
complete -c orchestrate -l jobs -d 'How many tasks at once' -x
complete -c orchestrate -l max-attempts -d 'How often a task may be tried' -x
complete -c orchestrate -l only -d 'Only this task' -x
complete -c orchestrate -l resume-session -d 'The session of a workflow' -x
complete -c orchestrate -l accept-change -d 'Go on although plan, configuration or hooks changed' -x
complete -c orchestrate -l on-halt -d 'When a task is given up' -x -a 'ask stop continue'
complete -c orchestrate -l approve -d 'Make the commits that wait for approval'
complete -c orchestrate -l push -d 'Push what was committed'
complete -c orchestrate -l budget-time -d 'Begin nothing after this time' -x
complete -c orchestrate -l budget-attempts -d 'Make no more attempts than this' -x
complete -c orchestrate -l budget-cost -d 'Begin nothing above this cost' -x
complete -c orchestrate -l pause -d 'Let the run wait'
complete -c orchestrate -l unpause -d 'Let the run go on'
complete -c orchestrate -l stop -d 'Let the run end after this round'
complete -c orchestrate -l prepared -d 'Refuse a runbook that was not prepared'
complete -c orchestrate -l wait -d 'Wait for another run of the same plan'
complete -c orchestrate -l dry-run -d 'Print what would run next and change nothing'
complete -c orchestrate -s h -l help -d 'Print help'
complete -c orchestrate -l help-all -d 'Print help with every option'
complete -c orchestrate -s V -l version -d 'Print the version'
