#!/bin/sh
# version.sh: prints the version, from the only place that names it.
set -eu
cd "$(dirname "$0")/../.."
sed -n 's/.*static let current = "\(.*\)".*/\1/p' Sources/postilla/Version.swift
