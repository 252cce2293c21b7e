#!/bin/sh
# setup.sh run|install|dist|dist-test|unit-test|test|bench: installs what Postilla needs and this machine lacks, with the
# system's package manager. If nothing is missing, it prints nothing and needs neither network nor root.
set -eu

purpose=${1:-run}
oldest_swift=6.2

say() { printf '%s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

has_header() {
    for folder in /usr/include /usr/include/postgresql /usr/local/include; do
        if [ -e "$folder/$1" ]; then return 0; fi
    done
    return 1
}

# Without them, pdftotext finds no text in Chinese, Japanese and Korean fonts that are not embedded.
has_character_maps() { [ -d /usr/share/poppler/cMap ] || [ -d /usr/local/share/poppler/cMap ]; }

# Debian installs PostgreSQL's programs outside PATH.
has_postgres() {
    if has initdb; then return 0; fi
    for program in /usr/lib/postgresql/*/bin/initdb; do
        if [ -x "$program" ]; then return 0; fi
    done
    return 1
}

# The requirements, one per line: how to detect each, then its package for apt, dnf and pacman.
needs() {
    # The sources of a release have their dependencies in Vendor.
    if [ ! -d "${0%/*}/../Vendor" ]; then echo 'command git            git            git            git'; fi
    cat <<'LIST'
header  curses.h       libncurses-dev ncurses-devel  ncurses
header  sqlite3.h      libsqlite3-dev sqlite-devel   sqlite
command pkg-config     pkg-config     pkgconf        pkgconf
header  libpq-fe.h     libpq-dev      libpq-devel    postgresql-libs
command pdftotext      poppler-utils  poppler-utils  poppler
maps    poppler-data   poppler-data   poppler-data   poppler-data
command qpdf           qpdf           qpdf           qpdf
LIST
    case $purpose in
    run) return ;;
    unit-test)
        echo 'command debootstrap    debootstrap    debootstrap    debootstrap'
        echo 'command systemd-nspawn systemd-container systemd-container systemd'
        echo 'command openssl        openssl        openssl        openssl'
        return
        ;;
    install | dist | dist-test)
        echo 'command python3        python3        python3        python'
        echo 'command strip          binutils       binutils       binutils'
        if [ "$purpose" = install ]; then return; fi
        # Only where Debian packages can be made.
        if has dpkg; then echo 'command dpkg-shlibdeps dpkg-dev dpkg-dev dpkg'; fi
        if [ "$purpose" = dist-test ]; then echo 'command debootstrap debootstrap debootstrap debootstrap'; fi
        return
        ;;
    esac
    cat <<'LIST'
header  vterm.h        libvterm-dev   libvterm-devel libvterm
server  postgresql     postgresql     postgresql-server postgresql
python  python3        python3-venv   python3  python
command zsh            zsh            zsh            zsh
command fish           fish           fish           fish
command jq             jq             jq             jq
command bindfs         bindfs         bindfs         fuse3
LIST
    if [ "$purpose" = test ]; then return; fi
    cat <<'LIST'
command less           less           less           less
command neomutt        neomutt        neomutt        neomutt
command fzf            fzf            fzf            fzf
command tig            tig            tig            tig
command curl           curl           curl           curl
command nginx          nginx-light    nginx          nginx
command pdfgrep        pdfgrep        pdfgrep        pdfgrep
command redis-server   redis-server   redis          redis
LIST
}

# Prints the missing packages on one line.
missing_packages() {
    needs | while read -r kind name apt dnf pacman; do
        case $kind in
        command) if has "$name"; then continue; fi ;;
        header) if has_header "$name"; then continue; fi ;;
        maps) if has_character_maps; then continue; fi ;;
        server) if has_postgres; then continue; fi ;;
        python) if python3 -c 'import ensurepip, venv' 2>/dev/null; then continue; fi ;;
        esac
        case $manager in
        apt-get) printf '%s ' "$apt" ;;
        dnf) printf '%s ' "$dnf" ;;
        pacman) printf '%s ' "$pacman" ;;
        *) printf '%s ' "$name" ;;
        esac
    done
}

check_swift() {
    if ! has swift; then
        say "No Swift toolchain found. Postilla needs Swift $oldest_swift or later:"
        say "install it from https://www.swift.org/install, make sure that \`swift --version\` works, and try again."
        exit 1
    fi
    version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9][0-9]*\.[0-9][0-9]*\).*/\1/p' | head -n 1)
    major=${version%%.*}
    minor=${version#*.}
    if [ -z "$version" ] || [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
        say "The installed Swift version is ${version:-unknown}; Postilla needs $oldest_swift or later:"
        say "install it from https://www.swift.org/install and try again."
        exit 1
    fi
}

# Finds how to install: directly as root, otherwise with sudo if it needs no password or can ask for one.
find_right() {
    right=
    if [ "$(id -u)" -eq 0 ]; then return 0; fi
    if ! has sudo; then return 1; fi
    right=sudo
    if sudo -n true 2>/dev/null; then return 0; fi
    [ -t 0 ]
}

# Word splitting of $packages and $right is intended.
# shellcheck disable=SC2086
install_packages() {
    case $manager in
    apt-get)
        # An outdated list may suffice, for example without a network connection.
        $right apt-get -qq update >&2 || say "apt-get update failed; trying the existing package lists"
        $right env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 \
            install --yes --no-install-recommends $packages >&2
        ;;
    dnf) $right dnf --quiet --assumeyes install $packages >&2 ;;
    pacman) $right pacman --sync --needed --noconfirm $packages >&2 ;;
    esac
}

check_swift

manager=
for candidate in apt-get dnf pacman; do
    if has "$candidate"; then
        manager=$candidate
        break
    fi
done

packages=$(missing_packages)
if [ -z "$packages" ]; then exit 0; fi

if [ -z "$manager" ]; then
    say "Missing packages: $packages"
    say "No known package manager (apt-get, dnf, pacman) was found. Install them and try again."
    exit 1
fi

case $manager in
pacman) by_hand="pacman -S $packages" ;;
*) by_hand="$manager install $packages" ;;
esac

if ! find_right; then
    say "Missing packages: $packages"
    say "No permission to install: you are not root, and sudo is missing or needs a password."
    say "Ask an administrator to run: $by_hand"
    exit 1
fi

say "Installing $packages"
if ! install_packages; then
    say "$manager could not install them. Try by hand: $by_hand"
    exit 1
fi

packages=$(missing_packages)
if [ -n "$packages" ]; then
    say "Still missing after the installation: $packages"
    say "Install them where the compiler and PATH find them, and try again."
    exit 1
fi
