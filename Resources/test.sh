#!/bin/sh
# test.sh [argument of swift test ...]: runs the built tests. Without a terminal, repeats the failures at the end,
# because often only the last page of a log is stored.
set -eu
cd "$(dirname "$0")/.."

if [ -t 1 ]; then exec swift test --skip-build "$@"; fi

log=.build/test.log
status=.build/test.status
{
    if swift test --skip-build "$@" 2>&1; then echo 0 >&3; else echo 1 >&3; fi
} 3>"$status" | tee "$log"
[ "$(cat "$status")" = 0 ] && exit 0

echo
echo "Failures:"
grep -a ' recorded an issue\|error: \|Fatal error\|unexpected signal\|Time limit' "$log" | cut -c 1-400 || true
exit 1
