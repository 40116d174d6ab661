#compdef orchestrate
# Completion of orchestrate for zsh.
_arguments \
  '--profile[the workflow]:value:(checklist execute execute-task orchestrate-runbook workflow-execute)' \
  '--worker[the worker]:value:(shell claude codex opencode kilo gemini goose cline aider)' \
  '--jobs[how many tasks at once]:value:' \
  '--max-attempts[how often a task may be tried]:value:' \
  '--only[only this task]:value:' \
  '--resume-session[the session of a workflow]:value:' \
  '--accept-change[go on although plan, configuration or hooks changed]:value:' \
  '--on-halt[when a task is given up]:value:(ask stop continue)' \
  '--approve[make the commits that wait for approval]' \
  '--push[push what was committed]' \
  '--budget-time[begin nothing after this time]:value:' \
  '--budget-attempts[make no more attempts than this]:value:' \
  '--budget-cost[begin nothing above this cost]:value:' \
  '--pause[let the run wait]' \
  '--unpause[let the run go on]' \
  '--stop[let the run end after this round]' \
  '--prepared[refuse a runbook that was not prepared]' \
  '--wait[wait for another run of the same plan]' \
  '--dry-run[print what would run next and change nothing]' \
  '(- *)'{-h,--help}'[print help]' \
  '(- *)--help-all[print help with every option]' \
  '(- *)'{-V,--version}'[print the version]' \
  '1:plan or command:{_values command init doctor plans; _files}'
