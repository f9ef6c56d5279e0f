# shellcheck shell=sh
# Checks every variable that the image reads; the daemon and the gateway check their own. Sourced.

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

check_settings() {
  check_choice BROWSER_START_MODE "${BROWSER_START_MODE:-async}" async auto manual
  check_boolean DISABLE_CODE_SERVER "${DISABLE_CODE_SERVER:-true}"
  check_boolean DISABLE_JUPYTER "${DISABLE_JUPYTER:-true}"
  check_boolean SVC_ALLOW_SETUID "${SVC_ALLOW_SETUID:-false}"
  check_pattern SVC_STOP_GRACE_SECONDS "${SVC_STOP_GRACE_SECONDS:-1}" '[0-9]{1,3}(\.[0-9]+)?' 'seconds from 0 to 600'
  check_boolean RUN_HOOKS_STRICT "${RUN_HOOKS_STRICT:-false}"
  check_pattern PUID "${PUID:-1000}" '[1-9][0-9]{0,8}' 'a user id other than root'
  check_pattern PGID "${PGID:-1000}" '[1-9][0-9]{0,8}' 'a group id other than root'
  check_pattern BROWSER_RESOLUTION "${BROWSER_RESOLUTION:-1280x1024}" '[1-9][0-9]{2,3}x[1-9][0-9]{2,3}' \
    'WIDTHxHEIGHT in pixels, each from 100 to 9999'
  check_pattern BROWSER_REMOTE_DEBUGGING_PORT "${BROWSER_REMOTE_DEBUGGING_PORT:-9222}" '[1-9][0-9]{3,4}' \
    'a port from 1024 on'
  check_pattern SVC_STALL_SECONDS "${SVC_STALL_SECONDS:-10}" '0|[1-9][0-9]{0,3}(\.[0-9]+)?' \
    '0, or seconds from 1 to 3600'
  check_pattern SVC_RUNTIME_DIR "${SVC_RUNTIME_DIR:-/}" '/[^[:space:]]*' 'an absolute path without blanks'
  if [ "${WORKSPACE:-$ACCOUNT_HOME}" != "$ACCOUNT_HOME" ]; then
    refuse "WORKSPACE: the workspace is the home of the account, $ACCOUNT_HOME, and cannot be \"$WORKSPACE\":" \
      "mount your files there instead"
  fi
}
