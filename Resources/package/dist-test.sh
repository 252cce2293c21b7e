#!/bin/sh
# dist-test.sh [deb|tarball ...]: installs, tries and removes the files of .build/dist, each in a new minimal Debian made by
# debootstrap. The package gets only what it depends on, the archive only the packages that docs/install.md names. Needs
# root and Debian's mirror (MIRROR). Changes nothing outside .build/dist-test.
set -eu
cd "$(dirname "$0")/../.."

mirror=${MIRROR:-http://deb.debian.org/debian}
suite=${SUITE:-bookworm}
work=$PWD/.build/dist-test
version=$(Resources/package/version.sh)
trial=$PWD/Resources/package/dist-try.sh

say() { printf '%s\n' "$*"; }
fail() {
    printf 'dist-test: %s\n' "$*" >&2
    exit 1
}

if [ "$(id -u)" -ne 0 ]; then fail "needs root, for debootstrap and chroot"; fi
# Mounts of the test vanish with its own namespace, however it ends.
if [ "${DIST_TEST_ALONE:-}" != yes ]; then
    DIST_TEST_ALONE=yes exec unshare --mount --propagation private "$0" "$@"
fi
(cd .build/dist && sha256sum --check --quiet SHA256SUMS) || fail "make dist first"

mkdir -p "$work"
base=$work/$suite.tar
if [ ! -e "$base" ]; then
    say "Making a minimal Debian $suite"
    rm -rf "$work/base"
    debootstrap --variant=minbase "$suite" "$work/base" "$mirror" >"$work/debootstrap.log" 2>&1 ||
        fail "debootstrap failed; see $work/debootstrap.log"
    tar --create --directory "$work/base" --file "$base.part" .
    mv "$base.part" "$base"
    rm -rf "$work/base"
fi

root=
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C DEBIAN_FRONTEND=noninteractive \
    chroot "$root" "$@"; }
as_visitor() { env -i PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin LC_ALL=C.UTF-8 TERM=xterm chroot --userspec=visitor:visitor "$root" \
    /usr/bin/env HOME=/home/visitor "$@"; }
install_packages() {
    inside apt-get -qq update >"$root/apt.log" 2>&1
    inside apt-get -qq install --yes --no-install-recommends "$@" >>"$root/apt.log" 2>&1 ||
        fail "apt-get: $(tail -n 5 "$root/apt.log")"
}

new_root() {
    root=$work/$1
    if [ -d "$root" ]; then
        umount --recursive "$root/proc" "$root/dev" 2>/dev/null || true
        rm -rf --one-file-system "$root"
    fi
    mkdir -p "$root"
    tar --extract --directory "$root" --file "$base"
    cp /etc/resolv.conf "$root/etc/"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    inside useradd --create-home visitor
}

# Files of the system, without what programs and people write.
listing() {
    (cd "$root" && find . -xdev \( -path ./proc -o -path ./dev -o -path ./tmp -o -path ./var/cache -o -path ./var/log \
        -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./home -o -path ./etc/ld.so.cache \
        -o -name __pycache__ \) -prune -o -print | sort)
}

# What needs programs that a minimal system lacks: installed only after the trial.
try_pages_and_completion() {
    say "  manual pages and completion in the shells"
    # Debian's minimal configuration leaves out documentation.
    install_packages man-db bash-completion zsh fish
    as_visitor man --pager=cat postilla-open | grep -q "Open the layer" || fail "man postilla-open"
    # MANPATH of /usr/local is the default one.
    as_visitor bash -c '. /usr/share/bash-completion/bash_completion
        _completion_loader postilla
        complete -p postilla' | grep -q postilla || fail "bash does not complete"
    # As in a desktop session: without it, fish does not look below /usr/local.
    as_visitor XDG_DATA_DIRS=/usr/local/share:/usr/share fish -c 'complete -C "postilla exp"' | grep -q '^export' || fail "fish does not complete"
    # shellcheck disable=SC2016 # for zsh
    as_visitor zsh -f -c 'autoload -U compinit && compinit -u -d /tmp/dump && print ${_comps[postilla]}' |
        grep -q '^_postilla' || fail "zsh does not complete"
}

# The person's data, and nothing else, is still there.
check_removal() {
    listing >"$root.after"
    left=$(comm -13 "$root.before" "$root.after")
    [ -z "$left" ] || fail "left behind: $left"
    for kept in .local/share/postilla .local/state/postilla server/postilla.sqlite own.pdf; do
        [ -e "$root/home/visitor/$kept" ] || fail "the person's $kept is gone"
    done
    say "  removed; only the person's data is left"
}

try_deb() {
    say "The Debian package"
    new_root deb
    cp "$trial" "$root/try.sh"
    package=$(cd .build/dist && ls postilla_"$version"_*.deb)
    cp ".build/dist/$package" "$root/"
    # What it depends on first, so that the comparison has nothing but its own files.
    # shellcheck disable=SC2046 # one word for each package
    install_packages $(dpkg-deb --field "$root/$package" Depends |
        sed 's/([^)]*)//g; s/|[^,]*//g; s/,/ /g')
    listing >"$root.before"
    inside dpkg --install "/$package" >>"$root/apt.log" 2>&1 || fail "dpkg: $(tail -n 5 "$root/apt.log")"
    as_visitor timeout 600 /bin/sh /try.sh /usr "$version"
    inside dpkg --purge postilla >>"$root/apt.log" 2>&1
    check_removal
    inside dpkg --install "/$package" >>"$root/apt.log" 2>&1
    try_pages_and_completion
}

# The words of a code block after a comment line of docs/install.md: what people are told is what is tested.
told() { sed -n "\|^# $1\$|,/^\`\`\`\$/p" docs/install.md | sed '1d;$d'; }

try_tarball() {
    say "The archive"
    new_root tarball
    cp "$trial" "$root/try.sh"
    archive=postilla-$version-linux-$(uname -m).tar.gz
    cp ".build/dist/$archive" "$root/"
    packages=$(told 'Debian: what the program needs' | sed -n 's/^.*apt-get install //p')
    [ -n "$packages" ] || fail "docs/install.md names no packages"
    # shellcheck disable=SC2086 # one word for each package
    install_packages $packages
    listing >"$root.before"
    told 'unpack into /usr/local' | sed 's/sudo //' >"$root/unpack.sh"
    told 'remove it from /usr/local' | sed 's/sudo //' >"$root/remove.sh"
    inside sh -euc 'cd / && . /unpack.sh'
    as_visitor timeout 600 /bin/sh /try.sh /usr/local "$version"
    inside sh -euc '. /remove.sh'
    rm -f "$root/unpack.sh" "$root/remove.sh"
    sed -i '/^.\/\(un\)\{0,1\}\(pack\|remove\).sh$/d' "$root.before"
    check_removal
    told 'unpack into /usr/local' | sed 's/sudo //' >"$root/unpack.sh"
    inside sh -euc 'cd / && . /unpack.sh'
    try_pages_and_completion
}

if [ $# -eq 0 ]; then set -- deb tarball; fi
for what; do
    case $what in
    deb) try_deb ;;
    tarball) try_tarball ;;
    *) fail "unknown: $what" ;;
    esac
done
