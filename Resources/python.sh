#!/bin/sh
# python.sh: creates a Python environment for the tests under .build if it is missing or its requirements changed.
# Otherwise it does nothing and needs no network.
set -eu

cd "$(dirname "$0")/.."
wanted=Tests/Backend/requirements.txt
place=.build/python

if [ -x "$place/bin/python" ] && cmp -s "$wanted" "$place/requirements.txt"; then exit 0; fi
rm -rf "$place"
python3 -m venv "$place"
"$place/bin/python" -m pip --quiet --disable-pip-version-check install --requirement "$wanted"
# Copied last, so that an incomplete environment is created again.
cp "$wanted" "$place/requirements.txt"
