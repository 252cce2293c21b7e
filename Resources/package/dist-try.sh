#!/bin/sh
# dist-try.sh PREFIX: uses an installed Postilla as a visitor does: demo, own PDF, a server on SQLite, commands. Runs in the
# clean system of dist-test.sh, as an ordinary user, with only the packages that Postilla depends on.
set -eu

prefix=$1
PATH=$prefix/bin:/usr/bin:/bin
cd "$HOME"

step() { printf '  %s\n' "$*"; }
fail() {
    printf 'dist-try: %s\n' "$*" >&2
    exit 1
}
# has FILE TEXT
has() { grep -qF -- "$2" "$1" || fail "no \"$2\" in $1: $(head -c 2000 "$1")"; }

# Starts a command that prints {"server":...} and keeps running: sets POSTILLA_SERVER and `process`.
start() {
    rm -f first.pipe
    mkfifo first.pipe
    "$@" >first.pipe 2>start.log &
    process=$!
    exec 3<first.pipe
    read -r line <&3 || fail "$*: $(cat start.log)"
    POSTILLA_SERVER=$(printf '%s\n' "$line" | sed 's/.*"server":"\([^"]*\)".*/\1/')
    export POSTILLA_SERVER
}

step "version, help"
postilla --version >version.txt
has version.txt "$2"
postilla help add >help.txt
has help.txt "--highlight"

step "demo"
start postilla demo --serve-only
POSTILLA_TOKEN_FILE=$HOME/.local/state/postilla/demo/tokens/reviewer.jwt
export POSTILLA_TOKEN_FILE
postilla list --format ndjson >list.txt
has list.txt '"type":"pspdfkit/markup/highlight"'
id=$(postilla add --note 'Seen in a clean system' --page 1 --at 72,100)
postilla show "$id" >note.txt
has note.txt "Seen in a clean system"
postilla export --format pdf -o annotated.pdf
has annotated.pdf "%PDF-"
printf 'read\nlist\nquit\n' | postilla open --plain >plain.txt
has plain.txt "Seen in a clean system"
has plain.txt "Nobody asked them to do so"
kill -TERM "$process"
wait "$process" || true

step "an own PDF"
cp "$prefix/share/postilla/samples/reading-machines.pdf" own.pdf
printf 'read\nquit\n' | postilla open own.pdf --plain >own.txt
has own.txt "Nobody asked them to do so"

step "a server on SQLite"
keys=$HOME/.local/state/postilla/demo
start postilla serve --port 0 --data server --jwt-public-key "$keys/key.pub.pem" --api-token-file "$keys/api-token"
postilla upload own.pdf --document-id own --server "$POSTILLA_SERVER" --api-token-file "$keys/api-token" >upload.txt
postilla token issue --key "$keys/key.pem" --document own --user visitor --permission read-document \
    --permission write --creator-name Visitor >own.jwt
chmod 600 own.jwt
POSTILLA_TOKEN_FILE=$HOME/own.jwt
id=$(postilla add --note 'On my own server' --page 2 --at 72,100)
postilla list --format tsv >list.txt
has list.txt "On my own server"
kill -TERM "$process"
wait "$process" || fail "the server ended with $?"
postilla serve --check --data server --jwt-public-key "$keys/key.pub.pem" --api-token-file "$keys/api-token" >check.txt
has check.txt "server/postilla.sqlite"

step "PostgreSQL's library is missing, and is named"
if postilla serve --port 0 --data other --store postgres://nobody@127.0.0.1:1/none \
    --jwt-public-key "$keys/key.pub.pem" --api-token-file "$keys/api-token" >postgres.txt 2>&1; then
    fail "a server without libpq started"
fi
has postgres.txt "libpq5"

step "a manual page for every command, completion for every shell"
for command in postilla postilla-open postilla-token-issue; do
    [ -s "$prefix/share/man/man1/$command.1" ] || [ -s "$prefix/share/man/man1/$command.1.gz" ] ||
        fail "no manual page $command"
done
has "$prefix/share/bash-completion/completions/postilla" complete
has "$prefix/share/fish/vendor_completions.d/postilla.fish" complete
[ -s "$prefix/share/zsh/vendor-completions/_postilla" ] || has "$prefix/share/zsh/site-functions/_postilla" compdef
[ -s "$prefix/share/doc/postilla/copyright" ] || fail "no licences"
