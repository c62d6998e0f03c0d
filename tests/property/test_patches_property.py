"""The patch of any two texts gives the second; on any other text it fits or leaves all as it is (issue 4, W6)."""

from __future__ import annotations

from contextlib import suppress
from itertools import product

import pytest
from hypothesis import assume, example, given, reject, settings
from hypothesis import strategies as st

from steersman.agent.lines import split_lines, strip_ending
from steersman.agent.tool import ToolError
from steersman_tools.apply_patch import ApplyPatch
from steersman_tools.kit.endings import flatten
from steersman_tools.kit.places import Tolerance
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.patch.hunks import apply_hunks
from steersman_tools.patch.model import Hunk, PatchError, UpdateFile
from steersman_tools.patch.parsing import parse_patch
from support.calling import call
from support.memory_workspace import MemoryWorkspace
from support.texts import begin_patch, git_diff, texts, unified_diff

STEADY = settings(deadline=None, max_examples=80)
contexts = st.integers(1, 4)
short_texts = st.lists(st.sampled_from(["a", "b", "c"]), max_size=7).map(lambda lines: "".join(f"{x}\n" for x in lines))


def patched(text: str, patch: str) -> str:
    """Return the text with the patch in it, by the first reading that fits."""
    readings = parse_patch(patch)
    for number, reading in enumerate(readings, 1):
        [update] = reading
        assert isinstance(update, UpdateFile)
        try:
            return apply_hunks(text, update.hunks, "f.txt")[0]
        except PatchError:
            if number == len(readings):
                raise
    raise AssertionError("a patch has a reading")


@STEADY
@given(texts(), texts(), contexts)
@example("a\ra\na\ra\nb\rb\r\na\na\r\na\n", "b\ra\nb\na\r\nb\rb\r\na\na\r\na\r\n", 1)
def test_a_unified_diff_gives_the_second_text_exactly(before: str, after: str, context: int):
    assume(before and after and before != after)

    assert patched(before, unified_diff(before, after, context)) == after


@STEADY
@given(texts(), texts(), contexts)
@example("a\n", "a\r", 1)
def test_a_diff_of_gits_gives_the_second_text_exactly(before: str, after: str, context: int):
    assume(before and after and before != after)

    assert patched(before, git_diff(before, after, context)) == after


@STEADY
@given(texts(), texts())
def test_a_begin_patch_with_all_context_gives_the_second_text_exactly(before: str, after: str):
    assume(before and after and before != after)

    assert patched(before, begin_patch(before, after, context=1000)) == after


@STEADY
@given(texts(), texts(), contexts)
def test_a_begin_patch_with_some_context_gives_the_second_text_or_says_what_is_ambiguous(
    before: str, after: str, context: int
):
    assume(before and after and before != after)
    why = ""
    try:
        assert patched(before, begin_patch(before, after, context)) == after
    except PatchError as error:
        why = str(error)
    assert not why or "places" in why


@STEADY
@given(texts(), texts(), st.booleans())
async def test_files_come_and_go_by_patches(before: str, after: str, begin: bool):
    """An empty side is no file: made, changed or taken away by one and the same call."""
    assume(before != after and (before or after))
    workspace = MemoryWorkspace({"f.txt": before} if before else {})
    try:
        readable = workspace.texts()
        MemoryWorkspace({"f.txt": after}).texts()
    except ToolError:
        reject()
    assume(readable.get("f.txt", "") == before)
    assume("\ufeff" not in before + after)
    patch = unified_diff(before, after)
    if not before:
        patch = patch.replace("--- a/f.txt", "--- /dev/null")
    if not after:
        patch = patch.replace("+++ b/f.txt", "+++ /dev/null")
    if begin and before and after:
        patch = begin_patch(before, after, context=1000)

    await call(ApplyPatch(workspace, SeenTexts()), patch=patch)

    assert workspace.texts() == ({"f.txt": after} if after else {})


@STEADY
@given(short_texts, short_texts, short_texts, st.sampled_from([unified_diff, begin_patch]), contexts)
def test_on_any_other_text_the_result_is_one_that_the_patch_means(before, after, other, form, context):
    assume(before and after and before != after)
    patch = form(before, after, context)
    [[update]] = parse_patch(patch)
    assert isinstance(update, UpdateFile)
    meant = results_meant(other, update.hunks)

    with suppress(PatchError):
        result, tolerance = apply_hunks(other, update.hunks, "f.txt")
        assert tolerance is Tolerance.EXACT
        assert result in meant


@STEADY
@given(st.text(max_size=200), texts())
def test_any_text_at_all_is_a_patch_that_fits_or_is_refused(patch: str, text: str):
    try:
        for reading in parse_patch(patch):
            for each in reading:
                if isinstance(each, UpdateFile):
                    apply_hunks(text, each.hunks, "f.txt")
    except ToolError:
        return


@STEADY
@given(texts(), texts(), st.data())
def test_a_mutilated_patch_fits_or_is_refused(before: str, after: str, data: st.DataObject):
    assume(before and after and before != after)
    lines = split_lines(data.draw(st.sampled_from([unified_diff, begin_patch]))(before, after))
    del lines[data.draw(st.integers(0, len(lines) - 1))]
    try:
        patched(before, "".join(lines))
    except ToolError:
        return


@pytest.mark.parametrize("shown", [("a\nb\n", "a\nc\n", {"a\nc\n"}), ("b\nb\n", "c\n", set())])
def test_the_oracle_itself(shown: tuple[str, str, set[str]]):
    before, after, meant = shown
    [[update]] = parse_patch(unified_diff("a\nb\n", "a\nc\n"))
    assert isinstance(update, UpdateFile)

    assert results_meant(before, update.hunks) == meant
    assert after


def results_meant(text: str, hunks: tuple[Hunk, ...]) -> set[str]:
    """Return every text that putting each hunk somewhere exactly, one not inside another, can give. Slow and plain."""
    lines = [strip_ending(line) for line in split_lines(flatten(text))]
    olds = [[line.text for line in hunk.lines if line.kind != "+"] for hunk in hunks]
    news = [[line.text for line in hunk.lines if line.kind != "-"] for hunk in hunks]
    spots = [
        [at for at in range(len(lines) - len(old) + 1) if lines[at : at + len(old)] == old] if old else [len(lines)]
        for old in olds
    ]
    results: set[str] = set()
    for chosen in product(*spots):
        order = sorted(range(len(hunks)), key=lambda number: (chosen[number], chosen[number] + len(olds[number])))
        ends = [chosen[number] + len(olds[number]) for number in order]
        if any(chosen[b] < end for b, end in zip(order[1:], ends, strict=False)):
            continue
        made = list(lines)
        for number in reversed(order):
            made[chosen[number] : chosen[number] + len(olds[number])] = news[number]
        results.add("".join(f"{line}\n" for line in made))
    return results
