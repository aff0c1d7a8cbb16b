#!/bin/sh
# Builds the image for real and runs the services' commands inside it: `make image-check`.
#
# With a docker engine and `docker compose` the compose files are tried as they are (tests/compose_check.py).
# Without one buildah builds, which needs no engine; the base image is then made by debootstrap, unless one of
# its name is there.  All are Debian packages:
#
#     apt-get install buildah podman debootstrap
set -eu
cd "$(dirname "$0")/.."
if docker info >/dev/null 2>&1 && docker compose version >/dev/null 2>&1; then
    exec .venv/bin/python -m tests.compose_check
fi
image=riverboat-check
extras=$(sed -n 's/^ *EXTRAS: //p' docker-compose.yml)
folder=$(mktemp -d)
running=""
trap 'for process in $running; do kill "$process" 2>/dev/null || true; done; [ -z "${room-}" ] || $buildah rm "$room" >/dev/null; rm -rf "$folder"' EXIT
base=$(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile | sort -u)

say() { echo "== $*"; }

for tool in buildah podman debootstrap; do
    command -v "$tool" >/dev/null || { echo "image-check: there is neither a docker engine with compose nor $tool" >&2; exit 1; }
done
buildah="buildah --storage-driver vfs"
if ! $buildah inspect --type image "docker.io/library/$base" >/dev/null 2>&1; then
    say "making a base image in place of $base"
    debootstrap --variant=minbase --include=python3,python3-venv,python3-pip bookworm "$folder/root" >/dev/null
    tar -C "$folder/root" -c . | podman --storage-driver=vfs import -q - "docker.io/library/$base"
    rm -rf "$folder/root"
fi
say "building with buildah"
set --
# What this machine needs to reach a package index has to be known in there, too.
for path in /etc/pip.conf /etc/ssl/certs /usr/share/ca-certificates /usr/local/share/ca-certificates; do
    [ ! -e "$path" ] || set -- "$@" --volume "$path:$path:ro"
done
$buildah bud -q --format docker --isolation chroot --ulimit nofile=20000:20000 --pull-never \
    --build-arg EXTRAS="$extras" "$@" -t "$image" .
run() {
    shift
    container=$($buildah from "$image")
    status=0
    # Nobody resolves names in there: the services meet on this machine's loopback.
    $buildah run --isolation chroot "$container" -- "$@" || status=$?
    $buildah rm "$container" >/dev/null
    return $status
}
in_room() { $buildah run --isolation chroot "$room" -- "$@"; }

say "who: $(run who id -un), health: $(run health riverboat games --json | head -c 60)..."
say "kernels are there"
run odds riverboat odds AhKd QsJh2c --json >"$folder/odds" 2>"$folder/odds.err"
if grep compiling "$folder/odds.err"; then
    echo "image-check: the image compiles what it should have brought along" >&2
    exit 1
fi

# The commands of the compose file, as they stand there but for the dealer's host name.
commands() {
    awk -v service="  $1:" '
        $0 == service { inside = 1; next }
        inside && /^  [a-z]/ { exit }
        inside && /^    command: >-/ { folded = 1; next }
        inside && /^    command: / { sub(/^    command: /, ""); print; exit }
        folded && /^      / { printf "%s ", $0; next }
        folded { exit }' docker-compose.yml | sed 's/ dealer \([0-9]\)/ 127.0.0.1 \1/'
}
say "room: $(commands room)"
room=$($buildah from "$image")
: >"$folder/room"
# shellcheck disable=SC2016,SC2046
in_room sh -c 'echo $$ >/tmp/room.pid; exec "$@"' room $(commands room) >"$folder/room" 2>&1 &
running=$!
for _ in $(seq 120); do
    if grep -q '^people ' "$folder/room"; then break; fi
    sleep 1
done
grep '^players ' "$folder/room" && grep '^people ' "$folder/room" || { cat "$folder/room"; exit 1; }
health=$(in_room python3 -c 'import urllib.request as u; print(u.urlopen("http://127.0.0.1:8000/healthz").status)')
say "healthz: $health"
in_room riverboat bot simple 127.0.0.1:4000/limit-2p >"$folder/bot" 2>&1 &
bot=$!
printf 'c\nc\nc\nhistory\nquit\n' | in_room riverboat play 127.0.0.1:4000/limit-6p
say "its health check"
# shellcheck disable=SC2046
in_room $(sed -n '/^  room:/,/^  dealer:/s/.*test: \["CMD", \(.*\)\]/\1/p' docker-compose.yml | tr -d '",')
in_room riverboat ledger check --data /logs/room
# shellcheck disable=SC2016
in_room sh -c 'kill -TERM "$(cat /tmp/room.pid)"'
wait "$running" || { cat "$folder/room"; echo "image-check: the room was not closed in good order" >&2; exit 1; }
running=""
wait "$bot" || cat "$folder/bot"
say "the room has closed in good order"

for service in formula sampling learner; do
    # shellcheck disable=SC2046 # the words of a command
    run "$service" $(commands "$service") >"$folder/$service" 2>&1 &
    running="$running $!"
done
say "dealer: $(commands dealer)"
# shellcheck disable=SC2046
run dealer $(commands dealer)
wait $running
running=""
say "the bots have left in good order"
# shellcheck disable=SC2046
printf 'c\nc\nhistory\nquit\n' | run human $(commands human)
say "image-check passed"
