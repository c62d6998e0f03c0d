"""The mirror of open documents: one key a file, the client's own names, everything in order."""

import asyncio
from pathlib import Path

from lsprotocol import types

from steersman.lsp.client_quirks import ClientQuirks
from steersman.lsp.documents import ContentChange, DocumentListeners, Documents
from steersman.lsp.positions import Position, Range
from steersman.lsp.text_sync import TextSync
from support.virtual_time import run_virtual

PATHS = {"file:///w/a": Path("/w/a"), "file:///W/A": Path("/w/a"), "file:///w/b": Path("/w/b")}
A = "file:///w/a"


def documents(**quirks):
    mirror = Documents(PATHS.get)
    mirror.configure("utf-16", ClientQuirks(**quirks))
    return mirror


def at(line, start, end=None):
    return Range(Position(line, start), Position(line, start if end is None else end))


def test_a_document_is_found_by_any_spelling_and_keeps_the_clients_own():
    mirror = documents()
    mirror.open("file:///W/A", "text", 1, "one\n")
    assert mirror.get(A).uri == "file:///W/A"
    assert [document.uri for document in mirror.at(Path("/w/a"))] == ["file:///W/A"]
    assert mirror.get_exactly(A) is None


def test_changes_of_one_notification_build_on_one_another():
    mirror = documents()
    mirror.open(A, "text", 1, "one\ntwo\n")
    mirror.change(A, 2, [ContentChange("X\n", at(0, 0)), ContentChange("Y", at(2, 0, 3))])
    assert (mirror.get(A).text, mirror.get(A).version) == ("X\none\nY\n", 2)


def test_a_change_without_a_range_is_the_whole_text():
    mirror = documents(line_feeds_only=True)
    mirror.open(A, "text", 1, "one\n")
    mirror.change(A, 2, [ContentChange("a\rb"), ContentChange("X", at(0, 2))])
    assert mirror.get(A).text == "a\rXb"


def test_a_lone_carriage_return_is_a_column_for_editors_that_see_it_so():
    mirror = documents(line_feeds_only=True)
    mirror.open(A, "text", 0, "a\rb\nc\n")
    mirror.change(A, 1, [ContentChange("X", at(0, 2, 3))])
    assert mirror.get(A).text == "a\rX\nc\n"


def test_a_document_opened_again_has_its_new_text():
    mirror = documents()
    mirror.open(A, "text", 5, "one\n")
    mirror.open(A, "text", 1, "two\n")
    assert (mirror.get(A).text, mirror.get(A).version, len(mirror.all())) == ("two\n", 1, 1)


def test_what_makes_no_sense_changes_nothing():
    mirror = documents()
    assert not mirror.change(A, 2, [ContentChange("x")])
    assert not mirror.save(A)
    assert not mirror.close(A)
    assert mirror.all() == ()


def test_a_text_that_comes_with_a_save_is_not_believed():
    """It may be older than the mirror: Helix sends what it wrote, and what was typed meanwhile was told before."""
    mirror = documents()
    mirror.open(A, "text", 1, "one\n")
    mirror.change(A, 2, [ContentChange("one, typed on\n")])
    TextSync(mirror).did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(A), "one\n"))
    assert mirror.get(A).text == "one, typed on\n"


def test_the_epoch_counts_what_the_person_changed_and_not_an_edit_of_ours():
    """DESIGN L11."""
    mirror = documents()
    mirror.open(A, "text", 1, "one\n")
    mirror.open("file:///w/b", "text", 1, "one\n")
    with mirror.watch(A):
        mirror.change(A, 2, [ContentChange("ours\n")])
        assert mirror.epoch == 0
        mirror.change("file:///w/b", 2, [ContentChange("theirs\n")])
    mirror.change(A, 3, [ContentChange("theirs\n")])
    assert mirror.epoch == 2


def test_a_watch_sees_every_text_in_between_and_the_end():
    async def main():
        mirror = documents()
        mirror.open(A, "text", 1, "a")
        with mirror.watch(A) as watch:
            mirror.change(A, 2, [ContentChange("ab"), ContentChange("abc")])
            mirror.close(A)
            await asyncio.wait_for(watch.more(), 1)
        seen = [(present.text, present.last) for present in watch.seen]
        assert (seen, watch.closed) == ([("ab", False), ("abc", True), (None, True)], True)

    run_virtual(main())


def test_listeners_hear_of_everything():
    heard = []
    mirror = documents()
    mirror.listen(
        DocumentListeners(
            *(lambda document, what=what: heard.append(what) for what in ("open", "change", "save", "close"))
        )
    )
    mirror.open(A, "text", 1, "a")
    mirror.change(A, 2, [ContentChange("b")])
    mirror.save(A)
    mirror.close(A)
    assert heard == ["open", "change", "save", "close"]


def test_the_wires_notifications_reach_the_mirror():
    mirror = documents()
    sync = TextSync(mirror)
    identifier = types.VersionedTextDocumentIdentifier(version=2, uri=A)
    sync.did_open(types.DidOpenTextDocumentParams(types.TextDocumentItem(A, "text", 1, "one\n")))
    change = types.TextDocumentContentChangePartial(types.Range(types.Position(0, 0), types.Position(0, 3)), "two")
    sync.did_change(types.DidChangeTextDocumentParams(identifier, [change]))
    assert mirror.get(A).text == "two\n"
    whole = types.TextDocumentContentChangeWholeDocument("three\n")
    sync.did_change(types.DidChangeTextDocumentParams(identifier, [whole]))
    sync.did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(A)))
    assert mirror.get(A).text == "three\n"
    sync.did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(A)))
    sync.did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(A)))
    assert mirror.all() == ()
