#!/bin/sh
# python.sh: what the tests need of Python, in an environment of its own under .build: made when it is missing or its list
# has changed, else nothing is done and no network is needed.
set -eu

cd "$(dirname "$0")/.."
wanted=Tests/Backend/requirements.txt
place=.build/python

if [ -x "$place/bin/python" ] && cmp -s "$wanted" "$place/requirements.txt"; then exit 0; fi
rm -rf "$place"
python3 -m venv "$place"
"$place/bin/python" -m pip --quiet --disable-pip-version-check install --requirement "$wanted"
# Last: an environment that was not finished is made again.
cp "$wanted" "$place/requirements.txt"
