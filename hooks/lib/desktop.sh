# shellcheck shell=sh
# The desktop environment and its session bus; sourced.

# What the programs of a session keep there: the bus, and what they start on it.
SESSION=/run/svc/session

has_desktop() {
  [ "${SVC_DESKTOP:-none}" = xfce ]
}

# Whether programs of the desktop tell their content to the worker.
has_accessibility() {
  has_desktop && is_true "${ENABLE_DBUS:-true}"
}

check_desktop() {
  check_choice SVC_DESKTOP "${SVC_DESKTOP:-none}" xfce none
  check_booleans ENABLE_DBUS
  if has_desktop && ! command -v xfwm4 >/dev/null; then
    refuse 'SVC_DESKTOP: this image has no desktop environment: use the desktop image, or none'
  fi
}

# Commands find the bus too, so that what they start is part of the session.
settle_session() {
  if ! has_desktop; then return; fi
  mkdir -p "$SESSION"
  chmod 700 "$SESSION"
  if can_switch; then chown "$ACCOUNT:" "$SESSION"; fi
  export XDG_RUNTIME_DIR="$SESSION" XDG_CURRENT_DESKTOP=XFCE XDG_MENU_PREFIX=xfce-
  if has_accessibility; then
    export DBUS_SESSION_BUS_ADDRESS="unix:path=$SESSION/bus" ACCESSIBILITY_ENABLED=1
  fi
}

# For the programs of XFCE, which keep their settings by the bus, also if nothing else is told of it.
exec_in_session() {
  export DBUS_SESSION_BUS_ADDRESS="unix:path=$SESSION/bus"
  if ! has_accessibility; then export NO_AT_BRIDGE=1; fi
  exec_as_account "$@"
}

has_session_bus() {
  [ -S "$SESSION/bus" ]
}
