#!/bin/sh
# coverage.sh BUILD: summarises line coverage by module, for a build tested with --enable-code-coverage, and lists the
# files of the measured modules with the most missed lines.
set -eu
cd "$(dirname "$0")/.."

build=$1
tools=$(dirname "$(readlink -f "$(command -v swift)")")
binary=$build/postillaPackageTests.xctest

"$tools/llvm-cov" report "$binary" -instr-profile="$build/codecov/default.profdata" Sources/ |
    awk '
        # FILE regions missed % functions missed % lines missed % …
        $1 ~ /\.swift$/ {
            file = $1
            sub(/^.*Sources\//, "", file)
            module = file
            sub(/\/.*/, "", module)
            lines[module] += $8
            missed[module] += $9
            if ($9 > 0) left[module] = left[module] sprintf("%6d  %s\n", $9, file)
        }
        END {
            for (module in lines)
                printf "%-16s %6d lines %6d missed %7.2f %%\n", module, lines[module], missed[module],
                    100 * (1 - missed[module] / lines[module]) | "sort"
            close("sort")
            print "\nLines that no test ran, by file:"
            for (module in left)
                if (module ~ /^(Annotations|Authorization|SyncProtocol|SQLite|InstantCore|EngineCore|Instant)$/)
                    printf "%s", left[module] | "sort -rn | head -n 40"
        }'
