"""What a server asks of the interpreter, each in a process of its own (DESIGN §9)."""

from __future__ import annotations

import json
import subprocess
import sys

from steersman.lsp.framing import encode_frame
from support.lsp_client import Json

_SERVE = """
import gc, sys
from steersman.lsp.server import serve
from steersman.terminal.lsp import LateHost

serve(LateHost())
print(sys.getswitchinterval(), gc.get_freeze_count(), gc.isenabled(), file=sys.stderr)
"""

_SPARE = """
import gc
from steersman.lsp.interpreter import spare_what_stays

class Node:
    def __init__(self):
        self.me = self

spare_what_stays()
at_start = gc.get_freeze_count()
loaded_later = [Node() for _ in range(100)]
lost = [Node() for _ in range(100)]
del lost
found = [gc.collect()]
after_first = gc.get_freeze_count()
more = [Node() for _ in range(100)]
del more
found.append(gc.collect())
print(at_start > 0, after_first - at_start >= 100, gc.get_freeze_count() <= after_first, [each >= 100 for each in found])
"""


def run(code: str, *messages: Json, environ: dict[str, str] | None = None) -> subprocess.CompletedProcess[bytes]:
    sent = b"".join(encode_frame(json.dumps(message).encode()) for message in messages)
    return subprocess.run(
        [sys.executable, "-P", "-c", code], input=sent, capture_output=True, timeout=60, check=True, env=environ
    )


def test_a_server_lets_its_threads_have_their_turn_soon_and_spares_what_it_loaded(tmp_path):
    initialize = {"id": 1, "method": "initialize", "params": {"processId": None, "rootUri": None, "capabilities": {}}}
    environ = {"STEERSMAN_STATE_DIR": str(tmp_path), "STEERSMAN_CONFIG": str(tmp_path / "config.toml")}
    done = run(_SERVE, {"jsonrpc": "2.0", **initialize}, {"jsonrpc": "2.0", "method": "exit"}, environ=environ)
    interval, frozen, is_enabled = done.stderr.decode().split()[-3:]
    assert float(interval) < 0.001
    assert int(frozen) > 10_000
    assert is_enabled == "True"


def test_garbage_is_found_ever_after_and_what_was_loaded_until_the_first_full_look_is_spared():
    assert run(_SPARE).stdout.decode().strip() == "True True True [True, True]"
