#!/bin/sh
# install.sh install|uninstall: the program, manual pages, completion, desktop entries, systemd unit, samples and
# licences, below $DESTDIR$PREFIX. Both are quiet about what they do, and `uninstall` needs no build.
#
#   PREFIX   where it will run (default: /usr/local)
#   DESTDIR  put in front of every path, to build packages
#   BUILD    the build to install (default: .build/release)
#   ZSHDIR   for zsh's completion, below PREFIX (default: share/zsh/site-functions; Debian's packages differ)
set -eu
cd "$(dirname "$0")/../.."

prefix=${PREFIX:-/usr/local}
build=${BUILD:-.build/release}
zsh=${ZSHDIR:-share/zsh/site-functions}
to=${DESTDIR:-}$prefix

say() { printf '%s\n' "$*" >&2; }

case $prefix in
/*) ;;
*)
    say "PREFIX must begin with /: $prefix"
    exit 64
    ;;
esac

# Every file that `install` writes outside share/doc/postilla and share/postilla, which are removed as a whole.
files() {
    cat <<LIST
bin/postilla
share/bash-completion/completions/postilla
$zsh/_postilla
share/fish/vendor_completions.d/postilla.fish
share/applications/postilla.desktop
share/applications/postilla-open.desktop
lib/systemd/system/postilla.service
LIST
}

# Prints the script that removes them, from wherever the folder is by then: the archive of a release is unpacked anywhere.
uninstaller() {
    cat <<'HEAD'
#!/bin/sh
# Removes Postilla from the folder that it is installed in. Your data stays: its folders are in README.md.
cd "$(dirname "$0")/../.." || exit 1
HEAD
    files | sed 's/.*/rm -f "&"/'
    echo 'rm -f share/man/man1/postilla.1 share/man/man1/postilla-*.1'
    echo 'rm -rf share/doc/postilla share/postilla'
    echo '# Folders that nothing else is in.'
    {
        files | sed 's|/[^/]*$||'
        printf 'share/man/man1\nshare/doc\n'
    } | sort -u | sed 's/.*/rmdir -p "&" 2>\/dev\/null/'
    echo 'exit 0'
}

uninstall() {
    if [ ! -e "$to/share/postilla/uninstall.sh" ]; then
        say "Postilla is not installed in $to; PREFIX and DESTDIR must be those of make install"
        exit 1
    fi
    sh "$to/share/postilla/uninstall.sh"
}

install_all() {
    if [ ! -x "$build/postilla" ]; then
        say "$build/postilla is missing; run make install, which builds it"
        exit 1
    fi
    # The program describes itself: it must run on this machine.
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
    "$build/postilla" --experimental-dump-help |
        Resources/man.py "$made/man" "$(Resources/package/version.sh)" >/dev/null
    for shell in bash zsh fish; do "$build/postilla" --generate-completion-script "$shell" >"$made/$shell"; done
    Resources/package/linked.py copyright "$build" >"$made/copyright"
    sed "s|/usr/local/bin/|$prefix/bin/|" Resources/systemd/postilla.service >"$made/unit"
    strip -o "$made/postilla" "$build/postilla"

    files | while read -r file; do mkdir -p "$to/$(dirname "$file")"; done
    mkdir -p "$to/share/man/man1" "$to/share/doc/postilla" "$to/share/postilla/samples"
    install -m 0755 "$made/postilla" "$to/bin/postilla"
    install -m 0644 "$made"/man/*.1 "$to/share/man/man1/"
    install -m 0644 "$made/bash" "$to/share/bash-completion/completions/postilla"
    install -m 0644 "$made/zsh" "$to/$zsh/_postilla"
    install -m 0644 "$made/fish" "$to/share/fish/vendor_completions.d/postilla.fish"
    install -m 0644 Resources/package/*.desktop "$to/share/applications/"
    install -m 0644 "$made/unit" "$to/lib/systemd/system/postilla.service"
    install -m 0644 Resources/samples/*.pdf "$to/share/postilla/samples/"
    uninstaller >"$to/share/postilla/uninstall.sh"
    install -m 0644 "$made/copyright" README.md CHANGELOG.md SECURITY.md docs/*.md docs/openapi.json \
        "$to/share/doc/postilla/"
}

case ${1:-} in
install) install_all ;;
uninstall) uninstall ;;
*)
    say "usage: install.sh install|uninstall"
    exit 64
    ;;
esac
