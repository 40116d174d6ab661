# Completion of orchestrate for bash.
_orchestrate() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  case $previous in
    --worker) mapfile -t COMPREPLY < <(compgen -W shell -- "$current"); return ;;
    --jobs | --max-attempts | --only | --accept-change) return ;;
  esac
  if [[ $current == -* ]]; then
    local words='--worker --jobs --max-attempts --only --accept-change --wait --dry-run --help'
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}
complete -o filenames -F _orchestrate orchestrate
