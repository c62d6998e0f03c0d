"""What is known of real clients beyond what they declare (DESIGN §8). Facts only; each was reproduced.

A client that is not listed gets the defaults: the LSP's own rules, and no trust in ``applied: true`` either.
"""

from __future__ import annotations

from dataclasses import dataclass

from steersman.lsp.contracts import ClientFacts


@dataclass(frozen=True, slots=True)
class ClientQuirks:
    r"""How a client's documents and edits differ from the letter of the LSP.

    Attributes:
        line_feeds_only: a lone ``\r`` ends no line in its buffers, and counts as a column.
        skips_version_zero: it does not compare versions for an edit of version 0, so a document that has not changed
            since it was opened is touched by an empty insert first.
        hides_typing: its version lags behind unsent typing, so its guard against stale edits has a hole: an edit waits
            until a question was answered for it and the document has been quiet for a moment.
        levels_line_ends: line endings in inserted text become its own, ``\n`` in a buffer with mixed ones.
        owns_final_newline: whether a buffer ends with a line ending is not for an edit to say.
        tells_every_change: its ``didChange`` lists each change by itself, however many it has collected.
        may_ask: it may ask the person before it applies an edit, so its answer may take long.
    """

    line_feeds_only: bool = False
    skips_version_zero: bool = False
    hides_typing: bool = False
    levels_line_ends: bool = False
    owns_final_newline: bool = False
    tells_every_change: bool = False
    may_ask: bool = False


_NEOVIM = ClientQuirks(line_feeds_only=True, skips_version_zero=True, owns_final_newline=True, tells_every_change=True)
_EMACS = ClientQuirks(line_feeds_only=True, hides_typing=True, tells_every_change=True, may_ask=True)
_STEERSMAN_EL = ClientQuirks(line_feeds_only=True, tells_every_change=True)
_HELIX = ClientQuirks(line_feeds_only=True, tells_every_change=True)
_VSCODE = ClientQuirks(tells_every_change=True)


def quirks_of(facts: ClientFacts) -> ClientQuirks:
    """Return what is known of the client with these facts."""
    name = facts.name.casefold()
    if name.startswith("steersman.el"):  # flushes its changes before it applies an edit
        return _STEERSMAN_EL
    if name.startswith(("neovim", "nvim")):
        return _NEOVIM
    if name.startswith(("eglot", "emacs", "gnu emacs")):
        return _EMACS
    if name.startswith("helix"):
        return _HELIX
    if name.startswith(("visual studio code", "vscodium", "code - oss", "code-server")):
        return _VSCODE
    if not facts.document_changes:  # its edits carry no version at all
        return ClientQuirks(hides_typing=True)
    return ClientQuirks()
