# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_plan_parse_global_optspecs
    string join \n dialect= session= load= agents reconcile format= text list-dialects json lock-file show= profile= prepared= lint suggest list-rules explain expand= mode= each follow strict with-body q/quiet pretty config= error-format= json-schema h/help help-all V/version
end

function __fish_plan_parse_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_plan_parse_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_plan_parse_using_subcommand
    set -l cmd (__fish_plan_parse_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c plan-parse -n "__fish_plan_parse_needs_command" -l dialect -l as -d 'Read it as this dialect instead of looking' -r
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l session -d 'Read this one of several sessions' -r
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l load -d 'Read this task\'s own file too; may be given again' -r
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l format -d 'Print the answer as \'json\' or, for people, as \'text\'' -r -f -a "json\t'JSON, for programs'
text\t'Text, for people'"
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l show -d 'Print one fact about the plan instead, as a line of text' -r -f -a "dialect\t'The dialect that it is written in'
root\t'The top folder of its repository'
path\t'Where it is, as seen from there'
location\t'Where it is, from anywhere'
facts\t'What a program that conducts a run needs to know, as `facts/1`'
bead\t'The bead that it belongs to; nothing where it names none'
artifacts\t'The prepared files of a runbook with order, models and escalation, as the first lines of its run; nothing for a plan without them'
type\t'The type that it states, like `tdd`; an empty line where it states none'
profile\t'The profile that carries it out'
attempts\t'How often a worker may try a task'
max-jobs\t'How many tasks may run at once; 0 sets no limit'
approval\t'Whether a person approves the report before the work is committed: `yes` or `no`'
approval-task\t'The task that is the approval'
plan-file\t'The command lines of the profile: what prints the plan that is carried out'
prepare\t'What runs before the first round'
round\t'The pipe of one round'
follow\t'The pipe that follows the plan, for several tasks at once'
review\t'The pipe in which other workers review what waits for that'
restore-if\t'Whether `restore` runs after a round'
restore\t'The pipe that restores a gate'
between\t'What runs after each round'
settle\t'The command lines behind a round that halted a task'
repair\t'What runs where a round cannot read the plan'
halted\t'What runs for each task that is given up'
reviews\t'What prints a further plan when every task is done'
finish\t'What runs when every task is done'
unfinished\t'What runs at the end of a run that leaves tasks open'
ended\t'What runs on every way out of a run'"
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l profile -d 'With --show, the workflow whose policy is asked for (default: by the plan\'s dialect)' -r
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l prepared -d 'Fail unless everything is there that a run of this plan needs [default: always]' -r -f -a "always\t'Whatever the plan has'
if-steps\t'If the plan has step files'"
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l expand -d 'Print the plan in another shape' -r -f -a "substeps\t'Worker, Verify, Context, Checkbox and Commit of every task'
execute-task\t'The whole run of a handoff packet as a todo list'"
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l mode -d 'Where the work of an expanded plan goes' -r -f -a "pr\t'A pull request: its state begins before the work and is completed after it'
local\t'The local repository'"
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l config -d 'Configuration file (default: plantools.toml at the root, if there)' -r -F
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l agents -d 'Read the agent that the own file of each open task names, and nothing else of it'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l reconcile -d 'Report where the files of a session disagree, and which rule decided; 1 where some do'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l text -d 'The older name of \'--format text\''
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l list-dialects -d 'List the dialects that can be read'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l json -d 'The older name of \'--format json\''
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l lock-file -d 'Print the file that a run of this plan locks, making its folder'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l lint -d 'Apply every rule that a program can decide'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l suggest -d 'Suggest a check for each open task that has none'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l list-rules -d 'List the rules of --lint'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l explain -d 'Say what each line was taken as, or why not as a task'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l each -d 'Print the plan for each line of standard input, until that ends'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l follow -d 'Print the plan again whenever its files change'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l strict -d 'Treat warnings as errors'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l with-body -d 'Put each task\'s own text into the output'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -s q -l quiet -d 'Do not print warnings and hints'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l pretty -d 'Indent the JSON for people'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -l help-all -d 'Print help with every option'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -s V -l version -d 'Print the version'
complete -c plan-parse -n "__fish_plan_parse_needs_command" -a "merge" -d 'Merge three versions of a plan, as git\'s merge driver'
complete -c plan-parse -n "__fish_plan_parse_using_subcommand merge" -l marker-size -d 'The length of conflict markers: git\'s %L' -r
complete -c plan-parse -n "__fish_plan_parse_using_subcommand merge" -l ours-label -d 'The name of the current version in conflict markers: git\'s %X' -r
complete -c plan-parse -n "__fish_plan_parse_using_subcommand merge" -l theirs-label -d 'The name of the other version: git\'s %Y' -r
complete -c plan-parse -n "__fish_plan_parse_using_subcommand merge" -l error-format -d 'How errors look on stderr' -r -f -a "text\t'One line for people'
json\t'One line of `failure/1`'"
complete -c plan-parse -n "__fish_plan_parse_using_subcommand merge" -l json-schema -d 'Print the JSON Schema of the output and exit'
complete -c plan-parse -n "__fish_plan_parse_using_subcommand merge" -s h -l help -d 'Print this screen; --help-all has every option'
complete -c plan-parse -n "__fish_plan_parse_using_subcommand merge" -l help-all -d 'Print help with every option'
