# shellcheck shell=sh
# Has the daemon and the gateway check their options before the supervisor starts them; sourced.

# The options that the image itself sets are right, and so are these; with others the services have to be asked, which
# takes 0.2 s.
has_options() {
  env | grep -E '^(SVC_|GATEWAY_|LOG_LEVEL=|MCP_|EXTRA_MCP_)' |
    grep -qvxF -f /opt/svc/lib/options-of-image -e "SVC_API_KEY_FILE=$KEY_FILE" -e SVC_KERNEL_ZYGOTE=use
}

# In the background, while the boot continues.
begin_check() {
  sandboxd check >/run/svc/daemon.check 2>&1 &
  daemon_check=$!
  node --max-semi-space-size=4 /opt/svc/product/gateway.mjs check >/run/svc/gateway.check 2>&1 &
  gateway_check=$!
}

# A hook may create the account of SVC_DEFAULT_USER, or a file that an option names.
begin_check_early() {
  if [ -n "${RUN_HOOK_PRE_SERVICES:-}$(ls -A /opt/svc/hooks.d/pre-services)" ]; then return; fi
  is_early=true
  if has_options; then begin_check; fi
}

end_check() {
  if [ -z "${is_early:-}" ] && has_options; then begin_check; fi
  if [ -n "${daemon_check:-}" ]; then
    wait "$daemon_check" || refuse "$(sed 's/^[a-z]*: //' /run/svc/daemon.check)"
    wait "$gateway_check" || refuse "$(sed 's/^[a-z]*: //' /run/svc/gateway.check)"
  fi
  check_ports "${GATEWAY_PORT:-8080}" "${SVC_PORT:-8091}"
}

check_ports() { # GATEWAY DAEMON
  if [ "$1" -eq 0 ]; then refuse 'GATEWAY_PORT: expected a port of the container, got "0"'; fi
  if [ "$1" -eq "$2" ]; then refuse "GATEWAY_PORT, SVC_PORT: both services have port $1"; fi
  browser=${BROWSER_REMOTE_DEBUGGING_PORT:-9222}
  if [ "$browser" -gt 65535 ]; then
    refuse "BROWSER_REMOTE_DEBUGGING_PORT: expected a port from 1024 to 65535, got \"$browser\""
  fi
  if runs_browser && { [ "$browser" -eq "$1" ] || [ "$browser" -eq "$2" ]; }; then
    refuse "BROWSER_REMOTE_DEBUGGING_PORT: $browser is the port of a service"
  fi
}
