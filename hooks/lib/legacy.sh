# shellcheck shell=sh
# Variables of the 1.x images; sourced.

POLICY=/etc/chromium/policies/managed/sandbox-1x.json
# Of parts that this version does not have, or has on sockets.
WITHOUT_EFFECT='AUTH_TOKEN WAIT_PORTS CODE_SERVER_PORT JUPYTER_LAB_PORT SANDBOX_SRV_PORT AUTH_BACKEND_PORT
  GEM_SERVER_PORT MCP_HUB_PORT VNC_SERVER_PORT WEBSOCKET_PROXY_PORT TINYPROXY_PORT MCP_SERVER_MARKITDOWN_PORT
  MCP_SERVER_CHROME_DEVTOOLS_PORT DISABLE_NODEJS_REPL SANDBOX_SHUTDOWN_HOOKS BROWSER_NO_SANDBOX BROWSER_DOWNLOAD_DIR'

# compose leaves the quotes of `- NAME="value"` in the value.
unquoted() { # VALUE
  case $1 in
    \"*\" | \'*\')
      inner=${1#?}
      printf %s "${inner%?}"
      ;;
    *) printf %s "$1" ;;
  esac
}

# Gives what 1.x named otherwise the name of today, and names what has no effect in one line.
adopt_old_variables() {
  if [ -n "${WORKSPACE:-}" ]; then
    WORKSPACE=$(unquoted "$WORKSPACE")
    export WORKSPACE
  fi
  if [ -n "${CHROME_UI_LANG:-}" ]; then export BROWSER_LANG="${BROWSER_LANG:-$(unquoted "$CHROME_UI_LANG")}"; fi
  if [ -n "${DISPLAY_WIDTH:-}" ] && [ -n "${DISPLAY_HEIGHT:-}" ]; then
    export BROWSER_RESOLUTION="${BROWSER_RESOLUTION:-${DISPLAY_WIDTH}x$DISPLAY_HEIGHT}"
  fi
  name_without_effect
}

name_without_effect() {
  found=
  for name in $WITHOUT_EFFECT; do
    value=
    eval "value=\${$name:-}"
    if [ -n "$value" ]; then found="${found:+$found, }$name"; fi
  done
  public=${GATEWAY_PORT:-8080}
  if [ "${PUBLIC_PORT:-$public}" != "$public" ]; then found="${found:+$found, }PUBLIC_PORT"; fi
  if [ -n "$found" ]; then warn "variables of 1.x without effect, see docs/compatibility.md: $found"; fi
}

# Chromium reads these two from a policy only.
write_browser_policy() {
  dns=$(unquoted "${DNS_OVER_HTTPS_TEMPLATES:-}")
  dialogs=${BROWSER_ALLOW_FILE_SELECTION_DIALOGS:-}
  if [ -z "$dns$dialogs" ]; then return; fi
  if is_true "${dialogs:-true}"; then allowed=true; else allowed=false; fi
  (mkdir -p "${POLICY%/*}" && jq -n --arg dns "$dns" --argjson dialogs "$allowed" '
    {AllowFileSelectionDialogs: $dialogs}
    + if $dns == "" then {} else {DnsOverHttpsMode: "secure", DnsOverHttpsTemplates: $dns} end' >"$POLICY") 2>/dev/null ||
    warn "DNS_OVER_HTTPS_TEMPLATES and BROWSER_ALLOW_FILE_SELECTION_DIALOGS have no effect: uid $(id -u) cannot write $POLICY"
}
