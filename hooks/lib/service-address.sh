# shellcheck shell=sh
# Requests of scripts in the container to the service; sourced.

# Kubernetes sets NAME_PORT=tcp://... for each Service of the namespace: those of a Service named "gateway" or "svc" have
# the names of options.
drop_service_links() {
  dropped=
  for name in $(env | sed -nE 's#^((SVC|GATEWAY|BROWSER|PROXY|MCP|COMPUTER_USE)(_[A-Z0-9_]+)?_PORT)=[a-z]+://.*#\1#p'); do
    value=
    eval "value=\${$name:-}"
    case $value in
      tcp://* | udp://* | sctp://*)
        unset "$name"
        dropped="${dropped:+$dropped, }$name"
        ;;
    esac
  done
  if [ -n "$dropped" ]; then warn "ignored, since Kubernetes set it for a Service of that name: $dropped"; fi
}

service_url() {
  case ${GATEWAY_HOST:-0.0.0.0} in
    0.0.0.0 | :: | '[::]') host=127.0.0.1 ;;
    *) host=$GATEWAY_HOST ;;
  esac
  # A command of docker exec has the service links of the container.
  case ${GATEWAY_PORT:-} in '' | *://*) port=8080 ;; *) port=$GATEWAY_PORT ;; esac
  printf 'http://%s:%s' "$host" "$port"
}

# What curl reads in the engine's health check, which has no shell.
write_health_request() {
  printf 'url = "%s/health?ready"\nnoproxy = "*"\nmax-time = 4\nfail\nsilent\nshow-error\noutput = "/dev/null"\n' \
    "$(service_url)" >/run/svc/health-request
  chmod 644 /run/svc/health-request
}

listening_url() {
  printf 'http://%s:%s' "${GATEWAY_HOST:-0.0.0.0}" "${GATEWAY_PORT:-8080}"
}

# The key of the claim, which wins over the others; empty if none exists.
claimed_key() {
  claim="${SVC_RUNTIME_DIR:-/var/lib/svc}/claim.json"
  if [ -r "$claim" ]; then jq -r '.apiKey // empty' "$claim"; fi
}

# A sandbox of a pool answers public paths alone before its claim.
waits_for_claim() {
  [ -n "${SVC_CLAIM_TOKEN_FILE:-}${SVC_CLAIM_PUBLIC_KEY_FILE:-}" ] && [ ! -e "${SVC_RUNTIME_DIR:-/var/lib/svc}/claim.json" ]
}

# The key that requests need now; empty if none exists.
current_key() {
  key=$(claimed_key)
  key=${key:-${SVC_API_KEY:-${SANDBOX_API_KEY:-}}}
  if [ -z "$key" ] && [ -r "${SVC_API_KEY_FILE:-}" ]; then key=$(tr -d '\r\n' <"$SVC_API_KEY_FILE"); fi
  printf %s "$key"
}

# curl reads the key from standard input, so that no process list shows it.
ask() { # TIMEOUT PATH
  key=$(current_key)
  if [ -z "$key" ] && waits_for_claim; then
    curl -fsS --noproxy '*' --max-time "$1" "$(service_url)/health"
    return
  fi
  if [ -n "$key" ]; then
    printf 'x-api-key: %s\n' "$key" | curl -fsS --noproxy '*' --max-time "$1" -H @- "$(service_url)$2"
  else
    curl -fsS --noproxy '*' --max-time "$1" "$(service_url)$2"
  fi
}
