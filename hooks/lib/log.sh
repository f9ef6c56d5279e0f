# shellcheck shell=sh
# Messages of the image's scripts; sourced.

say() {
  printf 'sandbox: %s\n' "$*"
}

# Ends the boot with one line that gives the reason.
refuse() {
  printf 'sandbox: %s\n' "$*" >&2
  exit 2
}

# Whether a variable's value means true; settings.sh has checked it.
is_true() {
  case $1 in
    [Tt][Rr][Uu][Ee] | 1 | [Yy][Ee][Ss] | [Oo][Nn]) return 0 ;;
    *) return 1 ;;
  esac
}
