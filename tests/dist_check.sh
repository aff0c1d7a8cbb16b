#!/bin/sh
# Installs what `make dist` has built into empty environments, and plays with it: called by `make dist`.
set -eu
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

say() { echo "== $*"; }
fail() { echo "dist: $*" >&2; exit 1; }

version=$(sed -n 's/^version = "\(.*\)"/\1/p' pyproject.toml)
wheel=$PWD/dist/riverboat-$version-py3-none-any.whl
sdist=$PWD/dist/riverboat-$version.tar.gz
kernels=$(echo "$PWD/dist/riverboat_kernels-$version-"*.whl)
for file in "$wheel" "$sdist" "$kernels"; do
    [ -s "$file" ] || fail "$file was not built"
    [ "$(wc -c <"$file")" -le 15728640 ] || fail "$file is larger than 15 MiB"
done
grep -q "^version: $version\$" CITATION.cff || fail "CITATION.cff is not of version $version"

# Elsewhere, so that the sources here cannot stand in for something that is missing in the package.
install() {
    "$python" -m venv "$folder/$1"
    name=$1
    shift
    "$folder/$name/bin/python" -m pip install -q --disable-pip-version-check "$@"
    cd "$folder"
    PATH=$folder/$name/bin:$PATH
}

say "the wheel alone"
(
    install wheel "$wheel"
    riverboat --version
    [ "$(riverboat --version)" = "riverboat, version $version" ] || fail "this is not version $version"
    riverboat games | grep -q limit-2p
    riverboat match limit-2p formula always-call --hands 100 --seed 1 --out match
    riverboat verify match/match.log
    riverboat --completion bash | grep -q complete
)
say "the wheel with its kernels: nothing is compiled"
(
    install kernels "$wheel" "$kernels"
    export RIVERBOAT_CACHE_DIR="$folder/empty"
    riverboat match limit-2p formula always-call --hands 100 --seed 1 --out same 2>&1 | tee said
    ! grep compiling said || fail "the kernels are not those that are needed"
    riverboat --version --verbose | grep -F " 0 compiled on this machine" || fail "kernels were compiled"
    cmp match/match.log same/match.log || fail "compiled here and brought along are not the same"
)
say "the wheel with everything: riverboat[all]"
(
    install all "$wheel[all]"
    riverboat report match --out report.html
    [ -s report.html ] || fail "there is no report"
)
say "the source distribution"
(
    install sdist "$sdist"
    riverboat match kuhn-2p equilibrium random --hands 50 --seed 1 --luck off
)
say "dist: $(ls dist | tr '\n' ' ')"
