# shellcheck shell=sh
# Changes the account's ids to the owner of a mounted home; sourced.

# PUID and PGID become the account's ids. Files of the image's own home follow; a mounted home stays unchanged.
remap_account() {
  uid=$(id -u "$ACCOUNT")
  gid=$(id -g "$ACCOUNT")
  wanted_uid=${PUID:-$uid}
  wanted_gid=${PGID:-$gid}
  if [ "$wanted_uid" = "$uid" ] && [ "$wanted_gid" = "$gid" ]; then return; fi
  if [ "$(id -u)" -ne 0 ]; then
    warn "PUID and PGID need a container that starts as root: the account stays $uid:$gid"
    return
  fi
  if ! { groupmod --non-unique --gid "$wanted_gid" "$ACCOUNT" && usermod --non-unique --uid "$wanted_uid" "$ACCOUNT"; }; then
    refuse "PUID, PGID: the account cannot become $wanted_uid:$wanted_gid; /etc has to be writable for that"
  fi
  mountpoint -q "$ACCOUNT_HOME" || chown -R -h "$wanted_uid:$wanted_gid" "$ACCOUNT_HOME"
  say "the account $ACCOUNT is $wanted_uid:$wanted_gid"
}

# A home that belongs to root (docker created it for a mount, or a tmpfs) becomes the account's; files in it keep theirs.
claim_home() {
  owner=$(stat -c %u "$ACCOUNT_HOME")
  uid=$(id -u "$ACCOUNT")
  if [ "$owner" = 0 ] && has_capability "$CAP_CHOWN" && chown "$ACCOUNT:$ACCOUNT" "$ACCOUNT_HOME" 2>/dev/null; then
    chmod 755 "$ACCOUNT_HOME"
  elif ! as_account test -w "$ACCOUNT_HOME"; then
    [ -w "$ACCOUNT_HOME" ] || refuse "$ACCOUNT_HOME is on a read-only file system: mount a volume or a tmpfs there"
    is_true "${SVC_TEMPORARY_HOME:-false}" || refuse_home "$ACCOUNT, uid $uid," "set PUID=$owner, or change its owner"
    take_temporary_home "$uid"
    chown "$ACCOUNT:$ACCOUNT" "$ACCOUNT_HOME"
    usermod --home "$ACCOUNT_HOME" "$ACCOUNT" || refuse 'SVC_TEMPORARY_HOME: /etc has to be writable for that'
  fi
}

# A home that the container loses when it ends. Only the account may enter it.
take_temporary_home() { # UID
  export SVC_FALLBACK_HOME="/tmp/home-$1"
  (umask 077 && mkdir -p "$SVC_FALLBACK_HOME") 2>/dev/null ||
    refuse "uid $1 cannot write $ACCOUNT_HOME or /tmp: mount a tmpfs there"
  warn "$ACCOUNT_HOME is not writable for uid $1, programs keep their files in $SVC_FALLBACK_HOME:" \
    "mount a directory of its own there"
  case $XAUTHORITY in
    "$ACCOUNT_HOME"/*) export XAUTHORITY="$SVC_FALLBACK_HOME/${XAUTHORITY##*/}" ;;
  esac
  ACCOUNT_HOME=$SVC_FALLBACK_HOME
}

# A volume at /dev/shm outlives the container, which its files could have ended, and would end again. The initial IPC
# namespace (PROC_IPC_INIT_INO of the kernel) is the machine's.
empty_shared_memory() {
  mountpoint -q /dev/shm || return 0
  case $(stat -L -c %i /proc/self/ns/ipc 2>/dev/null) in '' | 4026531839) return ;; esac
  if can_switch; then owner=$ACCOUNT; else owner=$(id -u); fi
  find /dev/shm -xdev -mindepth 1 -user "$owner" -depth -delete 2>/dev/null || true
}

# Programs would keep their files elsewhere, and lose them with the container.
refuse_home() { # ACCOUNT REMEDY
  refuse "$ACCOUNT_HOME belongs to uid $(stat -c %u "$ACCOUNT_HOME"), and $1 cannot write there: $2"
}

# A mounted home with none of the skeleton's files gets them, from the account itself, which may have left links there.
copy_skeleton() {
  for file in /etc/skel/.[!.]*; do
    if [ -e "$ACCOUNT_HOME/${file##*/}" ]; then return; fi
  done
  as_account cp -R --no-clobber /etc/skel/. "$ACCOUNT_HOME/" 2>/dev/null || true
}

# Directories that the engine created below the image's own home on the way to a mount become the account's; a mount
# that the account cannot write is named.
settle_mounts() {
  mounts=$(grep -F -- " $ACCOUNT_HOME/" /proc/self/mountinfo) || return 0
  while read -r _ _ _ _ place options _; do
    case $place in "$ACCOUNT_HOME"/*) ;; *) continue ;; esac
    # Blanks are \040 there (proc_pid_mountinfo(5)).
    place=$(printf '%b' "$place")
    if can_switch; then claim_parents "$place"; fi
    case ,$options, in *,ro,*) continue ;; esac
    if as_account test -w "$place"; then continue; fi
    warn "$place belongs to uid $(stat -c %u "$place"), and $ACCOUNT, uid $(id -u "$ACCOUNT"), cannot write there:" \
      "change its owner, or set PUID"
  done <<MOUNTS
$mounts
MOUNTS
}

claim_parents() { # PATH
  if mountpoint -q "$ACCOUNT_HOME"; then return; fi
  parent=${1%/*}
  while [ "$parent" != "$ACCOUNT_HOME" ]; do
    if [ "$(stat -c %u "$parent")" = 0 ] && ! mountpoint -q "$parent"; then chown -h "$ACCOUNT:$ACCOUNT" "$parent"; fi
    parent=${parent%/*}
  done
}
