#!/usr/bin/env bash
# Makes steersman.vsix: the bundled extension, with the server's wheel in it. Called through tools.sh.
set -euo pipefail
cd "$(dirname "$0")/.."
root="$(cd ../.. && pwd)"
rm -rf dist server steersman.vsix
node scripts/bundle.ts --production
"${PYTHON:-python3}" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir server "$root"
cp "$root/LICENSE" LICENSE
npx --no-install vsce package --no-dependencies --allow-missing-repository --no-rewrite-relative-links --out steersman.vsix
