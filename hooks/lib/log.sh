# shellcheck shell=sh
# How the image's own scripts speak; sourced.

say() {
  printf 'sandbox: %s\n' "$*"
}

# Ends the boot with the one line that says why.
refuse() {
  printf 'sandbox: %s\n' "$*" >&2
  exit 2
}

# Whether a variable's value means true; the settings have been checked before.
is_true() {
  case $(printf %s "$1" | tr '[:upper:]' '[:lower:]') in
    true | 1 | yes | on) return 0 ;;
    *) return 1 ;;
  esac
}
