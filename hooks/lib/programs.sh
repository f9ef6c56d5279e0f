# shellcheck shell=sh
# Decides which programs the supervisor gets; sourced.

# Whether the image starts the browser itself: where another host is named, the browser is an outside one.
runs_browser() {
  case ${BROWSER_REMOTE_DEBUGGING_HOST:-127.0.0.1} in
    127.0.0.1 | localhost | ::1) [ "${BROWSER_START_MODE:-async}" != manual ] ;;
    *) return 1 ;;
  esac
}

# The names of the programs that this container promises, one a line.
promised_programs() {
  printf '%s\n' keeper daemon gateway xvnc window-manager
  if runs_browser; then echo chromium; fi
  if ! is_true "${DISABLE_CODE_SERVER:-true}"; then echo code-server; fi
  if ! is_true "${DISABLE_JUPYTER:-true}"; then echo jupyter; fi
}

# A program that is off is not known to the supervisor at all.
link_programs() {
  for program in $(promised_programs); do
    ln -s "/opt/svc/programs/$program.conf" /run/svc/programs/
  done
}
