complete -c dag-next -l jobs -d 'How many tasks to hand out at most' -r
complete -c dag-next -l strategy -d 'Which tasks may run together (default: as the plan states, else as its dialect does)' -r -f -a "sequential\t'One at a time, in the order of the list'
parallel\t'Everything that waits for nothing'
phased\t'One phase after the other'
tdd\t'RED before GREEN before REFACTOR'
auto\t'By rule: groups together, risky tasks alone, else one at a time'"
complete -c dag-next -l only -d 'Only this task' -r
complete -c dag-next -l max-attempts -d 'How often a task may be tried' -r
complete -c dag-next -l profile -d 'The profile that says how often a task may be tried (default: by the plan\'s dialect)' -r
complete -c dag-next -l usual-attempts -d 'The older name of what a profile says; it counts where neither --max-attempts nor the configuration does' -r
complete -c dag-next -l budget-attempts -d 'Hand out nothing once this run has begun so many attempts in all' -r
complete -c dag-next -l budget-cost -d 'Hand out nothing once the workers of this run have cost so much' -r
complete -c dag-next -l budget-tokens -d 'Hand out nothing once the workers of this run have used so many tokens, input and output' -r
complete -c dag-next -l budget-per-day -d 'Hand out nothing once the runs of this day (UTC) have spent so much in this project: dollars as 2.50, or 300000tokens' -r
complete -c dag-next -l resource -d 'How many tasks may use a resource at once (default 1); may be given several times' -r
complete -c dag-next -l unclear-note -d 'Hand out tasks with unclear checks too: a person judges these; `gate-run --unclear-note` records the reason' -r
complete -c dag-next -l why -d 'Say why this task waits, down to the root of it' -r
complete -c dag-next -l retry -d 'Give a task all its attempts again' -r
complete -c dag-next -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c dag-next -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c dag-next -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c dag-next -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c dag-next -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c dag-next -l review -d 'Hand out only the work that waits for a review, where the configuration names a reviewer and accepts one'
complete -c dag-next -l follow -d 'Read a stream of plans, as `plan-parse --follow` writes it, watch the ledger, and hand out each task as it becomes ready; --jobs is then how many may be worked on at once'
complete -c dag-next -l each -d 'Read one plan a line, as `plan-parse --each` writes them, and answer each with the orders of a round and its `end/1`'
complete -c dag-next -l shared -d 'Other runs carry out the same plan: say in each order which claim on its task it comes after, and where several are as good begin elsewhere than the others do'
complete -c dag-next -l unchecked -d 'Hand out every open task without a check that can be run, whatever it waits for; for \'handoff --for check\''
complete -c dag-next -l status -d 'Print where the plan stands instead; the exit code says it too'
complete -c dag-next -l human -d 'List the tasks that are for a person'
complete -c dag-next -l given-up -d 'List the tasks that are given up in this run: id, reason, code word and next command, with tabs between'
complete -c dag-next -l rounds -d 'Print the whole schedule instead, with the critical path'
complete -c dag-next -l text -d 'The older name of \'--format text\''
complete -c dag-next -l pretty -d 'Indent the JSON of --status, --why and --rounds for people'
complete -c dag-next -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c dag-next -s h -l help -d 'Print this screen; --help-all has every option'
complete -c dag-next -l help-all -d 'Print help with every option'
complete -c dag-next -s V -l version -d 'Print the version'
