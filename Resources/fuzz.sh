#!/bin/sh
# fuzz.sh SECONDS [TARGET…]: runs libFuzzer on each parser for SECONDS. Inputs that break a parser are written to
# .build/fuzz/found; copy them to Tests/FuzzTests/Corpus to make them test cases.
# fuzz.sh keep [TARGET…]: minimises the found inputs, preserving their coverage, and adds the largest to the corpus.
set -eu
cd "$(dirname "$0")/.."

seconds=${1:-60}
if [ $# -gt 0 ]; then shift; fi
work=$PWD/.build/fuzz
corpus=$PWD/Tests/FuzzTests/Corpus
swift build --package-path Tests/Fuzz --scratch-path .build/fuzz-build --quiet
fuzz=$PWD/.build/fuzz-build/debug/Fuzz
mkdir -p "$work/found"

if [ $# -eq 0 ]; then
    # Parser names contain no blanks, so word splitting is intended.
    # shellcheck disable=SC2046
    set -- $("$fuzz")
fi

keep() {
    rm -rf "$work/kept"
    mkdir -p "$work/kept"
    FUZZ_TARGET=$1 "$fuzz" -merge=1 -max_len=1024 "$work/kept" "$work/$1" >"$work/$1.log" 2>&1
    rm -f "$corpus/$1"/kept-*
    # A few are enough for the tests; libFuzzer finds the others again in seconds.
    find "$work/kept" -type f -exec wc -c {} + | grep -v ' total$' | sort -n | tail -n 8 |
        while read -r _ file; do cp "$file" "$corpus/$1/kept-$(basename "$file" | cut -c 1-12)"; done
}

failed=
for target in "$@"; do
    mkdir -p "$work/$target" "$corpus/$target"
    FUZZ_TARGET=$target FUZZ_SEEDS=$work/$target "$fuzz"
    if [ "$seconds" = keep ]; then
        keep "$target"
        continue
    fi
    printf '%s: ' "$target"
    # ncurses keeps terminal data until the process ends.
    leaks=1
    if [ "$target" = terminal ]; then leaks=0; fi
    if ASAN_OPTIONS=detect_leaks=$leaks FUZZ_TARGET=$target "$fuzz" -max_total_time="$seconds" -max_len=4096 -timeout=10 -rss_limit_mb=2048 \
        -artifact_prefix="$work/found/$target-" "$work/$target" "$corpus/$target" >"$work/$target.log" 2>&1; then
        sed -n 's/^Done \(.*\)$/\1/p' "$work/$target.log" | tail -n 1
    else
        echo "BROKEN: see $work/$target.log"
        failed="$failed $target"
    fi
done
if [ -n "$failed" ]; then
    echo "Failed:$failed" >&2
    exit 1
fi
