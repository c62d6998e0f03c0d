"""A buffer's text as tools see it and back: line ends and byte order mark are the editor's (DESIGN W2, W3)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.buffer_text import changed_buffer, changes_line_ends_only, is_lossy, presented, replaced_buffer
from steersman.lsp.merge import plain

LINES = st.lists(st.sampled_from(["a", "b", "ö🎉", ""]), max_size=8)
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])


def text(lines, ending):
    return "".join(f"{line}{ending}" for line in lines)


@given(LINES, LINES, ENDINGS, ENDINGS, st.booleans())
def test_any_change_leads_to_the_text_meant_in_the_buffers_own_line_ends(before, after, file_ending, own, marked):
    mark = "\ufeff" if marked else ""
    buffer = mark + text(before, own)
    changed = changed_buffer(buffer, text(before, file_ending), text(after, file_ending))
    assert plain(changed) == text(after, "\n")
    assert changed.startswith(mark)
    if before and own not in {"\n", file_ending}:
        assert "\n" not in changed.replace(own, "")


@given(LINES, ENDINGS, ENDINGS)
def test_what_tools_see_of_an_unchanged_buffer_is_the_text_on_disk(lines, own, file_ending):
    assert presented(text(lines, own), text(lines, file_ending)) == text(lines, file_ending)


@given(LINES, LINES, ENDINGS)
def test_what_tools_see_has_one_style_of_line_ends_where_the_disk_has(lines, disk, file_ending):
    seen = presented(text(lines, "\n"), text(disk, file_ending))
    assert plain(seen) == text(lines, "\n")
    if disk:
        assert seen == text(lines, file_ending)


def test_a_change_of_another_text_is_an_error():
    with pytest.raises(ValueError, match="another text"):
        changed_buffer("one\n", "two\n", "three\n")


def test_a_buffer_replaced_as_a_whole_keeps_its_line_ends_and_mark():
    assert replaced_buffer("\ufeffa\nb\n", "x\r\nb\r\n") == "\ufeffx\nb\n"
    assert replaced_buffer("a\nb\n", "a\r\nb\r\n") == "a\nb\n"


def test_only_line_ends_is_told_from_no_change_and_from_a_real_one():
    assert changes_line_ends_only("a\n", "a\r\n")
    assert not changes_line_ends_only("a\n", "a\n")
    assert not changes_line_ends_only("a\n", "b\r\n")


@pytest.mark.parametrize(
    ("buffer", "disk", "lossy"),
    [
        ("a\ufffd", "a", True),
        ("a\ufffd", "a\ufffd", False),
        ("a\ufffd", b"a\xff", True),
        ("a\ufffd", None, False),
        ("a", b"a\xff", False),
    ],
)
def test_a_buffer_read_in_the_wrong_encoding_is_known_by_its_replacement_characters(buffer, disk, lossy):
    assert is_lossy(buffer, disk) is lossy
