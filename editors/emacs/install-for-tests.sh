#!/usr/bin/env bash
# usage: install-for-tests.sh [FOLDER]      (default: .cache/editors)
# Puts an Emacs 30 for the tests at FOLDER/emacs and its emacsclient beside it: Debian's own packages, unpacked beside
# the system and run through their own loader, so that neither the system's Emacs nor its configuration is touched.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
folder=${1:-$here/../../.cache/editors}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if "$folder/emacs" --version >/dev/null 2>&1 && "$folder/emacsclient" --version >/dev/null 2>&1; then
  exit 0
fi
"$here/../../tests/editors/unpack_debian_packages.sh" trixie "$folder/emacs30" emacs-nox
root=$folder/emacs30/root
lisp=$(echo "$root"/usr/share/emacs/*/lisp)
programs=$(echo "$root"/usr/libexec/emacs/*/*)
loader="$(echo "$root"/usr/lib*/ld-linux-*.so.*)\" --library-path \"$(echo "$root"/usr/lib/*-linux-gnu)"
cat >"$folder/emacsclient" <<END
#!/usr/bin/env bash
exec "$loader" "$root/usr/bin/emacsclient.emacs" "\$@"
END
# Outside of its usual place Emacs has to be told where its parts are.
cat >"$folder/emacs" <<END
#!/usr/bin/env bash
export EMACSLOADPATH="$lisp" EMACSDATA="$(dirname "$lisp")/etc" EMACSDOC="$(dirname "$lisp")/etc" EMACSPATH="$programs"
exec "$loader" "$root/usr/bin/emacs-nox" --dump-file="$(echo "$programs"/emacs-*.pdmp)" "\$@"
END
chmod +x "$folder/emacs" "$folder/emacsclient"
"$folder/emacs" --version | head -n 1
