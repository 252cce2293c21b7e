#!/usr/bin/env python3
"""Makes the source folder of a release: the package, and in Vendor every package that it was resolved with.

    source.py FOLDER

It builds without git and without a network: in its Package.swift, dependencies are paths. Files come from git if this is
a checkout, so that only those of the project are in it; otherwise all but build products are taken.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import linked

ROOT = linked.ROOT
# What a build never reads: tests, benchmarks and documentation of other packages. swift-nio-http2 has 60 MB of them.
UNUSED = shutil.ignore_patterns(
    ".git*", ".build", "Tests", "IntegrationTests", "Benchmarks", "FuzzTesting", "Examples", "Documentation", "*.docc",
    "*.png", "*.jpg", "*.gif", "dev", "scripts", "*.xcodeproj", "*.xcworkspace", "SwiftPMFuzzing", "Xcode")


def project_files():
    if (ROOT / ".git").exists():
        names = subprocess.check_output(["git", "-C", str(ROOT), "ls-files", "-z"], text=True).split("\0")
        return [name for name in names if name and (ROOT / name).exists()]
    skipped = {".build", "Vendor", ".swiftpm"}
    return [
        str(path.relative_to(ROOT)) for path in sorted(ROOT.rglob("*"))
        if path.is_file() and path.relative_to(ROOT).parts[0] not in skipped]


def manifest_has_traits(folder):
    return any(".trait(" in path.read_text() for path in folder.glob("Package*.swift"))


def vendored_manifest(text, packages):
    """The package's manifest with paths instead of addresses. Packages that others need are named, too: then theirs are
    replaced by these."""
    named = set()

    def path(match):
        name = re.sub(r"\.git$", "", match.group(1).rsplit("/", 1)[1])
        named.add(name.lower())
        traits = re.search(r",\s*traits:\s*\[[^\]]*\]", match.group(0))
        return '.package(path: "Vendor/%s"%s)' % (name, traits.group(0) if traits else "")

    text = re.sub(r'\.package\(\s*url:\s*"([^"]+)"[^()]*\)', path, text)
    others = [each for each in packages if each.name.lower() not in named]
    lines = "".join(
        '        .package(path: "Vendor/%s"%s),\n' % (
            each.name, ", traits: []" if manifest_has_traits(each.folder) else "") for each in others)
    start = text.index('        .package(path: "Vendor/')
    return text[:start] + lines + text[start:]


def main():
    target = pathlib.Path(sys.argv[1])
    packages = list(linked.resolved())
    for name in project_files():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, target / name, follow_symlinks=False)
    for each in packages:
        shutil.copytree(each.folder, target / "Vendor" / each.name, ignore=UNUSED, symlinks=True)
    (target / "Vendor" / "packages.json").write_text(json.dumps(
        [{"name": each.name, "version": each.version, "revision": each.revision, "location": each.location}
         for each in packages], indent=2) + "\n")
    manifest = target / "Package.swift"
    if "Vendor/" not in manifest.read_text():
        manifest.write_text(vendored_manifest(manifest.read_text(), packages))


if __name__ == "__main__":
    main()
