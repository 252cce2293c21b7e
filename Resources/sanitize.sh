#!/bin/sh
# sanitize.sh FILTER [ARGS...]: builds the tests with the thread sanitizer in a separate folder, and runs those that
# match FILTER. Fails at the first race.
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
# The sanitizer slows tests about tenfold; without a limit on parallel tests, their requests would time out.
swift test --scratch-path $build --skip-build --sanitize=thread --experimental-maximum-parallelization-width 6 \
    --filter "$filter" "$@"
