# shellcheck shell=sh
# Selects the programs of the supervisor; sourced.

START_BROWSER=/run/svc/start-browser

# Whether the image has a display, and with it a browser; sandbox-daemon:core has neither.
has_display_server() {
  command -v Xtigervnc >/dev/null
}

# Options that request a part which this image lacks.
check_parts() {
  if ! is_true "${DISABLE_CODE_SERVER:-true}"; then require_part code-server DISABLE_CODE_SERVER; fi
  if ! is_true "${DISABLE_JUPYTER:-true}"; then require_part jupyter DISABLE_JUPYTER; fi
  if [ "${BROWSER_START_MODE:-async}" = auto ] && has_own_browser; then require_part chromium BROWSER_START_MODE; fi
}

require_part() { # PROGRAM VARIABLE
  command -v "$1" >/dev/null || refuse "$2: this image has no $1: use the full sandbox-daemon or sandbox-desktop"
}

# Programs of an image without a display must not look for one, nor the daemon for the starter of the browser.
forget_display() {
  if ! has_display_server; then unset DISPLAY XAUTHORITY SVC_BROWSER_STARTER; fi
}

# Whether the DevTools are those of a browser in this container.
has_own_browser() {
  case ${BROWSER_REMOTE_DEBUGGING_HOST:-127.0.0.1} in
    127.0.0.1 | localhost | ::1) return 0 ;;
    *) return 1 ;;
  esac
}

# Whether the browser is the image's: with another host, it is an external one.
has_browser() {
  has_display_server && has_own_browser
}

# Whether the image starts the browser without being asked.
runs_browser() {
  has_browser && [ "${BROWSER_START_MODE:-async}" != manual ]
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
  printf '%s\n' keeper daemon gateway
  if has_display_server; then printf '%s\n' xvnc window-manager; fi
  if has_desktop; then printf '%s\n' session-bus settings panel desktop computer-use; fi
  if runs_browser; then echo chromium; fi
  if has_browser && [ -f /run/svc/proxy-forwarder ]; then echo proxy-forwarder; fi
  if has_display_server && ! is_true "${DISABLE_MCP_BROWSER:-false}"; then echo browser-mcp; fi
  if ! is_true "${DISABLE_CODE_SERVER:-true}"; then echo code-server; fi
  if ! is_true "${DISABLE_JUPYTER:-true}"; then echo jupyter; fi
}

# Where a program that has an address of its own has to answer; nothing for others.
address_of() { # PROGRAM
  case $1 in
    chromium) echo "http://${BROWSER_REMOTE_DEBUGGING_HOST:-127.0.0.1}:${BROWSER_REMOTE_DEBUGGING_PORT:-9222}/json/version" ;;
    computer-use) echo "http://127.0.0.1:${COMPUTER_USE_PORT:-18100}/healthz" ;;
    code-server) echo "unix:$SOCKETS/code-server.sock:/healthz" ;;
    jupyter) echo "unix:$SOCKETS/jupyter.sock:/jupyter/api" ;;
  esac
}

# A disabled program has no entry in the supervisor.
link_programs() {
  if has_watchdog; then
    mkfifo -m 600 /run/svc/daemon.heartbeat /run/svc/gateway.heartbeat
    if has_desktop; then mkfifo -m 600 /run/svc/computer-use.heartbeat; fi
  fi
  set --
  for program in $(promised_programs); do
    echo "$program $(address_of "$program")"
    set -- "$@" "/opt/svc/programs/$program.conf"
  done >/run/svc/promised-programs
  ln -s "$@" /run/svc/programs/
  if has_browser; then accept_start_requests; fi
}

# supervisord starts the browser when the account or the daemon writes to the FIFO. With the start mode manual it knows
# the browser too, and restarts it after a crash only, so that a person can close it. An exit within `startsecs` would
# count as a failed start, hence 0.
accept_start_requests() {
  mkfifo -m 620 "$START_BROWSER"
  if can_switch; then chgrp "$ACCOUNT" "$START_BROWSER"; fi
  if ! runs_browser; then
    sed -e 's/^autorestart=.*/autorestart=unexpected/' -e 's/^startsecs=.*/startsecs=0/' \
      -e '/^\[program:/a autostart=false' /opt/svc/programs/chromium.conf >/run/svc/programs/chromium.conf
  fi
}
