"""Any text can be read to its end by following what the excerpts say, and any text that stands in a file is found."""

import asyncio
import re
import shutil
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.lines import split_lines, strip_ending
from steersman_tools.kit.excerpt import Bounds, take_excerpt
from steersman_tools.kit.portions import Portions
from support.reading import Reading
from support.texts import texts

bounds = st.builds(Bounds, lines=st.integers(1, 5), line_chars=st.integers(1, 8), chars=st.integers(1, 30))


@given(texts(), bounds)
def test_following_the_marks_shows_every_character_and_counts_as_the_whole_then(text: str, limits: Bounds) -> None:
    seen: set[int] = set()
    portions, offset, column, is_whole = Portions(), 1, 1, False
    for _ in range(len(text) + 10):
        part = take_excerpt(text, name="f", offset=offset, column=column, bounds=limits)
        assert len(part.spans) <= limits.lines
        assert sum(end - start for start, end in part.spans) <= limits.chars + 2 * limits.lines
        seen |= {position for start, end in part.spans for position in range(start, end)}
        is_whole = portions.add("f", "digest", part.spans, len(text))
        assert is_whole == (seen == set(range(len(text))))
        cut = re.search(r"offset=(\d+), column=(\d+)\]", part.shown)
        way_on = re.search(r"go on with offset=(\d+)\]", part.shown)
        if cut:
            offset, column = int(cut[1]), int(cut[2])
        elif way_on:
            offset, column = int(way_on[1]), 1
        else:
            break

    assert is_whole


@given(texts())
def test_what_is_shown_is_what_stands_there(text: str) -> None:
    shown = take_excerpt(text, name="f").shown

    for number, line in enumerate(split_lines(text), 1):
        assert f"{number}\t{strip_ending(line)}" in shown


_WORDS = st.text(st.sampled_from("ab-.*[]()|^$\\é→ \t\"'/#{}"), min_size=1, max_size=5)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    pattern=_WORDS,
    files=st.dictionaries(
        st.sampled_from(["a.py", "b.txt", "sub/c", "-x"]),
        st.lists(st.lists(_WORDS, max_size=4).map("".join), max_size=6),
    ),
    ending=st.sampled_from(["\n", "\r\n"]),
)
def test_a_text_is_found_in_exactly_the_lines_that_hold_it(
    tmp_path: Path, pattern: str, files: dict[str, list[str]], ending: str
) -> None:
    root = tmp_path / "ws"
    (root / "sub").mkdir(parents=True)
    expected: set[tuple[str, int, str]] = set()
    try:
        for name, lines in files.items():
            (root / name).write_text("".join(line + ending for line in lines), "utf-8", newline="")
            expected |= {(name, number, line) for number, line in enumerate(lines, 1) if pattern in line}

        shown = asyncio.run(Reading(root).grep(pattern, limit=1000))

        found: set[tuple[str, int, str]] = set()
        name = ""
        for line in shown.split("\n"):
            match = re.fullmatch(r"  (\d+): (.*)", line)
            if match:
                found.add((name, int(match[1]), match[2]))
            else:
                name = line
        assert found == expected
    finally:
        shutil.rmtree(root)
