# shellcheck shell=sh
# Messages of the image's scripts, in the format of the log; sourced.

# JSON, or text if the log is a terminal.
log_line() { # LEVEL MESSAGE
  if [ -t 1 ]; then
    case $1 in info) label= ;; *) label=$(printf '%s ' "$1" | tr '[:lower:]' '[:upper:]') ;; esac
    printf '%s %-14s %s%s\n' "$(date -u +%H:%M:%S)" sandbox "$label" "$2"
    return
  fi
  jq -cn --arg level "$1" --arg msg "$2" '(now * 1000 | floor) as $ms
    | ($ms / 1000 | floor | todate[:-1]) + "." + ($ms % 1000 + 1000 | tostring[1:]) + "Z"
    | {level: $level, time: ., name: "sandbox", $msg}'
}

say() {
  log_line info "$*"
}

# What an operator acts on.
warn() {
  log_line warn "$*"
}

# Ends the boot with one line that gives the reason.
refuse() {
  log_line fatal "$*" >&2
  exit 2
}

# Whether a variable's value means true; settings.sh has checked it.
is_true() {
  case $1 in
    [Tt][Rr][Uu][Ee] | 1 | [Yy][Ee][Ss] | [Oo][Nn]) return 0 ;;
    *) return 1 ;;
  esac
}
