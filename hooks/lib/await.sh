# shellcheck shell=sh
# Waits for another program of the container; sourced. A check starts no process, so checks are cheap.

# Ends this program after 10 s; the supervisor then starts it again.
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
  for table in /proc/net/tcp /proc/net/tcp6; do
    if ! [ -r "$table" ]; then continue; fi
    while read -r _ local _ state _; do
      if [ "${local##*:}" = "$port" ] && [ "$state" = 0A ]; then return 0; fi
    done <"$table"
  done
  return 1
}

# A program that readiness does not need yields the processor to those that it needs.
await_service() {
  await daemon is_listening "${SVC_PORT:-8091}"
}
