# shellcheck shell=sh
# Reports what a container with reduced privileges cannot do, and does the rest; sourced.

# If accounts cannot be changed, everything runs as the current one, commands too.
settle_for_rights() {
  if can_switch; then
    require_capabilities
    has_capability "$CAP_KILL" || warn 'without CAP_KILL commands of other accounts cannot be ended'
    if is_true "${SVC_ALLOW_SETUID:-false}"; then
      warn 'SVC_ALLOW_SETUID is set: a setuid program can make a command root'
    fi
    return
  fi
  uid=$(id -u)
  if [ "$uid" -eq 0 ]; then
    warn 'without CAP_SETUID and CAP_SETGID everything runs as root, commands and the browser too'
  else
    say "started as uid $uid: everything runs as that account, and calls that name another user are refused"
  fi
  unset SVC_DEFAULT_USER
  settle_directories "$uid"
}

# Without these, root cannot give directories to the account that it runs programs as.
require_capabilities() {
  for number in "$CAP_CHOWN" "$CAP_DAC_OVERRIDE" "$CAP_FOWNER" "$CAP_FSETID"; do
    if has_capability "$number"; then continue; fi
    refuse 'with SETUID and SETGID the container also needs CHOWN, DAC_OVERRIDE, FOWNER and FSETID:' \
      'add them, or drop these two as well'
  done
}

settle_directories() { # UID
  if ! [ -w "$ACCOUNT_HOME" ]; then
    if mountpoint -q "$ACCOUNT_HOME" && ! is_true "${SVC_TEMPORARY_HOME:-false}"; then
      refuse_home "uid $1" 'change its owner, or give it the mode 1777'
    fi
    take_temporary_home "$1"
  fi
  # Last, since the services run with this PATH too.
  export HOME="$ACCOUNT_HOME" PATH="$PATH:$ACCOUNT_HOME/.local/bin"
  if [ "$1" -ne 0 ] && [ -d "$SVC_RUNTIME_DIR" ] && ! [ -O "$SVC_RUNTIME_DIR" ]; then
    export SVC_RUNTIME_DIR="$SVC_RUNTIME_DIR/$1"
  fi
}
