#!/bin/bash
# unit-try.sh: run by unit-test.sh in the booted system. Each part says what it tries; the first thing that is wrong ends it.
set -eu

say() { printf '%s\n' "$*"; }
fail() {
    printf 'unit-try: %s\n' "$*" >&2
    systemctl status postilla --no-pager --lines=20 >&2 || true
    exit 1
}
# until SECONDS COMMAND...: waits for a condition.
until_true() {
    local left=$(($1 * 10))
    shift
    until "$@" >/dev/null 2>&1; do
        left=$((left - 1))
        [ "$left" -gt 0 ] || return 1
        sleep 0.1
    done
}
secret() { cat /etc/postilla/api-token; }
status() { # SECRET PATH [curl options...]
    local secret=$1 path=$2
    shift 2
    curl --silent --output /dev/null --write-out '%{http_code}' --header "Authorization: Token token=\"$secret\"" "$@" \
        "http://127.0.0.1:5000$path"
}
ready() { [ "$(status "$(secret)" /readiness)" = 200 ]; }
state() { systemctl show --property ActiveState --value postilla; }
is() { [ "$(state)" = "$1" ]; }
restarts() { systemctl show --property NRestarts --value postilla; }
lines() { journalctl --boot --output cat --unit postilla "$@"; }
settings() { # [LINE...]: the settings file with these lines
    sed -i '/^# more$/,$d' /etc/postilla/server.toml
    printf '# more\n' >>/etc/postilla/server.toml
    printf '%s\n' "$@" >>/etc/postilla/server.toml
}

say "The boot starts it"
until_true 60 ready || fail "it is not ready"
[ -L /var/lib/postilla ] || fail "the data folder is not behind a link; the test shows nothing"
[ "$(stat -Lc %a /var/lib/postilla)" = 700 ] || fail "the data folder is not private"
[ "$(stat -Lc %U /var/lib/postilla)" != root ] || fail "it runs as root"
[ "$(status "$(secret)" '/api/documents?document_id=one' --data-binary @/sample.pdf \
    --header 'Content-Type: application/pdf')" = 200 ] || fail "no upload"
until_true 10 grep -q '"action":"upload"' /var/log/postilla/audit.jsonl || fail "no audit log"

say "A restart keeps the data"
systemctl restart postilla
until_true 60 ready || fail "not ready after a restart"
[ "$(status "$(secret)" /api/documents/one/properties)" = 200 ] || fail "the document is gone"

say "A reload without a new secret"
systemctl reload postilla || fail "reload failed"
until_true 10 sh -c 'journalctl -b -o cat -u postilla | grep -q "keys and secrets were reloaded"' || fail "nothing was reloaded"

say "A new secret"
old=$(secret)
(umask 077 && od -An -tx1 -N32 /dev/urandom | tr -d ' \n' >/etc/postilla/api-token)
if systemctl reload postilla 2>/dev/null; then
    [ "$(status "$(secret)" /api/documents)" = 200 ] && [ "$(status "$old" /api/documents)" = 401 ] ||
        fail "reload returned 0, but the old secret is valid, or the new one is not"
else
    lines | grep -q 'run systemctl restart postilla' || fail "reload failed without a sentence"
    ready || fail "a failed reload stopped it"
    systemctl restart postilla
    until_true 60 ready || fail "not ready after the restart"
fi
[ "$(status "$(secret)" /api/documents)" = 200 ] || fail "the new secret is not valid"
[ "$(status "$old" /api/documents)" = 401 ] || fail "the old secret is still valid"

say "A damaged row"
systemctl stop postilla
sqlite3 /var/lib/private/postilla/postilla.sqlite "INSERT INTO revoked VALUES ('x', 5, 6)"
systemctl start postilla || fail "a damaged row stopped it"
until_true 60 ready || fail "not ready with a damaged row"
[ "$(status "$(secret)" /api/documents/one/properties)" = 200 ] || fail "it does not serve the rest"
lines | grep -q 'damaged: revocation of a token' || fail "the log does not name the damage"

say "Backup and restore"
postilla backup /root/backup --data /var/lib/postilla 2>/root/said && fail "a backup of damaged rows was made"
grep -q 'damaged' /root/said || fail "backup: $(cat /root/said)"
systemctl stop postilla
sqlite3 /var/lib/private/postilla/postilla.sqlite "DELETE FROM revoked WHERE jti = 'x'"
systemctl start postilla
until_true 60 ready || fail "not ready"
postilla backup /root/backup --data /var/lib/postilla
[ "$(status "$(secret)" /api/documents/one --request DELETE)" = 200 ] || fail "no deletion"
systemctl stop postilla
if postilla restore /root/backup --data /var/lib/postilla --replace 2>/root/said; then fail "restore did not ask"; fi
grep -q 'deleted since the backup: document "one"' /root/said || fail "restore: $(cat /root/said)"
postilla restore /root/backup --data /var/lib/postilla --replace --deleted return
systemctl start postilla || fail "it does not start on the restored data"
until_true 60 ready || fail "not ready on the restored data"
[ "$(status "$(secret)" /api/documents/one/properties)" = 200 ] || fail "the document did not come back"

say "A time to drain that systemd would cut off"
settings 'drain = "50s"'
systemctl restart postilla 2>/dev/null || true
until_true 20 is failed || fail "it starts although systemd would kill it, or is tried again and again: $(state)"
lines | grep -q 'stop-timeout (60 s) must exceed drain (50 s)' || fail "the log does not say why"

say "A database that is not there yet"
settings 'store = "postgres://postilla@127.0.0.1/postilla"'
systemctl reset-failed postilla
systemctl start postilla 2>/dev/null && fail "it starts without its database"
until_true 60 sh -c '[ "$(systemctl show --property NRestarts --value postilla)" -gt 6 ]' ||
    fail "it gave up after $(restarts) restarts: $(state)"
sed -i '1i host all all 127.0.0.1/32 trust' /etc/postgresql/*/main/pg_hba.conf
systemctl start postgresql
until_true 30 runuser -u postgres -- psql --quiet --command 'CREATE USER postilla' || fail "no user of the database"
runuser -u postgres -- createdb --template template0 --encoding UTF8 --owner postilla postilla
until_true 60 ready || fail "not ready after the database was there"

say "Every line of its log is JSON"
journalctl --boot --output cat _SYSTEMD_UNIT=postilla.service >/root/log
[ -s /root/log ] || fail "no log"
grep -v '^{.*}$' /root/log | head -n 5 >/root/other || true
[ ! -s /root/other ] || fail "other lines: $(cat /root/other)"

systemctl stop postilla
is inactive || fail "it does not stop: $(state)"
say "The unit holds"
