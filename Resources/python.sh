#!/bin/sh
# python.sh [test|bench]: creates the Python environment of the tests or of the benchmarks under .build if it is missing or
# its requirements changed. Otherwise it does nothing and needs no network.
set -eu

cd "$(dirname "$0")/.."
case ${1:-test} in
bench)
    wanted=Tests/Benchmarks/Yjs/requirements.txt
    place=.build/python-yjs
    ;;
*)
    wanted=Tests/Backend/requirements.txt
    place=.build/python
    ;;
esac

if [ -x "$place/bin/python" ] && cmp -s "$wanted" "$place/requirements.txt"; then exit 0; fi
rm -rf "$place"
python3 -m venv "$place"
"$place/bin/python" -m pip --quiet --disable-pip-version-check install --requirement "$wanted"
# Copied last, so that an incomplete environment is created again.
cp "$wanted" "$place/requirements.txt"
