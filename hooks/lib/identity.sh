# shellcheck shell=sh
# Name of the account of a container that does not start as root; sourced.

# Where libnss-extrausers looks, by a link; a container that starts as root has no such directory. The library ignores
# ids below 500, so that an entry here makes no account root or one of the system.
NSS=/run/svc/nss
FIRST_EXTRA_ID=500

# Gives the user id and the groups of this process names, without which ssh, git, whoami and D-Bus refuse to work.
settle_identity() {
  if can_switch || [ "$OWN_UID" -eq 0 ]; then return; fi
  groups=$(id -G)
  mkdir -p "$NSS"
  : >"$NSS/passwd"
  for gid in $groups; do
    if getent group "$gid" >/dev/null; then continue; fi
    printf 'group-%s:x:%s:\n' "$gid" "$gid"
  done >"$NSS/group"
  if ! getent passwd "$OWN_UID" >/dev/null; then
    if [ "$OWN_UID" -lt "$FIRST_EXTRA_ID" ]; then
      warn "uid $OWN_UID has no account, and ids below $FIRST_EXTRA_ID are the system's: ssh, git and the desktop fail;" \
        "use another id"
    else
      printf 'sandbox-%s:x:%s:%s:sandbox:%s:/bin/bash\n' "$OWN_UID" "$OWN_UID" "${groups%% *}" "$ACCOUNT_HOME" >"$NSS/passwd"
    fi
  fi
  USER=$(id -un 2>/dev/null) || USER=$OWN_UID
  export USER LOGNAME="$USER"
}

# The image's home is closed to an account without the group of root. With a proxy, Node resolves a module from the
# working directory at each start, and ends where it may not look.
leave_closed_directory() {
  if directory=$(pwd -P 2>/dev/null) && [ -x "$directory" ]; then return; fi
  cd "$ACCOUNT_HOME" 2>/dev/null || cd /
}
