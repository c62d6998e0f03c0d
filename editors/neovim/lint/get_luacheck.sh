#!/bin/sh
# Prints the folder that holds luacheck's Lua files. On Debian and its kin they are unpacked beside the environment when
# they are not installed: no root is needed. Usage: get_luacheck.sh FOLDER
set -eu
for library in /usr/share/lua/5.1 /usr/local/share/lua/5.1 "$1/usr/share/lua/5.1"; do
  if [ -e "$library/luacheck/init.lua" ]; then
    echo "$library"
    exit 0
  fi
done
if ! command -v apt-get >/dev/null 2>&1; then
  echo "luacheck is needed: luarocks install luacheck" >&2
  exit 1
fi
mkdir -p "$1"
cd "$1"
apt-get -qq download lua-check >/dev/null 2>&1 || { echo "luacheck is needed: apt-get install lua-check" >&2; exit 1; }
dpkg-deb -x lua-check_*.deb .
echo "$PWD/usr/share/lua/5.1"
