"""What ripgrep printed, taken apart file by file (DESIGN W9)."""

from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman_tools.kit.matches import FileHits, Hit, HitParser

NAMES = st.sampled_from([b"a.py", b"a.py.py", b"./b c", b"1:2:3:x", b"\xff.txt", b"d/-5-e"])
TEXTS = st.binary(max_size=20).map(lambda raw: raw.replace(b"\n", b""))
RECORDS = st.tuples(st.booleans(), st.integers(1, 99), TEXTS)
FILES = st.lists(
    st.tuples(NAMES, st.lists(RECORDS, min_size=1, max_size=5)), max_size=4, unique_by=lambda file: file[0]
)


def _printed(name: bytes, line: int, text: bytes, *, is_match: bool = True) -> bytes:
    head = b"%d:1:%d:" % (line, line) if is_match else b"%d-%d-" % (line, line)
    return name + b"\0" + head + text + b"\n"


def _parsed(*pieces: bytes, has_context: bool = True) -> list[FileHits]:
    parser = HitParser(lambda raw: raw.decode("latin-1"), has_context=has_context)
    for piece in pieces:
        parser.feed(piece)
    return parser.end()


def _shown(files: list[FileHits]) -> list[tuple[str, int, list[Hit]]]:
    return [(file.path, file.matches, list(file.hits())) for file in files]


@given(FILES)
def test_every_line_comes_back_in_its_file_whatever_it_holds(files: list[tuple[bytes, list[tuple[bool, int, bytes]]]]):
    data = b"".join(
        _printed(name, line, text, is_match=is_match) for name, records in files for is_match, line, text in records
    )
    parsed = _parsed(data)
    assert [file.path.encode("latin-1") for file in parsed] == [name for name, _ in files]
    for file, (_, records) in zip(parsed, files, strict=True):
        hits = [(hit.is_match, hit.line, hit.text) for hit in file.hits()]
        assert hits == [(is_match, line, text.removesuffix(b"\r")) for is_match, line, text in records]
        assert file.matches == sum(is_match for is_match, _, _ in records)


@given(FILES)
def test_without_context_the_lines_are_counted_alike(files: list[tuple[bytes, list[tuple[bool, int, bytes]]]]):
    data = b"".join(_printed(name, line, text) for name, records in files for _, line, text in records)
    assert _shown(_parsed(data, has_context=False)) == _shown(_parsed(data))


@settings(deadline=None, max_examples=50)
@given(FILES, st.lists(st.integers(0, 200), max_size=5), st.sampled_from([1, 4000]))
def test_it_does_not_matter_in_what_pieces_it_is_printed(
    files: list[tuple[bytes, list[tuple[bool, int, bytes]]]], cuts: list[int], repeated: int
):
    """Also where one file's lines are more than what is taken apart at once."""
    data = b"".join(
        _printed(name, line, text, is_match=is_match) * repeated
        for name, records in files
        for is_match, line, text in records
    )
    at = sorted({min(cut * len(data) // 200, len(data)) for cut in (0, *cuts, 200)})
    assert _shown(_parsed(*(data[one:other] for one, other in pairwise(at)))) == _shown(_parsed(data))


def test_an_empty_piece_says_that_this_was_all():
    parser = HitParser(lambda raw: raw.decode("latin-1"), has_context=False)
    for piece in (_printed(b"a", 1, b"one"), b"a\0" + b"2:1:9:two", b""):
        parser.feed(piece)

    assert [(file.path, file.matches) for file in parser.end()] == [("a", 2)]


def test_remarks_and_a_record_that_was_cut_off_are_left_out():
    whole = _printed(b"a", 1, b"one") + b'b: binary file matches (found "\\0" byte around offset 5)\n'
    for cut in (b"c", b"c\0", b"c\0" + b"12", b"c\0" + b"12:1", b"a\0" + b"2:1:"):
        (file,) = _parsed(whole + cut)
        assert (file.path, file.matches) == ("a", 1)
        assert [re.sub(rb"\W", b"", hit.text) for hit in file.hits()] == [b"one"]
