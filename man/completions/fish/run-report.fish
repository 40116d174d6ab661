complete -c run-report -l worker -d 'With --end, the worker of the run, for the next command' -r
complete -c run-report -l begins -d 'With \'--format todowrite\', show the tasks of these orders, which begin now, as in progress; \'-\' is standard input' -r -F
complete -c run-report -l why -d 'Tell the whole story of one task\'s box: its checks before and after, attempts, trees, commit' -r
complete -c run-report -l only -d 'The task that was asked for alone: what else is left is not said' -r
complete -c run-report -l mode -d 'With --final, where the work went, like \'PR #7\' (default: Local)' -r
complete -c run-report -l format -d 'How it is printed' -r -f -a "text\t'For people, as the plan\'s own workflow prints it'
md\t'Markdown, as the plan\'s own workflow writes it'
json\t'One `report/1` document'
html\t'One page that stands alone'
todowrite\t'The list that an agent\'s todo tool takes'
otlp\t'Traces of the runs for a collector of OpenTelemetry, as OTLP-JSON'
ndjson\t'With --follow or --once: one `event/1` line for each event'"
complete -c run-report -l run -d 'Name of the run (default: `$PLANTOOLS_RUN`, else the time and the process id)' -r
complete -c run-report -l now -d 'Time to use instead of the clock\'s, RFC 3339 in UTC' -r
complete -c run-report -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c run-report -l final -d 'Print the final report of a plan'
complete -c run-report -l end -d 'Print the end of a run in ten lines: what is done, what is open and why, and the next command'
complete -c run-report -l check -d 'Answer whether everything is done: exit 0, or 1 with each open item named; 5 where only a person can settle them'
complete -c run-report -l follow -d 'Show a board of the plan that follows what happens'
complete -c run-report -l once -d 'Print the board one time'
complete -c run-report -l each -d 'Read one round after the other, and close each with an `end/1` line that has its exit code'
complete -c run-report -l pushed -d 'With --check, the branch must be pushed too'
complete -c run-report -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c run-report -s h -l help -d 'Print this screen; --help-all has every option'
complete -c run-report -l help-all -d 'Print help with every option'
complete -c run-report -s V -l version -d 'Print the version'
