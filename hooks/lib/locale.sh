# shellcheck shell=sh
# Time zone and locales; sourced.

# The names of TZ that tzset(3) knows: a file of the database, or a rule such as CET-1CEST.
check_timezone() {
  zone=${TZ:-}
  zone=${zone#:}
  case $zone in
    '') return ;;
    /*) if [ -f "$zone" ]; then return; fi ;;
    *..*) ;;
    *)
      if [ -f "/usr/share/zoneinfo/$zone" ]; then return; fi
      if printf '%s\n' "$zone" | grep -Eqx '([A-Za-z]{3,9}|<[A-Za-z0-9+-]{3,9}>)[+-]?[0-9]{1,2}(:[0-9]{2}){0,2}.{0,80}'; then
        return
      fi
      ;;
  esac
  refuse "TZ: expected a name such as Europe/Berlin, got \"$TZ\""
}

# A locale's name as `locale -a` prints it: de_DE.utf8 for de_DE.UTF-8.
canonical_locale() { # NAME
  case $1 in
    *.*)
      codeset=${1#*.}
      modifier=
      case $codeset in *@*) modifier=@${codeset#*@} ;; esac
      printf '%s.%s%s\n' "${1%%.*}" "$(printf %s "${codeset%%@*}" | tr '[:upper:]' '[:lower:]' | tr -d -)" "$modifier"
      ;;
    *) printf '%s\n' "$1" ;;
  esac
}

# glibc has only C.UTF-8 until others are generated, and programs complain about the rest.
generate_locales() {
  known=
  for variable in LC_ALL LANG LC_CTYPE LC_COLLATE LC_MESSAGES LC_NUMERIC LC_TIME; do
    name=
    eval "name=\${$variable:-}"
    case $name in '' | C | POSIX | C.*) continue ;; esac
    name=$(canonical_locale "$name")
    case " $known " in *" $name "*) continue ;; esac
    known="$known $name"
    if locale -a 2>/dev/null | grep -qxF -- "$name"; then continue; fi
    generate_locale "$variable" "$name"
  done
}

generate_locale() { # VARIABLE NAME
  [ -f /usr/share/i18n/SUPPORTED ] || refuse "$1: this image has the locale C.UTF-8 only: use the full sandbox-daemon"
  while read -r supported charmap; do
    if [ "$(canonical_locale "$supported")" != "$2" ]; then continue; fi
    language=${supported%%.*}
    case $supported in *@*) language=$language@${supported#*@} ;; esac
    localedef --inputfile="$language" --charmap="$charmap" "$supported" 2>/dev/null ||
      warn "$1: the locale $supported cannot be generated here, and programs may complain about it"
    return
  done <<SUPPORTED
$(grep -F -- "${2%%.*}" /usr/share/i18n/SUPPORTED)
SUPPORTED
  refuse "$1: glibc has no locale \"$(printenv "$1")\""
}
