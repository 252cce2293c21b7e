#!/bin/bash
# unit-test.sh [PROGRAM]: plays the shipped unit, unchanged, with a real systemd: a Debian root made by debootstrap (MIRROR)
# and cached below .build/unit-test, booted by systemd-nspawn, gets the program (.build/debug/postilla) with the libraries
# that it loads. Needs root. With CACHED=yes, nothing is downloaded: it exits with 77 if there is no root yet.
set -eu
cd "$(dirname "$0")/../.."

program=${1:-.build/debug/postilla}
mirror=${MIRROR:-http://deb.debian.org/debian}
suite=${SUITE:-bookworm}
work=$PWD/.build/unit-test
cache=$work/$suite.tar

say() { printf '%s\n' "$*"; }
fail() {
    printf 'unit-test: %s\n' "$*" >&2
    exit 1
}

[ "$(id -u)" -eq 0 ] || fail "needs root, for debootstrap and systemd-nspawn"
for tool in systemd-nspawn nsenter openssl; do
    command -v "$tool" >/dev/null || fail "$tool is missing (Debian: systemd-container, util-linux, openssl)"
done
if [ ! -e "$cache" ]; then
    [ "${CACHED:-}" != yes ] || exit 77
    say "Making a Debian $suite with systemd"
    base=$work/base
    rm -rf --one-file-system "$base"
    mkdir -p "$base"
    debootstrap --variant=minbase --include=systemd,systemd-sysv,dbus,curl "$suite" "$base" "$mirror" \
        >"$work/debootstrap.log" 2>&1 || fail "debootstrap failed; see $work/debootstrap.log"
    # What the program runs and loads, and a database for the boot order. Nothing starts in a chroot.
    printf 'exit 101\n' >"$base/usr/sbin/policy-rc.d"
    chmod 0755 "$base/usr/sbin/policy-rc.d"
    env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C DEBIAN_FRONTEND=noninteractive chroot "$base" \
        apt-get -qq install --yes --no-install-recommends poppler-utils qpdf libpq5 libsqlite3-0 libncursesw6 sqlite3 \
        libcurl4 libxml2 postgresql >"$work/apt.log" 2>&1 || fail "apt-get failed; see $work/apt.log"
    rm -f "$base/usr/sbin/policy-rc.d" "$base/var/cache/apt/archives"/*.deb
    tar --create --directory "$base" --file "$cache.part" .
    mv "$cache.part" "$cache"
    rm -rf --one-file-system "$base"
fi

place=$(mktemp -d "${TMPDIR:-/tmp}/postilla-unit-XXXXXX")
root=$place/root
leader=
ended() {
    if [ -n "$leader" ]; then kill -KILL "$leader" 2>/dev/null || true; fi
    wait 2>/dev/null || true
    rm -rf --one-file-system "$place"
}
trap ended EXIT
mkdir "$root"
tar --extract --directory "$root" --file "$cache"
# The program, and the libraries that Debian does not have where this machine has them.
install -m 0755 "$program" "$root/usr/local/bin/postilla"
ldd "$program" | sed -n 's/.* => \(\/[^ ]*\) .*/\1/p' | while read -r library; do
    [ -e "$root$library" ] || install -D -m 0755 "$library" "$root$library"
done
install -m 0644 Resources/systemd/postilla.service "$root/etc/systemd/system/"
install -m 0755 Resources/systemd/unit-try.sh "$root/try.sh"
mkdir -p "$root/etc/postilla"
openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out "$root/key.pem" 2>/dev/null
openssl pkey -in "$root/key.pem" -pubout -out "$root/etc/postilla/jwt-key.pub.pem"
chmod 0644 "$root/etc/postilla/jwt-key.pub.pem"
(umask 077 && openssl rand -hex 32 >"$root/etc/postilla/api-token")
cat >"$root/etc/postilla/server.toml" <<END
api-token-file = "/run/credentials/postilla.service/api-token"
jwt-public-key = "/etc/postilla/jwt-key.pub.pem"
audit-log = "/var/log/postilla/audit.jsonl"
END
cp Resources/samples/reading-machines.pdf "$root/sample.pdf"
# Enabled, so that the boot starts it.
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -s ../postilla.service "$root/etc/systemd/system/multi-user.target.wants/postilla.service"
# Only the parts that play a role.
for unit in apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer postgresql.service; do
    rm -f "$root/etc/systemd/system"/*.wants/"$unit"
done
: >"$root/etc/machine-id"

systemd-nspawn --quiet --directory="$root" --register=no --keep-unit --private-network --boot \
    >"$place/console.log" 2>&1 </dev/null &
nspawn=$!
leader=
for _ in $(seq 300); do
    kill -0 "$nspawn" 2>/dev/null || break
    leader=$(cat "/proc/$nspawn/task/$nspawn/children" 2>/dev/null | tr ' ' '\n' | head -n 1)
    if [ -n "$leader" ] && nsenter --target "$leader" --all /bin/systemctl is-system-running 2>/dev/null |
        grep -qE '^(running|degraded)'; then break; fi
    sleep 0.2
done
kill -0 "$nspawn" 2>/dev/null || {
    cat "$place/console.log" >&2
    # As if it were not installed: containers without the rights for it are common.
    say "systemd-nspawn cannot boot here" >&2
    exit 77
}
nsenter --target "$leader" --all /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
    /bin/bash /try.sh
