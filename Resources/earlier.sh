#!/bin/sh
# earlier.sh [COMMIT]: builds the program of a commit, or of the last release, as .build/earlier/postilla.
set -eu
cd "$(dirname "$0")/.."

commit=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
if [ -z "$commit" ]; then
    echo "there is no release in this repository; name a commit: make earlier COMMIT=id" >&2
    exit 64
fi
folder=.build/earlier
rm -rf "$folder/source"
mkdir -p "$folder/source"
git archive "$commit" | tar -x -C "$folder/source"
swift build --package-path "$folder/source" --scratch-path "$folder/build" --product postilla -debug-info-format none
cp "$folder/build/debug/postilla" "$folder/postilla.new"
mv "$folder/postilla.new" "$folder/postilla"
