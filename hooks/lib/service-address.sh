# shellcheck shell=sh
# Requests of scripts in the container to the service; sourced.

service_url() {
  case ${GATEWAY_HOST:-0.0.0.0} in
    0.0.0.0 | :: | '[::]') host=127.0.0.1 ;;
    *) host=$GATEWAY_HOST ;;
  esac
  printf 'http://%s:%s' "$host" "${GATEWAY_PORT:-8080}"
}

# curl reads the key from standard input, so that no process list shows it.
ask() { # TIMEOUT PATH
  key=${SVC_API_KEY:-${SANDBOX_API_KEY:-}}
  if [ -z "$key" ] && [ -n "${SVC_API_KEY_FILE:-}" ]; then key=$(tr -d '\r\n' <"$SVC_API_KEY_FILE"); fi
  if [ -n "$key" ]; then
    printf 'x-api-key: %s\n' "$key" | curl -fsS --noproxy '*' --max-time "$1" -H @- "$(service_url)$2"
  else
    curl -fsS --noproxy '*' --max-time "$1" "$(service_url)$2"
  fi
}
