#compdef orchestrate
# Completion of orchestrate for zsh.
_arguments \
  '--worker[the worker]:name:(shell)' \
  '--jobs[how many tasks at once]:number:' \
  '--max-attempts[how often a task may be tried]:number:' \
  '--only[only this task]:id:' \
  '--accept-change[go on although plan, configuration or hooks changed]:reason:' \
  '--wait[wait for another run of the same plan]' \
  '--dry-run[print what would run next and change nothing]' \
  '(- *)'{-h,--help}'[print help]' \
  '1:plan:_files'
