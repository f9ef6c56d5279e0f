# shellcheck shell=sh
# The API key of the container; sourced.

KEY_FILE=/run/svc/api-key

# Moves the key from the environment, which the processes of the container would inherit, to a file that only the
# account of the daemon can read.
hide_key() {
  key=${SVC_API_KEY:-${SANDBOX_API_KEY:-}}
  unset SVC_API_KEY SANDBOX_API_KEY
  if [ -z "$key" ]; then return; fi
  case $key in
    *[!!-~]*) refuse 'SVC_API_KEY: expected visible ASCII characters' ;;
  esac
  if ! (mkdir -p /run/svc && rm -f "$KEY_FILE" && umask 077 && set -C && printf '%s\n' "$key" >"$KEY_FILE") 2>/dev/null
  then
    refuse "uid $(id -u) cannot write /run/svc: mount a tmpfs there (--tmpfs /run/svc)"
  fi
  export SVC_API_KEY_FILE="$KEY_FILE"
}

# A secret that compose copied into the container is readable for all; a mount is the operator's.
withhold_secrets() {
  if ! can_switch; then return; fi
  for secret in "${SVC_API_KEY_FILE:-}" "${SVC_CLAIM_TOKEN_FILE:-}"; do
    case $secret in
      /run/secrets/*) if ! mountpoint -q "$secret" && ! mountpoint -q /run/secrets; then chmod go= "$secret" 2>/dev/null || true; fi ;;
    esac
  done
}

# Reports a key that the account could read.
check_key_file() {
  withhold_secrets
  if [ -z "${SVC_API_KEY_FILE:-}" ]; then return; fi
  if ! can_switch; then
    warn 'commands run as the account of the daemon and can read the API key'
  elif as_account test -r "$SVC_API_KEY_FILE"; then
    warn "SVC_API_KEY_FILE: $SVC_API_KEY_FILE is readable for $ACCOUNT, and so for commands: make it root's, with mode 0600"
  fi
}
