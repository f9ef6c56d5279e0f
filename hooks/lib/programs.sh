# shellcheck shell=sh
# Selects the programs of the supervisor; sourced.

# Whether the image starts the browser: with another host, the browser is an external one.
runs_browser() {
  case ${BROWSER_REMOTE_DEBUGGING_HOST:-127.0.0.1} in
    127.0.0.1 | localhost | ::1) [ "${BROWSER_START_MODE:-async}" != manual ] ;;
    *) return 1 ;;
  esac
}

# Whether a service whose main loop stops is killed; settings.sh has checked the value.
has_watchdog() {
  case ${SVC_STALL_SECONDS:-10} in
    *[1-9]*) return 0 ;;
    *) return 1 ;;
  esac
}

# Names of the enabled programs, one per line.
promised_programs() {
  if has_watchdog; then echo watchdog; fi
  printf '%s\n' keeper daemon gateway xvnc window-manager
  if runs_browser; then echo chromium; fi
  if ! is_true "${DISABLE_CODE_SERVER:-true}"; then echo code-server; fi
  if ! is_true "${DISABLE_JUPYTER:-true}"; then echo jupyter; fi
}

# A disabled program has no entry in the supervisor.
link_programs() {
  if has_watchdog; then mkfifo -m 600 /run/svc/daemon.heartbeat /run/svc/gateway.heartbeat; fi
  for program in $(promised_programs); do
    ln -s "/opt/svc/programs/$program.conf" /run/svc/programs/
  done
}
