# shellcheck shell=sh
# Checks every variable that the image reads; service-options.sh has the services check theirs. Sourced.

check_choice() { # NAME VALUE CHOICE...
  name=$1
  value=$2
  shift 2
  for choice in "$@"; do
    if [ "$value" = "$choice" ]; then return; fi
  done
  refuse "$name: expected one of $*, got \"$value\""
}

check_boolean() { # NAME VALUE
  check_choice "$1" "$(printf %s "$2" | tr '[:upper:]' '[:lower:]')" true false 1 0 yes no on off
}

check_pattern() { # NAME VALUE EXTENDED-REGEX EXPECTATION
  printf '%s\n' "$2" | grep -Eqx -- "$3" || refuse "$1: expected $4, got \"$2\""
}

# Chromium's start script splits the flags in the same way.
check_flags() {
  printf '%s' "${BROWSER_EXTRA_ARGS:-}" | xargs -n 1 printf '%s\n' >/dev/null 2>&1 ||
    refuse "BROWSER_EXTRA_ARGS: expected flags quoted as in a shell, got \"$BROWSER_EXTRA_ARGS\""
}

check_workspace() {
  if [ -z "${WORKSPACE:-}" ] || [ "$(readlink -m -- "$WORKSPACE")" = "$(readlink -m -- "$ACCOUNT_HOME")" ]; then return; fi
  refuse "WORKSPACE: the workspace is the home of the account, $ACCOUNT_HOME, and cannot be \"$WORKSPACE\":" \
    "mount your files there instead"
}

check_settings() {
  check_choice BROWSER_START_MODE "${BROWSER_START_MODE:-async}" async auto manual
  check_boolean DISABLE_CODE_SERVER "${DISABLE_CODE_SERVER:-true}"
  check_boolean DISABLE_JUPYTER "${DISABLE_JUPYTER:-true}"
  check_boolean DISABLE_MCP_BROWSER "${DISABLE_MCP_BROWSER:-false}"
  check_boolean SVC_ALLOW_SETUID "${SVC_ALLOW_SETUID:-false}"
  check_pattern SVC_STOP_GRACE_SECONDS "${SVC_STOP_GRACE_SECONDS:-1}" '[0-9]{1,3}(\.[0-9]+)?' 'seconds from 0 to 600'
  check_boolean RUN_HOOKS_STRICT "${RUN_HOOKS_STRICT:-false}"
  check_pattern PUID "${PUID:-1000}" '[1-9][0-9]{0,8}' 'a user id other than root'
  check_pattern PGID "${PGID:-1000}" '[1-9][0-9]{0,8}' 'a group id other than root'
  check_pattern BROWSER_RESOLUTION "${BROWSER_RESOLUTION:-1280x1024}" '[1-9][0-9]{2,3}x[1-9][0-9]{2,3}' \
    'WIDTHxHEIGHT in pixels, each from 100 to 9999'
  check_pattern BROWSER_REMOTE_DEBUGGING_PORT "${BROWSER_REMOTE_DEBUGGING_PORT:-9222}" '[1-9][0-9]{3,4}' \
    'a port from 1024 on'
  check_pattern PROXY_FORWARD_PORT "${PROXY_FORWARD_PORT:-8101}" '[1-9][0-9]{3,4}' 'a port from 1024 on'
  check_pattern MCP_SERVER_BROWSER_PORT "${MCP_SERVER_BROWSER_PORT:-8100}" '[1-9][0-9]{3,4}' 'a port from 1024 on'
  check_pattern SVC_STALL_SECONDS "${SVC_STALL_SECONDS:-10}" '0|[1-9][0-9]{0,3}(\.[0-9]+)?' \
    '0, or seconds from 1 to 3600'
  check_pattern SVC_RUNTIME_DIR "${SVC_RUNTIME_DIR:-/}" '/[^[:space:]]*' 'an absolute path without blanks'
  check_boolean BROWSER_ALLOW_FILE_SELECTION_DIALOGS "${BROWSER_ALLOW_FILE_SELECTION_DIALOGS:-true}"
  check_pattern DISPLAY "$DISPLAY" ':[0-9]{1,4}' 'a display such as :99'
  check_pattern XAUTHORITY "$XAUTHORITY" '/.*' 'an absolute path'
  check_desktop
  check_workspace
  check_timezone
  check_flags
}
