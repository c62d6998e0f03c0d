"""The mirror of a real Neovim's buffers, and smallest edits as it makes them, for texts of every kind.

A server inside Neovim records what it is told; the same notifications feed ``Documents``. Whatever is done to the
buffer, the two texts are alike, but for a final line ending: Neovim does not tell whether a buffer has one.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from steersman.lsp.apply_edit import with_line_feeds
from steersman.lsp.client_quirks import quirks_of
from steersman.lsp.contracts import ClientFacts, PositionEncoding
from steersman.lsp.documents import ContentChange, Documents
from steersman.lsp.merge import plain
from steersman.lsp.positions import Position, Range
from steersman.lsp.text_diff import text_edits
from support.neovim import Neovim

RECORDER = """
_G.told = {}
local encoding = ...
local function server(dispatchers)
  local closing = false
  return {
    request = function(method, _, answer)
      if method == "initialize" then
        local sync = { openClose = true, change = 2, save = true }
        answer(nil, { capabilities = { positionEncoding = encoding, textDocumentSync = sync } })
      elseif method == "shutdown" then
        answer(nil, vim.NIL)
      end
      return true, 1
    end,
    notify = function(method, params)
      table.insert(_G.told, { method, vim.json.encode(params) })
      if method == "exit" then dispatchers.on_exit(0, 0) end
      return true
    end,
    is_closing = function() return closing end,
    terminate = function() closing = true end,
  }
end
local flags = { debounce_text_changes = 0 }
_G.recorder = vim.lsp.start({ name = "recorder " .. vim.uv.hrtime(), cmd = server, flags = flags }, { bufnr = 0 })
"""
PIECES = ["a", "b", "ö", "🎉", "\f", "\u2028", "e\u0301", "x y", ";"]
KEYS = ["A{}", "I{}", "o{}", "O{}", "dd", "yyp", "J", "x", "D", "ggVGd", "dG"]


class Recorded:
    """One buffer of Neovim beside our mirror of it."""

    def __init__(self, nvim: Neovim, path: Path, file_format: str, encoding: PositionEncoding) -> None:
        self.nvim = nvim
        self.encoding: PositionEncoding = encoding
        self.documents = Documents(lambda _: None)
        self.documents.configure(encoding, quirks_of(ClientFacts(name="Neovim", document_changes=True)))
        nvim.command(f"edit ++ff={file_format} {path}")
        nvim.lua(RECORDER, encoding)
        nvim.wait("#_G.told >= 2", "didOpen")

    def mirrored(self) -> str:
        """Take in what was told until now; return the mirror's text."""
        for method, encoded in self.nvim.lua("local told = _G.told; _G.told = {}; return told"):
            params: dict[str, Any] = json.loads(encoded)
            document = params.get("textDocument", {})
            if method == "textDocument/didOpen":
                self.documents.open(document["uri"], "text", document["version"], document["text"])
            elif method == "textDocument/didChange":
                changes = [_change(each) for each in params["contentChanges"]]
                self.documents.change(document["uri"], document["version"], changes)
        return self.documents.all()[0].text

    def shown(self) -> str:
        """Return what Neovim itself takes for the buffer's text."""
        text: str = self.nvim.lua("return vim.lsp._buf_get_full_text(0)")
        return text

    def apply(self, new: str) -> str:
        """Have Neovim make the smallest edits towards a text; return the text it should then have."""
        self.mirrored()
        document = self.documents.all()[0]
        new = with_line_feeds(document.text, new)
        edits = [
            _wire(edit.range, edit.text) for edit in text_edits(document.text, new, self.encoding, document.lines.rule)
        ]
        change = {"textDocument": {"uri": document.uri, "version": document.version}, "edits": edits}
        self.nvim.lua("vim.lsp.util.apply_workspace_edit(...)", {"documentChanges": [change]}, self.encoding)
        return new

    def close(self) -> None:
        """Forget the buffer."""
        self.nvim.lua("vim.lsp.stop_client(_G.recorder)")
        self.nvim.command("bwipeout!")


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    with Neovim(tmp_path_factory.mktemp("bare")) as nvim:
        yield nvim


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(
    ("file_format", "ending", "odd"), [("unix", "\n", ""), ("unix", "\n", "\r"), ("dos", "\r\n", "")]
)
def test_whatever_is_done_to_a_buffer_the_mirror_is_alike(
    bare: Neovim, tmp_path: Path, file_format: str, ending: str, odd: str, seed: int
) -> None:
    chance = random.Random(f"{file_format}{odd}{seed}")
    pieces = [*PIECES, odd] if odd else PIECES
    path = tmp_path / "a.txt"
    lines = [_line(chance, pieces) for _ in range(chance.randint(1, 6))]
    path.write_bytes("".join(f"{line}{ending}" for line in lines).encode())
    it = Recorded(bare, path, file_format, chance.choice(["utf-8", "utf-16", "utf-32"]))
    assert it.mirrored() == it.shown()
    for _ in range(12):
        expected = _do_something(it, chance, pieces, ending)
        assert it.mirrored().rstrip("\r\n") == it.shown().rstrip("\r\n")
        if expected is not None:
            assert plain(it.shown()).rstrip("\n") == plain(expected).rstrip("\n")
    it.close()


def _do_something(it: Recorded, chance: random.Random, pieces: list[str], ending: str) -> str | None:
    """Type, change lines, undo, or have an edit made; return the text that the edit should lead to."""
    count: int = it.nvim.nvim.api.buf_line_count(0)
    kind = chance.choice(["keys", "lines", "undo", "redo", "edit", "edit"])
    if kind == "keys":
        keys = chance.choice(KEYS).format(_line(chance, pieces).replace("\r", "") or "z")
        it.nvim.command(f"silent! {chance.randint(1, count)} normal! {keys}")
    elif kind == "lines":
        first = chance.randint(0, count)
        last = chance.randint(first, min(count, first + 2))
        new = [_line(chance, pieces) for _ in range(chance.randint(0 if last > first else 1, 2))]
        it.nvim.nvim.api.buf_set_lines(0, first, last, False, new)  # noqa: FBT003 - Neovim's own call
    elif kind in {"undo", "redo"}:
        it.nvim.command(f"silent! {kind}")
    else:
        lines = it.mirrored().split(ending)
        first = chance.randint(0, len(lines))
        new = [_line(chance, pieces) for _ in range(chance.randint(0, 2))]
        lines[first : first + chance.randint(0, 2)] = new
        return it.apply(ending.join(lines))
    return None


def _line(chance: random.Random, pieces: list[str]) -> str:
    return "".join(chance.choice(pieces) for _ in range(chance.randint(0, 5)))


def _change(change: dict[str, Any]) -> ContentChange:
    start, end = (Position(**change["range"][side]) for side in ("start", "end"))
    return ContentChange(change["text"], Range(start, end))


def _wire(where: Range, text: str) -> dict[str, Any]:
    start, end = ({"line": place.line, "character": place.character} for place in (where.start, where.end))
    return {"range": {"start": start, "end": end}, "newText": text}
