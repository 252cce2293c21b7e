#!/bin/sh
# sanitize.sh FILTER [ARGS...]: builds the tests with the thread sanitizer, in a folder of their own, and runs those that
# the filter names. Ends with an error at the first race.
set -eu
cd "$(dirname "$0")/.."

build=.build/sanitize
filter=$1
shift

swift build --scratch-path $build --build-tests --sanitize=thread
export TSAN_OPTIONS="halt_on_error=1 suppressions=$PWD/Resources/known-races.txt"
clang=$(dirname "$(readlink -f "$(command -v swift)")")/clang
"$clang" -shared -fPIC -O1 -Wall -o $build/tsan-mutex-shim.so Resources/tsan-mutex-shim.c
export LD_PRELOAD="$PWD/$build/tsan-mutex-shim.so"
# The sanitizer slows tests about tenfold; all at once, their requests would time out.
swift test --scratch-path $build --skip-build --sanitize=thread --experimental-maximum-parallelization-width 6 \
    --filter "$filter" "$@"
