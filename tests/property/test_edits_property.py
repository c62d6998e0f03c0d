"""Every byte outside an edit survives, and inside it stands what was meant (issue 4, W3, W5)."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import assume, given, reject, settings
from hypothesis import strategies as st

from steersman.agent.changes import text_digest
from steersman.agent.lines import split_lines
from steersman.agent.tool import ToolError
from steersman_tools.edit_file import EditFile
from steersman_tools.kit.edits import Edited, replace_at_once, replace_text
from steersman_tools.kit.endings import FlatText, adopt_endings, ending_of, flatten
from steersman_tools.kit.places import plain_typography
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.text import encode
from steersman_tools.write_file import WriteFile
from support.calling import call
from support.memory_workspace import MemoryWorkspace
from support.texts import texts, uniform_texts

STEADY = settings(deadline=None, max_examples=80)
ENCODINGS = (("utf-8", False), ("utf-8", True), ("utf-16-le", True), ("utf-16-be", True), ("utf-32-le", True))


def places(text: str, wanted: str) -> int:
    return sum(text.startswith(wanted, at) for at in range(len(text)))


@STEADY
@given(texts(), st.data(), texts(max_lines=4))
def test_an_exact_edit_changes_its_place_and_no_byte_more(text: str, data: st.DataObject, new: str):
    flat = FlatText.of(text)
    start = data.draw(st.integers(0, len(flat.flat)))
    end = data.draw(st.integers(start, len(flat.flat)))
    old = flat.flat[start:end]
    assume(old)

    try:
        edited = replace_text(text, old, new)
    except ToolError:
        assert places(flat.flat, old) != 1 or flatten(new) == old
        return

    before, after = text[: flat.offset(start)], text[flat.offset(end) :]
    assert edited.text.startswith(before)
    assert edited.text.endswith(after)
    assert len(edited.text) >= len(before) + len(after)
    if new or not (before.endswith("\r") and after.startswith("\n")):  # else nothing is left to keep them apart
        assert flatten(edited.text) == flat.flat[:start] + flatten(new) + flat.flat[end:]


@STEADY
@given(texts(), st.data(), texts(max_lines=4))
def test_what_is_replaced_at_once_is_replaced_as_ever(text: str, data: st.DataObject, new: str):
    start = data.draw(st.integers(0, len(text)))
    old = text[start : data.draw(st.integers(start, len(text)))]

    edited = replace_at_once(text, old, new)

    assert edited is None or edited == replace_text(text, old, new)


def test_an_ordinary_edit_is_made_at_once():
    """Else a long text is handed to a thread without anybody noticing."""
    assert replace_at_once("a\nb\nc\n", "b", "B\nd") == Edited("a\nB\nd\nc\n", 1)


@STEADY
@given(uniform_texts, st.data(), texts(max_lines=4))
def test_an_edit_brings_no_other_line_ending_into_a_uniform_file(text: str, data: st.DataObject, new: str):
    flat = FlatText.of(text)
    start = data.draw(st.integers(0, len(flat.flat)))
    old = flat.flat[start : data.draw(st.integers(start, len(flat.flat)))]
    assume(old and "\n" in flat.flat)

    with suppress(ToolError):
        edited = replace_text(text, old, new, replace_all=data.draw(st.booleans()))
        assert styles(edited.text) <= styles(text)


@STEADY
@given(texts(), texts(max_lines=3), texts(max_lines=3))
def test_any_edit_is_made_or_refused_and_never_crashes(text: str, old: str, new: str):
    assume(old)
    with suppress(ToolError):
        assert replace_text(text, old, new).text != text


@STEADY
@given(texts(), texts())
def test_a_whole_new_text_reads_as_wanted(present: str, wanted: str):
    adopted = adopt_endings(present, wanted)

    assert flatten(adopted) == flatten(wanted)
    if styles(present):
        assert styles(adopted) <= styles(present) | {"\r\n"}


@STEADY
@given(texts(), st.sampled_from(ENCODINGS), st.data())
async def test_bytes_outside_an_edit_are_identical_in_every_encoding(
    text: str, encoding: tuple[str, bool], data: st.DataObject
):
    flat = FlatText.of(text)
    start = data.draw(st.integers(0, len(flat.flat)))
    end = data.draw(st.integers(start, len(flat.flat)))
    assume(start < end)
    try:
        before = encode(text, *encoding)
    except ToolError:
        reject()
    workspace = MemoryWorkspace({"f": before})

    with suppress(ToolError):
        await call(EditFile(workspace, SeenTexts()), path="f", old_text=flat.flat[start:end], new_text="new Ω")
        kept = len(encode(text[: flat.offset(start)], *encoding))
        tail = text[flat.offset(end) :].encode(encoding[0])
        assert workspace.files["f"] == before[:kept] + "new Ω".encode(encoding[0]) + tail


@STEADY
@given(texts(), texts(), st.sampled_from(ENCODINGS))
async def test_a_whole_file_is_written_as_wanted_in_every_encoding(
    present: str, wanted: str, encoding: tuple[str, bool]
):
    try:
        workspace = MemoryWorkspace({"f": encode(present, *encoding)})
        readable = workspace.texts()
    except ToolError:
        reject()
    assume(readable == {"f": present})
    seen = SeenTexts()
    seen.update({str(workspace.locate("f").path): text_digest(present)})

    with suppress(ToolError):
        await call(WriteFile(workspace, seen), path="f", content=wanted)
        assert workspace.files["f"] == encode(adopt_endings(present, wanted.removeprefix("\ufeff")), *encoding)


CODE = st.lists(
    st.tuples(
        st.sampled_from(["", "    ", "        "]),
        st.sampled_from(["x = 1", 'say("a")', "if y:", "it's", "f(x) - 2", ""]),
    ),
    min_size=1,
    max_size=10,
).map(lambda lines: [indent + code for indent, code in lines])
DISGUISES = st.sampled_from(
    [
        lambda lines: [f"{line}  " for line in lines],
        lambda lines: [line.rstrip() for line in lines],
        lambda lines: [line.replace('"', "\u201c").replace("'", "\u2019").replace("-", "\u2013") for line in lines],
        lambda lines: [f"  {line}" for line in lines],
        lambda lines: [line.replace("    ", "\t") for line in lines],
        lambda lines: [f"{line}\u00a0" for line in lines],
    ]
)


def tokens(text: str) -> list[str]:
    return plain_typography(text).split()


@STEADY
@given(CODE, DISGUISES, st.data())
def test_a_tolerant_edit_changes_what_was_meant_and_no_other_token(lines, disguise, data):
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    changed = data.draw(st.integers(start, end - 1))
    block = lines[start:end]
    new = [*block[: changed - start], "    changed here", *block[changed - start + 1 :]]
    text = "".join(f"{line}\n" for line in lines)

    with suppress(ToolError):
        edited = replace_text(text, "\n".join(disguise(block)) + "\n", "\n".join(disguise(new)) + "\n")
        assert tokens(edited.text) in [
            tokens("\n".join([*lines[:at], *new, *lines[at + len(block) :]]))
            for at in range(len(lines))
            if tokens("\n".join(lines[at : at + len(block)])) == tokens("\n".join(block))
        ]


@STEADY
@given(CODE, DISGUISES, st.data())
def test_a_block_with_another_token_fits_nowhere(lines, disguise, data):
    start = data.draw(st.integers(0, len(lines) - 1))
    end = data.draw(st.integers(start + 1, len(lines)))
    at = data.draw(st.integers(start, end - 1))
    block = [*lines[start:at], lines[at] + " z9", *lines[at + 1 : end]]
    text = "".join(f"{line}\n" for line in lines)

    with pytest.raises(ToolError):
        replace_text(text, "\n".join(disguise(block)), "new")


def styles(text: str) -> set[str]:
    return {ending_of(line) for line in split_lines(text)} - {""}
