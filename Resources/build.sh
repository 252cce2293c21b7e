#!/bin/sh
# build.sh debug|release PRODUCT|tests: builds quietly, but announces a long first build.
set -eu
cd "$(dirname "$0")/.."

configuration=$1
what=$2
if [ "$what" = tests ]; then
    set -- --build-tests --explicit-target-dependency-import-check error
    built=.build/$configuration/postillaPackageTests.xctest
else
    set -- --product "$what"
    built=.build/$configuration/$what
fi
# A release build runs on machines without Swift, and starts without loading a dozen libraries. Nothing loads it as a
# library, so it exports no symbols: the names alone are 6 MB.
if [ "$configuration" = release ]; then set -- "$@" --static-swift-stdlib -Xlinker --no-export-dynamic; fi
# A first debug build takes less time without what only a debugger reads. The index stays: on Linux, SwiftPM looks for
# tests in it, and building tests with other options than the program would compile everything twice.
if [ "$configuration" = debug ]; then set -- "$@" -debug-info-format "${DEBUG_INFO:-none}"; fi

if [ -e "$built" ]; then
    exec swift build --configuration "$configuration" "$@" --quiet
fi
if [ ! -d ".build/$configuration/Hummingbird.build" ]; then
    case $configuration in
    debug) minutes=five ;;
    *) minutes=fifteen ;;
    esac
    echo "The first $configuration build takes about $minutes minutes on two cores; later ones take seconds." >&2
fi
exec swift build --configuration "$configuration" "$@"
