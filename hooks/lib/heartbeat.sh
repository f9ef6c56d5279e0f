# shellcheck shell=sh
# The pipes through which the services beat and the watchdog listens; sourced.

# To be called before the account changes. Open for reading too, since a pipe without a reader would block here.
open_heartbeat() { # SERVICE
  if ! [ -p "/run/svc/$1.heartbeat" ]; then return; fi
  exec 3<>"/run/svc/$1.heartbeat"
  export SVC_HEARTBEAT_FD=3
}
