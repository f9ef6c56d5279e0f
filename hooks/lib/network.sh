# shellcheck shell=sh
# The exceptions of a proxy, and certificate authorities; sourced.

BUNDLE=/etc/ssl/certs/ca-certificates.crt
ADDED=/usr/local/share/ca-certificates

# A program that reads one case only finds the proxy too.
name_proxies_in_both_cases() {
  for name in http_proxy https_proxy all_proxy; do
    upper=$(printf %s "$name" | tr '[:lower:]' '[:upper:]')
    eval "value=\${$name:-\${$upper:-}}"
    # shellcheck disable=SC2154 # of the line above
    if [ -n "$value" ]; then export "$name=$value" "$upper=$value"; fi
  done
}

# A proxy does not reach this container: without the exceptions it could not call itself. The range is Node's form, the
# network that of curl, Go and Python.
keep_own_address_direct() {
  if [ -z "${http_proxy:-}${HTTP_PROXY:-}${https_proxy:-}${HTTPS_PROXY:-}${all_proxy:-}${ALL_PROXY:-}" ]; then return; fi
  direct=$(printf %s "${no_proxy:-${NO_PROXY:-}}" | tr -d ' ')
  name_proxies_in_both_cases
  # shellcheck disable=SC2046 # a word for each address
  for host in localhost 127.0.0.1 ::1 0.0.0.0 127.0.0.0/8 127.0.0.0-127.255.255.255 "$(hostname)" $(hostname -I); do
    case ,$direct, in *",$host,"* | *,\*,*) ;; *) direct=${direct:+$direct,}$host ;; esac
  done
  # Without it fetch and http of Node ignore these variables.
  export no_proxy="$direct" NO_PROXY="$direct" NODE_USE_ENV_PROXY="${NODE_USE_ENV_PROXY:-1}"
  export NODE_OPTIONS="${NODE_OPTIONS:+$NODE_OPTIONS }--require=/opt/svc/lib/proxy/node-loopback.cjs"
}

# Files with certificates of authorities that were added to Debian's, as far as they can be read.
added_authorities() {
  find -L "$ADDED" -type f -name '*.crt' 2>/dev/null || true
}

# Whether the system's bundle has a file's last certificate, by the last line of its text.
is_in_bundle() { # FILE
  line=$(tr -d '\r' <"$1" | awk '/END CERTIFICATE/ { last = previous } { previous = $0 } END { print last }')
  [ -z "$line" ] || grep -qxF -- "$line" "$BUNDLE"
}

# Mounted authorities enter the bundle of the system; Node and Python's requests do not read it by themselves.
settle_authorities() {
  files=$(added_authorities)
  if [ -z "$files" ]; then return; fi
  export NODE_EXTRA_CA_CERTS="${NODE_EXTRA_CA_CERTS:-$BUNDLE}" REQUESTS_CA_BUNDLE="${REQUESTS_CA_BUNDLE:-$BUNDLE}"
  while IFS= read -r file; do
    if is_in_bundle "$file"; then continue; fi
    if update-ca-certificates >/dev/null 2>&1; then return; fi
    warn "$file cannot be added to $BUNDLE: commands do not trust it"
    return
  done <<FILES
$files
FILES
}

# Chromium trusts Mozilla's authorities and those of the account's own database only.
give_authorities_to_browser() {
  files=$(added_authorities)
  if [ -z "$files" ]; then return; fi
  # shellcheck disable=SC2016 # the shell of the account expands it
  printf '%s\n' "$files" | as_account env HOME="$ACCOUNT_HOME" sh -c '
    umask 077
    database=$HOME/.pki/nssdb
    mkdir -p "$database" && scratch=$(mktemp -d) || exit 0
    [ -f "$database/cert9.db" ] || certutil -d "sql:$database" -N --empty-password
    certutil -d "sql:$database" -L | sed -n "s/^\(sandbox [0-9]*\) .*/\1/p" |
      while IFS= read -r name; do certutil -d "sql:$database" -D -n "$name"; done
    while IFS= read -r file; do cat "$file"; echo; done |
      awk -v to="$scratch" "/BEGIN CERTIFICATE/ { n++ } n { print >(to \"/\" n) }"
    for certificate in "$scratch"/*; do
      certutil -d "sql:$database" -A -t C,, -n "sandbox ${certificate##*/}" -i "$certificate"
    done
    rm -r "$scratch"' 2>/dev/null || true
}
