# shellcheck shell=sh
# The account that programs run as; sourced.

ACCOUNT=sandbox
# Another directory only if the account that runs everything cannot use this one.
ACCOUNT_HOME=${SVC_FALLBACK_HOME:-/home/sandbox}
# Sockets of the account's programs; the gateway's group may enter and connect.
SOCKETS=/run/svc/user

CAP_CHOWN=0
CAP_DAC_OVERRIDE=1
CAP_FOWNER=3
CAP_FSETID=4
CAP_KILL=5
CAP_SETGID=6
CAP_SETUID=7
CAP_SETPCAP=8

# Effective user and capabilities of this process, of which a script asks the kernel once (proc_pid_status(5)).
OWN_UID=
OWN_CAPABILITIES=
know_rights() {
  if [ -n "$OWN_CAPABILITIES" ]; then return; fi
  # shellcheck disable=SC2046 # two words
  set -- $(sed -n -e 's/^Uid:\s*\S*\s*\(\S*\).*/\1/p' -e 's/^CapEff:\s*//p' /proc/self/status)
  OWN_UID=$1
  OWN_CAPABILITIES=$2
}

# Whether this process holds a capability, by its number (capabilities(7)).
has_capability() {
  know_rights
  [ $((0x$OWN_CAPABILITIES >> $1 & 1)) -eq 1 ]
}

# Only root with both capabilities can run a program as another account.
can_switch() {
  know_rights
  [ "$OWN_UID" -eq 0 ] && has_capability "$CAP_SETUID" && has_capability "$CAP_SETGID"
}

# Removes the product's variables, keys above all, from the environment.
forget_secrets() {
  for name in $(env | sed -n 's/^\(\(SVC\|GATEWAY\|RUN_HOOK\|SUPERVISOR\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
  done
  unset SANDBOX_API_KEY JWT_PUBLIC_KEY RUN_HOOKS_STRICT
}

# Options of setpriv under which no program gains privileges, by a setuid file or otherwise. Without CAP_SETPCAP the
# bounding set stays, which then has no effect.
without_gains() {
  printf %s --no-new-privs
  if has_capability "$CAP_SETPCAP"; then printf ' --bounding-set=-all'; fi
}

# The same for programs in which the account runs commands of its own; SVC_ALLOW_SETUID leaves those unchanged.
without_gains_unless_allowed() {
  is_true "${SVC_ALLOW_SETUID:-false}" || without_gains
}

# Runs a program as the account, or as the current one if accounts cannot be changed.
as_account() {
  if ! can_switch; then
    "$@"
    return
  fi
  # shellcheck disable=SC2046 # options
  setpriv --reuid="$ACCOUNT" --regid="$ACCOUNT" --init-groups --inh-caps=-all $(without_gains) -- "$@"
}

# Replaces this shell with a program that runs as the account, in its home, without the product's variables and without
# a way to gain privileges.
exec_as_account() {
  exec_with "$(without_gains)" "$@"
}

# The same for a program in which the account runs commands of its own. What it installed for itself comes first on
# PATH, but not before the account has changed.
exec_workplace() {
  exec_with "$(without_gains_unless_allowed)" /usr/bin/env "PATH=$ACCOUNT_HOME/.local/bin:$PATH" "$@"
}

exec_with() { # OPTIONS PROGRAM...
  options=$1
  shift
  if can_switch; then
    options="--reuid=$ACCOUNT --regid=$ACCOUNT --init-groups --inh-caps=-all --ambient-caps=-all $options"
    USER=$ACCOUNT
  else
    options=${options%% *}
  fi
  forget_secrets
  export HOME="$ACCOUNT_HOME" USER="${USER:-root}" SHELL=/bin/bash
  export LOGNAME="$USER"
  cd "$HOME" || exit 1
  if [ -z "$options" ]; then exec "$@"; fi
  # shellcheck disable=SC2086 # options
  exec setpriv $options -- "$@"
}
