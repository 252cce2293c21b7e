#!/usr/bin/env python3
"""What is linked into the program: its packages at their resolved versions, their licences, and an SBOM.

    linked.py copyright BUILD           the licences, as one text
    linked.py sbom BUILD VERSION TIME   an SPDX 2.3 document; TIME is in seconds since 1970

BUILD is the folder of a finished build, such as .build/release. The packages are those that SwiftPM resolved
(workspace-state.json); a package counts if one of its modules is in the list of files that were linked.
"""
import datetime
import hashlib
import json
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
CHECKOUTS = ROOT / ".build" / "checkouts"
VENDOR = ROOT / "Vendor"


class Package:
    """A resolved package."""

    def __init__(self, name, version, revision, location, folder):
        self.name, self.version, self.revision = name, version, revision
        self.location, self.folder = location, folder

    @property
    def modules(self):
        sources = self.folder / "Sources"
        own = {path.name for path in sources.iterdir() if path.is_dir()} if sources.is_dir() else set()
        # GRDB's sources are not in the folders that SwiftPM proposes.
        return own | ({"GRDB"} if (self.folder / "GRDB").is_dir() else set())

    @property
    def texts(self):
        """The licence and the notices."""
        return sorted(path for path in self.folder.iterdir() if re.match(r"(LICENSE|NOTICE|COPYING)", path.name))

    @property
    def licence(self):
        for path in self.texts:
            text = path.read_text(errors="replace")
            if "Apache License" in text:
                # The Swift project's addition for what the compiler copies into programs.
                exception = "Runtime Library Exception" in text
                return "Apache-2.0 WITH Swift-exception" if exception else "Apache-2.0"
            if "Permission is hereby granted, free of charge" in text:
                return "MIT"
        raise SystemExit("linked.py: no known licence in %s" % self.folder)

    @property
    def boringssl(self):
        """The revision of the BoringSSL that the package contains; None without one."""
        for path in self.folder.glob("Sources/*/hash.txt"):
            return re.search(r"[0-9a-f]{40}", path.read_text()).group()
        return None


def resolved():
    """All packages of the build, linked or not. A source archive has them in Vendor, with a list."""
    if VENDOR.is_dir():
        for each in json.loads((VENDOR / "packages.json").read_text()):
            yield Package(each["name"], each["version"], each["revision"], each["location"], VENDOR / each["name"])
        return
    state = json.loads((ROOT / ".build" / "workspace-state.json").read_text())
    for each in state["object"]["dependencies"]:
        checkout = each["state"]["checkoutState"]
        yield Package(
            each["subpath"], checkout["version"], checkout["revision"], each["packageRef"]["location"],
            CHECKOUTS / each["subpath"])


def linked(build):
    """The packages with a module in the program."""
    files = (build / "postilla.product" / "Objects.LinkFileList").read_text().split("\n")
    modules = {match.group(1) for match in (re.search(r"/([^/]+)\.build/", file) for file in files) if match}
    found = sorted((each for each in resolved() if each.modules & modules), key=lambda each: each.name.lower())
    if len(found) < 5:
        raise SystemExit("linked.py: only %d packages found in %s" % (len(found), build))
    return found


def swift():
    """The toolchain's version, and its licence: the standard library and Foundation are linked, too."""
    info = json.loads(subprocess.check_output(["swift", "-print-target-info"]))
    version = re.search(r"Swift version (\S+)", info["compilerVersion"]).group(1)
    resources = pathlib.Path(info["paths"]["runtimeResourcePath"])
    return version, resources.parents[1] / "share" / "swift" / "LICENSE.txt"


def copyright_text(build):
    parts = ["Postilla\nLicence: Apache-2.0\n\n" + (ROOT / "LICENSE").read_text()]
    for package in linked(build):
        head = "%s %s\n%s\nLicence: %s" % (package.name, package.version, package.location, package.licence)
        if package.boringssl:
            head += "\nContains BoringSSL, revision %s" % package.boringssl
        parts.append(head + "\n\n" + "\n".join(path.read_text(errors="replace") for path in package.texts))
        # BoringSSL's own licence is in its folder.
        for path in sorted(package.folder.glob("Sources/*BoringSSL/LICENSE*")):
            parts.append("BoringSSL, in %s\n\n%s" % (package.name, path.read_text(errors="replace")))
    version, licence = swift()
    parts.append(
        "Swift %s: standard library, Dispatch, Foundation with ICU\nhttps://www.swift.org\n"
        "Licence: Apache-2.0 WITH Swift-exception\n\n%s" % (version, licence.read_text()))
    return ("\n" + "=" * 100 + "\n\n").join(part.rstrip() + "\n" for part in parts)


def libraries(build):
    """The shared libraries that the program loads when it starts."""
    text = subprocess.check_output(["objdump", "-p", str(build / "postilla")], text=True)
    return sorted(re.findall(r"NEEDED\s+(\S+)", text))


def entry(name, version, licence, location="NOASSERTION", purl=None):
    value = {
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version,
        "downloadLocation": location, "filesAnalyzed": False, "licenseConcluded": licence,
        "licenseDeclared": licence, "copyrightText": "NOASSERTION",
    }
    if purl:
        value["externalRefs"] = [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
    return value


def sbom(build, version, time):
    packages = [entry("postilla", version, "Apache-2.0")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-postilla")]

    def add(package, relation, to="SPDXRef-postilla"):
        packages.append(package)
        relations.append((to, relation, package["SPDXID"]))
        return package["SPDXID"]

    for each in linked(build):
        location = re.sub(r"\.git$", "", each.location)
        place = re.sub(r"^https://", "", location)
        identity = add(
            entry(
                each.name, each.version, each.licence, "git+%s.git@%s" % (location, each.revision),
                "pkg:swift/%s@%s" % (place, each.version)), "STATIC_LINK")
        if each.boringssl:
            add(
                entry(
                    "boringssl-in-" + each.name, each.boringssl, "Apache-2.0",
                    "git+https://boringssl.googlesource.com/boringssl@" + each.boringssl), "CONTAINS", identity)
    add(entry("swift", swift()[0], "Apache-2.0 WITH Swift-exception", "https://www.swift.org/install"), "STATIC_LINK")
    for name in libraries(build):
        add(entry(name, "NOASSERTION", "NOASSERTION"), "DYNAMIC_LINK")
    # Found at run time: PDF tools as child processes, libpq only by a server that uses PostgreSQL.
    for name in ["poppler-utils", "qpdf", "libpq"]:
        packages.append(entry(name, "NOASSERTION", "NOASSERTION"))
        relations.append(("SPDXRef-" + name, "RUNTIME_DEPENDENCY_OF", "SPDXRef-postilla"))
    content = json.dumps(packages, sort_keys=True)
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": "postilla-" + version,
        # Unique for this content, and the same for the same build.
        "documentNamespace": "https://spdx.org/spdxdocs/postilla-%s-%s" % (
            version, hashlib.sha256(content.encode()).hexdigest()[:32]),
        "creationInfo": {
            "created": datetime.datetime.fromtimestamp(time, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
            "creators": ["Tool: postilla-linked.py"],
        },
        "packages": packages,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations],
    }


def main():
    build = pathlib.Path(sys.argv[2]).resolve()
    if sys.argv[1] == "copyright":
        sys.stdout.write(copyright_text(build))
    else:
        json.dump(sbom(build, sys.argv[3], int(sys.argv[4])), sys.stdout, indent=2)
        print()


if __name__ == "__main__":
    main()
