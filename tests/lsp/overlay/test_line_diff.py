"""The edit script between two lists of lines: right for any two, shortest where it is looked for."""

from difflib import SequenceMatcher
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.lsp.line_diff import line_hunks

LINES = st.lists(st.sampled_from("abcd"), max_size=30)


def rebuilt(old, new, hunks):
    result, at = [], 0
    for hunk in hunks:
        result += old[at : hunk.old_start] + new[hunk.new_start : hunk.new_end]
        at = hunk.old_end
    return result + old[at:]


@given(LINES, LINES)
@settings(max_examples=300)
def test_the_hunks_turn_any_list_into_any_other(old, new):
    assert new == rebuilt(old, new, line_hunks(old, new))


@given(LINES, LINES)
def test_hunks_are_apart_by_an_equal_line(old, new):
    hunks = line_hunks(old, new)
    assert all(one.old_end < two.old_start and one.new_end < two.new_start for one, two in pairwise(hunks))


@given(LINES, LINES)
def test_no_other_script_is_shorter_than_ours(old, new):
    """Compared with the standard library's, which is not always the shortest."""
    ours = sum(h.old_end - h.old_start + h.new_end - h.new_start for h in line_hunks(old, new))
    theirs = sum(
        i2 - i1 + j2 - j1
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if tag != "equal"
    )
    assert ours <= theirs


def test_long_lists_that_differ_everywhere_are_cut_at_lines_that_occur_once():
    old = [f"{n % 7}" if n % 5 else f"anchor {n}" for n in range(4000)]
    new = [f"{n % 3}x" if n % 5 else f"anchor {n}" for n in range(4000)]
    hunks = line_hunks(old, new)
    assert new == rebuilt(old, new, hunks)
    assert len(hunks) == 800


def test_long_lists_without_anything_in_common_are_one_hunk():
    old, new = ["a"] * 3000, ["b"] * 3000
    assert len(line_hunks(old, new)) == 1
