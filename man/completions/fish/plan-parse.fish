complete -c plan-parse -l dialect -l as -d 'Read it as this dialect instead of looking' -r
complete -c plan-parse -l session -d 'Read this one of several sessions' -r
complete -c plan-parse -l load -d 'Read this task\'s own file too; may be given again' -r
complete -c plan-parse -l show -d 'Print one fact about the plan instead, as a line of text' -r -f -a "dialect\t'The dialect that it is written in'
root\t'The top folder of its repository'
path\t'Where it is, as seen from there'
bead\t'The bead that it belongs to; nothing where it names none'
type\t'The type that it states, like `tdd`; an empty line where it states none'
profile\t'The profile that carries it out'
attempts\t'How often a worker may try a task'
max-jobs\t'How many tasks may run at once; 0 sets no limit'
stages\t'The optional stages of the pipe, with blanks between them'
approval\t'Whether a person approves the report before the work is committed: `yes` or `no`'"
complete -c plan-parse -l profile -d 'With --show, the workflow whose policy is asked for (default: by the plan\'s dialect)' -r
complete -c plan-parse -l expand -d 'Print the plan in another shape' -r -f -a "substeps\t'Worker, Verify, Context, Checkbox and Commit of every task'
execute-task\t'The whole run of a handoff packet as a todo list'"
complete -c plan-parse -l mode -d 'Where the work of an expanded plan goes' -r -f -a "pr\t'A pull request: its state begins before the work and is completed after it'
local\t'The local repository'"
complete -c plan-parse -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c plan-parse -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c plan-parse -l reconcile -d 'Report where the files of a session disagree, and which rule decided; 1 where some do'
complete -c plan-parse -l text -d 'With --reconcile, print text for people; with --expand execute-task, the todo list itself'
complete -c plan-parse -l list-dialects -d 'List the dialects that can be read'
complete -c plan-parse -l json -d 'With --list-dialects, print JSON: where tasks, states, dependencies and checks stand, and an example'
complete -c plan-parse -l lock-file -d 'Print the file that a run of this plan locks, making its folder'
complete -c plan-parse -l prepared -d 'Fail unless everything is there that a run of this plan needs'
complete -c plan-parse -l lint -d 'Apply every rule that a program can decide; 1 when one warns'
complete -c plan-parse -l list-rules -d 'List the rules of --lint'
complete -c plan-parse -l explain -d 'Say what each line was taken as, or why not as a task'
complete -c plan-parse -l follow -d 'Print the plan again whenever its files change'
complete -c plan-parse -l strict -d 'Treat warnings as errors'
complete -c plan-parse -l with-body -d 'Put each task\'s own text into the output'
complete -c plan-parse -s q -l quiet -d 'Do not print warnings and hints'
complete -c plan-parse -l pretty -d 'Indent the JSON for people'
complete -c plan-parse -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c plan-parse -s h -l help -d 'Print this screen; --help-all has every option'
complete -c plan-parse -l help-all -d 'Print help with every option'
complete -c plan-parse -s V -l version -d 'Print the version'
