# Completion of orchestrate for bash.
_orchestrate() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} words=''
  COMPREPLY=()
  case $previous in
    --worker) words='shell claude codex opencode kilo gemini goose cline aider' ;;
    --profile) words='checklist execute execute-task orchestrate-runbook workflow-execute' ;;
    --on-halt) words='ask stop continue' ;;
    --jobs | --max-attempts | --only | --resume-session | --accept-change | --budget-*) return ;;
    *)
      if [[ $current == -* ]]; then
        words='--profile --worker --jobs --max-attempts --only --resume-session --accept-change --on-halt
          --approve --push --budget-time --budget-attempts --budget-cost --pause --unpause
          --stop --prepared --wait --dry-run --help --help-all --version'
      else
        ((COMP_CWORD > 1)) || words='init doctor plans'
        mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current"; compgen -f -- "$current")
        return
      fi
      ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o filenames -F _orchestrate orchestrate
