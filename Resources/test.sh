#!/bin/sh
# test.sh [argument of swift test ...]: runs the built tests. Without a terminal, repeats the failures at the end,
# because often only the last page of a log is stored.
#
# Without a limit, all tests start at once, and each step of one waits for a step of all others: time limits of
# processes and tests then expire on a busy machine. Tests mostly wait, so more may run than there are cores.
set -eu
cd "$(dirname "$0")/.."

set -- --skip-build --experimental-maximum-parallelization-width 24 "$@"
if [ -t 1 ]; then exec swift test "$@"; fi

log=.build/test.log
status=.build/test.status
{
    if swift test "$@" 2>&1; then echo 0 >&3; else echo 1 >&3; fi
} 3>"$status" | tee "$log"
[ "$(cat "$status")" = 0 ] && exit 0

echo
echo "Failures:"
# A failure may have more lines, such as a screen, up to the next one that tells of a test.
awk '/^(◇|✔)/ { left = 0; next }
    / recorded an issue|error: |Fatal error|unexpected signal|Time limit/ { left = 40 }
    left-- > 0 { print substr($0, 1, 400) }' "$log"
exit 1
