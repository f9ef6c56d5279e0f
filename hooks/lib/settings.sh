# shellcheck shell=sh
# Checks every variable that the image reads; service-options.sh has the services check theirs. Sourced. The boot waits
# for this, so what is not set starts no process.

check_choice() { # NAME VALUE CHOICE...
  name=$1
  value=$2
  shift 2
  for choice in "$@"; do
    if [ "$value" = "$choice" ]; then return; fi
  done
  refuse "$name: expected one of $*, got \"$value\""
}

check_booleans() { # NAME...
  for name in "$@"; do
    value=
    eval "value=\${$name:-}"
    case $value in
      '' | [Tt][Rr][Uu][Ee] | [Ff][Aa][Ll][Ss][Ee] | 1 | 0 | [Yy][Ee][Ss] | [Nn][Oo] | [Oo][Nn] | [Oo][Ff][Ff]) ;;
      *) refuse "$name: expected one of true false 1 0 yes no on off, got \"$value\"" ;;
    esac
  done
}

# An empty variable has its default.
check_pattern() { # NAME EXTENDED-REGEX EXPECTATION
  value=
  eval "value=\${$1:-}"
  if [ -z "$value" ]; then return; fi
  printf '%s\n' "$value" | grep -Eqx -- "$2" || refuse "$1: expected $3, got \"$value\""
}

check_display() {
  case $DISPLAY in
    :[0-9] | :[0-9][0-9] | :[0-9][0-9][0-9] | :[0-9][0-9][0-9][0-9]) ;;
    *) refuse "DISPLAY: expected a display such as :99, got \"$DISPLAY\"" ;;
  esac
  case $XAUTHORITY in
    /*) ;;
    *) refuse "XAUTHORITY: expected an absolute path, got \"$XAUTHORITY\"" ;;
  esac
}

# Chromium's start script splits the flags in the same way.
check_flags() {
  if [ -z "${BROWSER_EXTRA_ARGS:-}" ]; then return; fi
  printf '%s' "$BROWSER_EXTRA_ARGS" | xargs -n 1 printf '%s\n' >/dev/null 2>&1 ||
    refuse "BROWSER_EXTRA_ARGS: expected flags quoted as in a shell, got \"$BROWSER_EXTRA_ARGS\""
}

check_workspace() {
  if [ -z "${WORKSPACE:-}" ] || [ "$(readlink -m -- "$WORKSPACE")" = "$(readlink -m -- "$ACCOUNT_HOME")" ]; then return; fi
  refuse "WORKSPACE: the workspace is the home of the account, $ACCOUNT_HOME, and cannot be \"$WORKSPACE\":" \
    "mount your files there instead"
}

check_settings() {
  check_choice BROWSER_START_MODE "${BROWSER_START_MODE:-async}" async auto manual
  check_booleans DISABLE_CODE_SERVER DISABLE_JUPYTER DISABLE_MCP_BROWSER SVC_ALLOW_SETUID SVC_TEMPORARY_HOME RUN_HOOKS_STRICT \
    BROWSER_ALLOW_FILE_SELECTION_DIALOGS
  check_pattern SVC_STOP_GRACE_SECONDS '[0-9]{1,3}(\.[0-9]+)?' 'seconds from 0 to 600'
  check_pattern PUID '[1-9][0-9]{0,8}' 'a user id other than root'
  check_pattern PGID '[1-9][0-9]{0,8}' 'a group id other than root'
  check_pattern BROWSER_RESOLUTION '[1-9][0-9]{2,3}x[1-9][0-9]{2,3}' 'WIDTHxHEIGHT in pixels, each from 100 to 9999'
  for port in BROWSER_REMOTE_DEBUGGING_PORT PROXY_FORWARD_PORT MCP_SERVER_BROWSER_PORT; do
    check_pattern "$port" '[1-9][0-9]{3,4}' 'a port from 1024 on'
  done
  check_pattern SVC_STALL_SECONDS '0|[1-9][0-9]{0,3}(\.[0-9]+)?' '0, or seconds from 1 to 3600'
  check_pattern SVC_RUNTIME_DIR '/[^[:space:]]*' 'an absolute path without blanks'
  check_display
  check_desktop
  check_workspace
  check_timezone
  check_flags
}
