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
    say "PUID and PGID need a container that starts as root: the account stays $uid:$gid"
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
  elif [ "$owner" != "$uid" ]; then
    say "$ACCOUNT_HOME belongs to uid $owner, and the account is uid $uid: set PUID=$owner to let it write there"
  fi
}
