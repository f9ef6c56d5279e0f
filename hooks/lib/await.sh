# shellcheck shell=sh
# Waiting for what another program of the container brings; sourced. Nothing is started for a look, so looks are cheap.

# Ends this program, which the supervisor then tries again, where 10 s do not do.
await() { # WHAT COMMAND...
  what=$1
  shift
  tries=500
  until "$@"; do
    if [ $((tries -= 1)) -eq 0 ]; then
      echo "sandbox: no $what after 10 s" >&2
      exit 1
    fi
    sleep 0.02
  done
}

has_display() {
  [ -S "/tmp/.X11-unix/X${DISPLAY#:}" ]
}

await_display() {
  await "display $DISPLAY" has_display
}

# Whether something listens on a TCP port of this container (proc_pid_net(5): 0A is LISTEN).
is_listening() { # PORT
  port=$(printf '%04X' "$1")
  while read -r _ local _ state _; do
    if [ "${local##*:}" = "$port" ] && [ "$state" = 0A ]; then return 0; fi
  done </proc/net/tcp
  return 1
}

# What is not on the way to readiness leaves the processor to what is.
await_service() {
  await daemon is_listening "${SVC_PORT:-8091}"
}
