"""The conversation's text, event by event, without a server; and the small texts it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.neovim import PLUGIN, Neovim


class View:
    """A view on a buffer of its own."""

    def __init__(self, nvim: Neovim) -> None:
        self.nvim = nvim
        nvim.lua("""
            _G.buf = vim.api.nvim_create_buf(false, true)
            _G.writer = require("steersman.conversation.writer").new(_G.buf)
            _G.view = require("steersman.conversation.view").new(_G.writer)
        """)

    def do(self, method: str, *arguments: Any) -> None:
        self.nvim.lua("local method = ...; _G.view[method](_G.view, select(2, ...))", method, *arguments)

    @property
    def lines(self) -> list[str]:
        lines: list[str] = self.nvim.lua("return vim.api.nvim_buf_get_lines(_G.buf, 0, -1, false)")
        return lines


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neovim]:
    """A Neovim that has the plugin's modules and no server."""
    with Neovim(tmp_path_factory.mktemp("bare"), "--cmd", f"set runtimepath^={PLUGIN}") as started:
        yield started


@pytest.fixture
def view(bare: Neovim) -> View:
    """An empty conversation."""
    return View(bare)


def test_pieces_of_text_join_wherever_they_are_cut(view: View) -> None:
    for piece in ("One ", "line.\nAno", "ther", "\n\n```py\r", "\nx = 1\n```"):
        view.do("say", piece)
    view.do("commit", "One line.\nAnother\n\n```py\r\nx = 1\n```")
    assert view.lines == ["One line.", "Another", "", "```py", "x = 1", "```"]


def test_the_recorded_message_replaces_what_was_heard_of_it(view: View) -> None:
    view.do("user", "hello")
    view.do("say", "One li")
    view.do("commit", "One line.")
    assert view.lines == ["> hello", "", "One line."]


def test_a_discarded_stream_leaves_no_text_but_a_note(view: View) -> None:
    view.do("user", "hello")
    view.do("think", "hm")
    view.do("say", "One li")
    view.do("discard", "the stream broke off")
    view.do("say", "One line.")
    view.do("commit", "One line.")
    assert view.lines == [
        "> hello",
        "",
        "· the answer broke off and was discarded: the stream broke off",
        "",
        "One line.",
    ]


def test_thoughts_are_folded_and_text_after_them_is_not(view: View) -> None:
    view.do("think", "let me\nsee")
    view.do("say", "Yes.")
    view.do("commit", "Yes.")
    assert view.lines == ["· thinking", "let me", "see", "", "Yes."]
    assert view.nvim.lua("return _G.writer.levels") == [">1", "1", "1", "0", "0"]


def test_a_kept_conversation_looks_as_it_did(view: View) -> None:
    arguments = '{"path": "a.txt", "content": "one\\ntwo"}'
    changes = [{"uri": "file:///a.txt", "kind": "create", "added": 2, "removed": 0, "saved": True}]
    view.do(
        "history",
        [
            {"role": "user", "content": "write\n\n<context>\nThe person has a.txt open in the editor.\n</context>"},
            {
                "role": "assistant",
                "content": "I do.",
                "toolCalls": [
                    {"id": "c1", "name": "write_file", "arguments": arguments},
                    {"id": "c2", "name": "read_file", "arguments": "{broken"},
                ],
            },
            {"role": "tool", "toolCallId": "c1", "content": "Created.", "isError": False, "changes": changes},
            {"role": "tool", "toolCallId": "c2", "content": "not JSON", "isError": True, "changes": []},
            {"role": "assistant", "content": "Done.", "toolCalls": []},
        ],
    )
    assert view.lines == [
        "> write",
        "",
        "· sent along: a.txt",
        *("```", "The person has a.txt open in the editor.", "```"),
        "",
        "I do.",
        "",
        "✓ write_file a.txt  +2 −0",
        *("```", "content:", "  one", "  two", "path: a.txt", "```"),
        *("```", "Created.", "```"),
        "✗ read_file  not JSON",
        *("```", "{broken", "```"),
        *("```", "not JSON", "```"),
        "",
        "Done.",
    ]


def test_a_fence_inside_a_result_does_not_end_it(view: View) -> None:
    view.do("call", "c1", "read_file", "{}")
    view.do("result", "c1", {"content": "```py\n````\n", "isError": False})
    assert view.lines == ["✓ read_file", "`````", "```py", "````", "", "`````"]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain\ttext", "plain\ttext"),
        ("a\u202eb", "a⟨U+202E⟩b"),
        ("zero\u200bwidth", "zero⟨U+200B⟩width"),
        ("bell\x07", "bell⟨U+0007⟩"),
        ("👩‍🚀 ❤️ é 漢字", "👩‍🚀 ❤️ é 漢字"),
        ("\u2066x\u2069", "⟨U+2066⟩x⟨U+2069⟩"),
    ],
)
def test_nothing_is_hidden(bare: Neovim, text: str, shown: str) -> None:
    assert bare.lua("return require('steersman.text').visible(...)", text) == shown


@pytest.mark.parametrize(
    ("text", "cells", "clipped"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("漢字漢字", 5, "漢字…"), ("漢字漢字", 4, "漢…"), ("", 1, "")],
)
def test_texts_are_clipped_to_screen_cells(bare: Neovim, text: str, cells: int, clipped: str) -> None:
    assert bare.lua("return require('steersman.text').clip(...)", text, cells) == clipped


@pytest.mark.parametrize(
    ("stamp", "words"),
    [
        ("2024-02-29T12:00:00.000Z", "just now"),
        ("2024-02-29T11:00:00.000Z", "60 minutes ago"),
        ("2024-02-28T12:00:00Z", "24 hours ago"),
        ("2023-12-31T12:00:00Z", "60 days ago"),
    ],
)
def test_times_are_told_in_words(bare: Neovim, stamp: str, words: str) -> None:
    now = 1_709_208_000  # 2024-02-29T12:00:00Z
    assert bare.lua("return require('steersman.text').ago(...)", stamp, now) == words


def test_a_file_belongs_to_the_folder_with_a_marker_or_to_the_current_one(bare: Neovim, tmp_path: Path) -> None:
    inside = tmp_path / "project" / "src"
    inside.mkdir(parents=True)
    (tmp_path / "project" / ".git").mkdir()
    (tmp_path / "loose").mkdir()
    root = "return require('steersman.roots').{}(vim.api.nvim_get_current_buf())"
    bare.command(f"cd {tmp_path / 'loose'}")
    bare.edit(inside / "a.txt")
    assert bare.lua(root.format("of_file")) == str(tmp_path / "project")
    bare.edit(tmp_path / "loose" / "b.txt")
    assert bare.lua(root.format("of_file")) == str(tmp_path / "loose")
    bare.edit(tmp_path / "elsewhere.txt")
    assert bare.lua(root.format("of_file")) is None
    assert bare.lua(root.format("for_task")) == str(tmp_path)
    bare.command("enew")
    assert bare.lua(root.format("of_file")) is None
    assert bare.lua(root.format("for_task")) == str(tmp_path / "loose")
