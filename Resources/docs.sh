#!/bin/sh
# docs.sh: generates the documentation of the Instant library from its debug build, into .build/docs.
set -eu
cd "$(dirname "$0")/.."

Resources/build.sh debug postilla
modules=.build/debug/Modules
graphs=.build/docs/graphs
rm -rf .build/docs
mkdir -p "$graphs"

# A debug module references the C libraries it depends on, even hidden ones.
set --
for map in .build/debug/*.build/module.modulemap .build/checkouts/*/Sources/*/module.modulemap \
    .build/checkouts/*/Sources/*/include/module.modulemap; do
    if [ -e "$map" ]; then set -- "$@" -Xcc "-fmodule-map-file=$map"; fi
done
target=$(swiftc -print-target-info | sed -n 's/^ *"triple": "\([^"]*\)",*$/\1/p' | head -n 1)
swift-symbolgraph-extract -module-name Instant -target "$target" -I "$modules" "$@" \
    -minimum-access-level public -skip-synthesized-members -output-dir "$graphs" \
    -experimental-allowed-reexported-modules=Annotations,Authorization,InstantCore,SyncProtocol
docc convert Sources/Instant/Instant.docc --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name Instant --fallback-bundle-identifier postilla.Instant \
    --transform-for-static-hosting --output-path .build/docs/Instant.doccarchive
echo "To read it, run: python3 -m http.server --directory .build/docs/Instant.doccarchive 8000" >&2
echo "and open http://localhost:8000/documentation/instant" >&2
