# shellcheck shell=bash
# A login shell of a terminal finds the programs that commands find: the PATH it was started with, which /etc/profile
# has replaced.
if [ -n "${BASH_VERSION-}" ] && [ -n "${SVC_COMMAND_ID-}" ]; then
  while IFS= read -r -d '' variable; do
    case $variable in PATH=*) PATH=${variable#PATH=} ;; esac
  done <"/proc/$$/environ"
  unset variable
fi
