# shellcheck shell=sh
# Waits for another program of the container; sourced.

# Ends this program after 10 s; the supervisor then starts it again.
await() { # WHAT COMMAND...
  what=$1
  shift
  tries=200
  until "$@"; do
    if [ $((tries -= 1)) -eq 0 ]; then
      warn "no $what after 10 s"
      exit 1
    fi
    sleep 0.05
  done
}

has_display() {
  [ -S "/tmp/.X11-unix/X${DISPLAY#:}" ]
}

await_display() {
  await "display $DISPLAY" has_display
}

# Whether something listens on a TCP port of this container (proc_pid_net(5): 0A is LISTEN). The shell itself would read
# these tables byte by byte.
is_listening() { # PORT
  port=$(printf '%04X' "$1")
  grep -Eqs "^ *[0-9]+: [0-9A-F]+:$port [0-9A-F]+:0000 0A " /proc/net/tcp /proc/net/tcp6
}

# A program that readiness does not need yields the processor to those that it needs.
await_service() {
  await daemon is_listening "${SVC_PORT:-8091}"
}
