#!/usr/bin/env bash
# usage: install-for-tests.sh [FOLDER]      (default: .cache/editors)
# Puts a Helix for the tests at FOLDER/hx: Debian's own packages, unpacked beside the system and run through their own
# loader. 25.07 is the first that can ask questions (window/showMessageRequest).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../.cache/editors}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if "$folder/hx" --version >/dev/null 2>&1; then
  exit 0
fi
"$here/../../tests/editors/unpack_debian_packages.sh" forky "$folder/helix" hx
root=$folder/helix/root
cat >"$folder/hx" <<END
#!/usr/bin/env bash
export HELIX_RUNTIME="$root/usr/lib/hx/runtime"
exec "$(echo "$root"/usr/lib*/ld-linux-*.so.*)" --library-path "$(echo "$root"/usr/lib/*-linux-gnu)" "$root/usr/lib/hx/hx" "\$@"
END
chmod +x "$folder/hx"
"$folder/hx" --version
