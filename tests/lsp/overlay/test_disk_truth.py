"""The disk's side of an open document: what it was based on, and when a look may be saved (DESIGN W1)."""

import os
from pathlib import Path

import pytest

from steersman.lsp.disk_truth import DiskTruth
from steersman.lsp.documents import OpenDocument
from steersman.lsp.text_lines import TextLines


def document(path: Path, text: str) -> OpenDocument:
    return OpenDocument(path.as_uri(), path, "text", 1, TextLines(text, "lsp"))


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("one\n")
    return path


def test_a_change_of_the_same_size_within_the_clocks_grain_is_seen(file):
    truth = DiskTruth(now_ns=lambda: file.stat().st_mtime_ns + 1)
    it = document(file, "one\n")
    truth.opened(it)
    before = file.stat()
    file.write_text("two\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert truth.state(it) == "stale"


def test_a_settled_file_is_not_read_again(file):
    truth = DiskTruth(now_ns=lambda: file.stat().st_mtime_ns + 10**10)
    it = document(file, "one\n")
    truth.opened(it)
    before = file.stat()
    file.write_text("two\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert truth.state(it) == "clean"  # nothing that a look can tell has changed


def test_a_reloaded_document_is_based_on_what_it_was_reloaded_from(file):
    truth = DiskTruth(now_ns=lambda: 0)
    it = document(file, "one\n")
    truth.opened(it)
    file.write_text("two\n")
    it.lines = TextLines("two\n", "lsp")
    assert truth.state(it) == "clean"
    it.lines = TextLines("two!\n", "lsp")
    assert truth.state(it) == "dirty"


def test_a_file_that_is_no_text_can_be_open_and_unchanged(file):
    file.write_bytes(b"\x00\xff\x00")
    truth = DiskTruth(now_ns=lambda: 0)
    it = document(file, "what the editor shows")
    truth.opened(it)
    assert truth.state(it) == "dirty"
    file.write_bytes(b"\x00\xfe\x00")
    assert truth.state(it) == "conflict"


def test_a_fifo_at_a_documents_path_is_not_opened(tmp_path):
    if not hasattr(os, "mkfifo"):
        return
    path = tmp_path / "pipe"
    os.mkfifo(path)
    truth = DiskTruth(now_ns=lambda: 0)
    it = document(path, "")
    truth.opened(it)
    assert (truth.state(it), truth.is_missing(it)) == ("dirty", False)


def test_a_closed_document_is_forgotten(file):
    truth = DiskTruth(now_ns=lambda: 0)
    it = document(file, "one\n")
    truth.opened(it)
    truth.closed(it)
    file.write_text("two\n")
    truth.opened(it)
    assert truth.state(it) == "dirty"
