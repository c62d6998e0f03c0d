#!/usr/bin/env bash
# usage: unpack_debian_packages.sh SUITE FOLDER PACKAGE…
# Unpacks packages of a Debian suite, with everything they depend on, into FOLDER/root, beside the system: nothing is
# installed, no source is added for good, no root is needed. The mirror is the one that this machine's apt uses.
set -euo pipefail
suite=$1 folder=$2
shift 2

command -v apt-get >/dev/null || { echo "There is no apt-get here; the editor has to be installed by hand." >&2; exit 1; }
# shellcheck disable=SC2016 # the dollars are apt's
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' 'Origin: Debian' 'Label: Debian' | sort -u | head -n 1)
[ -n "$mirror" ] || { echo "apt knows no Debian mirror here; run apt-get update, or install the editor by hand." >&2; exit 1; }

mkdir -p "$folder"/{lists,archives}/partial "$folder"/root
folder=$(cd "$folder" && pwd)
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" >"$folder/sources.list"
options=(
  -qq -o Dir::Etc::sourcelist="$folder/sources.list" -o Dir::Etc::sourceparts=/dev/null
  -o Dir::State="$folder" -o Dir::State::lists="$folder/lists" -o Dir::State::status=/dev/null
  -o Dir::Cache="$folder" -o Dir::Cache::archives="$folder/archives" -o APT::Sandbox::User="$(id -un)"
  -o Acquire::Languages=none -o Acquire::Retries=3 -o Debug::NoLocking=true
)
apt-get "${options[@]}" update
apt-get "${options[@]}" --yes --no-install-recommends --download-only install "$@" >/dev/null
for package in "$folder"/archives/*.deb; do
  dpkg-deb --extract "$package" "$folder/root"
done
rm -rf "$folder/archives" "$folder/lists" "$folder"/*.bin
