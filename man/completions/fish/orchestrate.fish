# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_orchestrate_global_optspecs
    string join \n worker= jobs= only= max-attempts= retry= push dry-run print-pipe q/quiet events= profile= worktree shared lease= sandbox resume-session= accept-change= unclear-note= allow-acts= accept= reason= on-halt= approve budget-time= budget-attempts= budget-cost= budget-tokens= budget-per-day= pause unpause stop prepared wait attended error-format= json-schema h/help help-all V/version
end

function __fish_orchestrate_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_orchestrate_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_orchestrate_using_subcommand
    set -l cmd (__fish_orchestrate_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c orchestrate -n "__fish_orchestrate_needs_command" -l worker -d 'The worker, by name or path; \'shell\' runs sh blocks' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l jobs -d 'How many tasks at once [default: 1]' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l only -d 'Only this task' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l max-attempts -d 'How often a task may be tried' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l retry -d 'Give a task all its attempts again; without an ID every open task that failed' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l events -d 'Write one line of JSON for each event to a file; \'-\' is standard output' -r -F
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l profile -d 'The workflow (default: by the plan\'s dialect)' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l lease -d 'With --shared: for how many seconds a task is claimed at a time [default: 120]' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l resume-session -d 'The session of a workflow' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l accept-change -d 'Go on although plan, configuration or hooks changed since the first attempt' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l unclear-note -d 'Carry out tasks with unclear checks too: a person judges these; recorded with the reason' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l allow-acts -d 'Let checks run that act (deploy, publish, migrate, …); recorded with the reason' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l accept -d 'Let this level of evidence tick in this run: proved, passes, reviewed, already-true or gates' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l reason -d 'Why the level of --accept is enough; recorded' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l on-halt -d 'When a task is given up (default: ask on a terminal, else continue)' -r -f -a "ask\t'Ask on a terminal, else go on'
stop\t'End the run'
continue\t'Go on with what does not depend on it'"
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l budget-time -d 'Begin nothing after this time: 90, 30m, 2h' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l budget-attempts -d 'Make no more attempts than this in all' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l budget-cost -d 'Begin nothing once the workers have cost this much' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l budget-tokens -d 'Begin nothing once the workers have used this many tokens, input and output' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l budget-per-day -d 'Begin nothing once the runs of this day (UTC) have spent this much here: dollars as 2.50, or 300000tokens' -r
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l push -d 'Push what was committed'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l dry-run -d 'Print what would run next and change nothing'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l print-pipe -d 'Print the pipe of the next round as a line for sh'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -s q -l quiet -d 'Print one line of progress instead of the rounds'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l worktree -d 'Carry the plan out in a worktree and on a branch of its own, beside the repository; again: go on there'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l shared -d 'Let other runs with --shared carry out the same plan, here or on a shared folder'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l sandbox -d 'Let workers write nothing but the tree; the ledger is out of their reach (needs bubblewrap)'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l approve -d 'Make the commits of a workflow that waits for approval'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l pause -d 'Let the run of this plan wait before its next round'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l unpause -d 'Let a paused run go on'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l stop -d 'Let the run of this plan end after this round'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l prepared -d 'Refuse a runbook that was not prepared, even one without step files'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l wait -d 'Wait for another run of the same plan instead of ending with 75'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l attended -d 'Belong to the program that started this one: end with it, and ask nothing on its terminal'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -l help-all -d 'Print help with every option'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -s V -l version -d 'Print the version'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -a "init" -d 'Write a plantools.toml, or the plugin of a client'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -a "checks" -d 'Find, try and add checks for the tasks that have none'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -a "mcp" -d 'Serve a plan to an agent as tools over MCP'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -a "undo" -d 'Take back what tasks did: revert their commits and open their boxes'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -a "blame" -d 'Find the task that broke the check of a ticked one'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -a "doctor" -d 'Say what is missing or wrong, and the command that fixes it'
complete -c orchestrate -n "__fish_orchestrate_needs_command" -a "plans" -d 'List the plans found, how far each is and what comes next'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -l for -d 'Write the plugin of this client into the project instead: its tools, hooks and skill' -r -f -a "claude\t'Claude Code: a plugin with the tools, the hooks and the skill'
codex\t'Codex: a plugin in a marketplace of the project'
gemini\t'Gemini CLI: an extension'
opencode\t'opencode: a plugin, a command and the skill'
agents\t'Any client that reads Agent Skills: the skill alone'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -l accept -d 'Write this as the weakest evidence that ticks a box: proved, passes, reviewed, already-true or gates (default: ask on a terminal, else leave it to the workflow)' -r
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -l merge-driver -d 'Let git merge plans by their tasks instead: rows in .gitattributes for the usual places of plans and for these patterns, and \'plan-parse merge\' as the driver in this clone\'s configuration' -r
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -l dry-run -d 'Print it instead'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -l undo -d 'With \'--for\' or \'--merge-driver\', take out again what it wrote'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand init" -l help-all -d 'Print help with every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand checks" -l adopt -d 'Which checks to take: ask about each on the terminal, all that are fit, only those derived without an agent, or none, which only shows the suggestions' -r -f -a "ask\t'Those that a person takes, one by one'
all\t'Every one that is fit'
suggested\t'Every fit one that was derived without an agent'
none\t'None'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand checks" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand checks" -l undo -d 'Take the adopted checks out of the plan again, byte for byte'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand checks" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand checks" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand checks" -l help-all -d 'Print help with every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand mcp" -l relay -d 'Be the worker of an attempt: hand the prompt to a server, and print the answer' -r -F
complete -c orchestrate -n "__fish_orchestrate_using_subcommand mcp" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand mcp" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand mcp" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand mcp" -l help-all -d 'Print help with every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand undo" -l reason -d 'Why; the next worker of the task reads it, and it stands in the commit message' -r
complete -c orchestrate -n "__fish_orchestrate_using_subcommand undo" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand undo" -l dependents -d 'Undo what depends on them as well'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand undo" -l soft -d 'Open the boxes and leave the commits'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand undo" -l dry-run -d 'Say what would be undone, and change nothing'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand undo" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand undo" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand undo" -l help-all -d 'Print help with every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand blame" -l worker -d 'The worker, by name or path' -r
complete -c orchestrate -n "__fish_orchestrate_using_subcommand blame" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand blame" -l reopen -d 'Open the task that broke it, and carry the plan on: its worker gets the output of the check'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand blame" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand blame" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand blame" -l help-all -d 'Print help with every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand doctor" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand doctor" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand doctor" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand doctor" -l help-all -d 'Print help with every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand plans" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c orchestrate -n "__fish_orchestrate_using_subcommand plans" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand plans" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c orchestrate -n "__fish_orchestrate_using_subcommand plans" -l help-all -d 'Print help with every option'
