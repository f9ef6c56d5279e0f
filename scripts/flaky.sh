#!/bin/sh
# Runs test files ten times beside two processes that keep a processor busy each; ends at the first failed run.
# Without arguments: the test files that differ from the merge base with main.
set -eu
if [ $# -eq 0 ]; then
  # shellcheck disable=SC2046 # names of test files have no spaces
  set -- $(git diff --name-only --diff-filter=d "$(git merge-base HEAD main)" -- '*.test.ts')
fi
node -e 'for (;;);' & first=$!
node -e 'for (;;);' & second=$!
trap 'kill "$first" "$second"' EXIT
for run in 1 2 3 4 5 6 7 8 9 10; do
  echo "run $run of 10"
  vitest run "$@"
done
