#!/bin/sh
# dist.sh: makes the files of a release in .build/dist from a finished release build: a folder with the program to unpack, a
# Debian package, the sources with all dependencies, an SBOM, and checksums. The same build gives the same bytes.
set -eu
cd "$(dirname "$0")/../.."

build=${BUILD:-.build/release}
version=$(Resources/package/version.sh)
dist=.build/dist
# The time of everything in the files: that of the commit.
time=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date -r CHANGELOG.md +%s)}
export SOURCE_DATE_EPOCH="$time" BUILD="$build" LC_ALL=C TZ=UTC
umask 022

rm -rf "$dist"
mkdir -p "$dist"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT

# Packs a folder of the stage.
pack() {
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$time" --directory "$stage" "$1" |
        gzip -9 --no-name >"$dist/$2"
}

# The program, to unpack anywhere: bin and share, as below a prefix.
name=postilla-$version-linux-$(uname -m)
DESTDIR="$stage" PREFIX="/$name" Resources/package/install.sh install
# Its unit names the folder that docs/install.md copies it to.
sed "s|/$name/bin/|/usr/local/bin/|" "$stage/$name/lib/systemd/system/postilla.service" >"$stage/unit"
cat "$stage/unit" >"$stage/$name/lib/systemd/system/postilla.service"
rm "$stage/unit"
pack "$name" "$name.tar.gz"

# The Debian package.
if command -v dpkg-deb >/dev/null && command -v dpkg-shlibdeps >/dev/null; then
    package=$stage/deb
    architecture=$(dpkg --print-architecture)
    ZSHDIR=share/zsh/vendor-completions DESTDIR="$package" PREFIX=/usr Resources/package/install.sh install
    rm "$package/usr/share/postilla/uninstall.sh"
    # Debian's form of manual pages and changelogs.
    gzip -9 --no-name "$package"/usr/share/man/man1/*.1 "$package/usr/share/doc/postilla/CHANGELOG.md"
    mv "$package/usr/share/doc/postilla/CHANGELOG.md.gz" "$package/usr/share/doc/postilla/changelog.gz"
    mkdir -p "$package/DEBIAN" "$stage/debian"
    printf 'Source: postilla\n\nPackage: postilla\nArchitecture: any\n' >"$stage/debian/control"
    libraries=$(cd "$stage" && dpkg-shlibdeps -O -edeb/usr/bin/postilla 2>/dev/null | sed -n 's/^shlibs:Depends=//p')
    cat >"$package/DEBIAN/control" <<CONTROL
Package: postilla
Version: $version
Architecture: $architecture
Maintainer: The Postilla maintainers <postilla@invalid>
Installed-Size: $(du -sk --apparent-size --exclude=DEBIAN "$package" | cut -f 1)
Depends: $libraries, poppler-utils, qpdf
Recommends: ca-certificates, poppler-data
Suggests: libpq5
Section: text
Priority: optional
Description: read and edit PDF annotations in the terminal
 Annotations are stored in layers on a server and synced in real time; a token
 defines what you may do. Edits survive disconnections and restarts. The package
 has the viewer, commands for scripts, and the server.
 .
 To try it out, run: postilla demo
CONTROL
    (cd "$package" && find usr -type f -print0 | sort -z | xargs -0 md5sum >DEBIAN/md5sums)
    find "$package" -exec touch --no-dereference --date="@$time" {} +
    dpkg-deb --build --root-owner-group -Zxz "$package" "$dist/postilla_${version}_$architecture.deb" >/dev/null
else
    echo "without dpkg-deb and dpkg-shlibdeps, no Debian package is made" >&2
fi

# The sources, with every dependency: they build without git and without a network.
Resources/package/source.py "$stage/postilla-$version"
pack "postilla-$version" "postilla-$version.tar.gz"

Resources/package/linked.py sbom "$build" "$version" "$time" >"$dist/postilla-$version.spdx.json"
(cd "$dist" && sha256sum -- * >SHA256SUMS)
for file in "$dist"/*; do printf '%9d KB  %s\n' "$(($(wc -c <"$file") / 1000))" "$file"; done
