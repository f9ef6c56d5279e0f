# shellcheck shell=sh
# The account that programs run as; sourced.

ACCOUNT=sandbox
# Another directory only if the account that runs everything cannot use this one.
ACCOUNT_HOME=${SVC_FALLBACK_HOME:-/home/sandbox}
# Sockets of the account's programs; the gateway's group may enter and connect.
SOCKETS=/run/svc/user

CAP_CHOWN=0
CAP_KILL=5
CAP_SETGID=6
CAP_SETUID=7

# Whether this process holds a capability, by its number (capabilities(7)).
has_capability() {
  effective=$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status)
  [ $((0x$effective >> $1 & 1)) -eq 1 ]
}

# Only root with both capabilities can run a program as another account.
can_switch() {
  [ "$(id -u)" -eq 0 ] && has_capability "$CAP_SETUID" && has_capability "$CAP_SETGID"
}

# Removes the product's variables, keys above all, from the environment.
forget_secrets() {
  for name in $(env | sed -n 's/^\(\(SVC\|GATEWAY\|RUN_HOOK\|SUPERVISOR\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
  done
  unset SANDBOX_API_KEY JWT_PUBLIC_KEY RUN_HOOKS_STRICT
}

# Replaces this shell with a program that runs as the account, in its home and without the product's variables.
exec_as_account() {
  forget_secrets
  export HOME="$ACCOUNT_HOME" USER="$ACCOUNT" LOGNAME="$ACCOUNT" SHELL=/bin/bash
  cd "$HOME" || exit 1
  if can_switch; then
    exec setpriv --reuid="$ACCOUNT" --regid="$ACCOUNT" --init-groups --inh-caps=-all -- "$@"
  fi
  exec "$@"
}
