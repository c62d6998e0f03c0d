"""Strategies for texts as files hold them: mixed line endings, repeated lines, characters that other splitters trip on."""

from __future__ import annotations

import difflib

from hypothesis import strategies as st

from steersman.agent.lines import split_lines

ENDINGS = ("\n", "\r\n", "\r")
_WORDS = st.sampled_from(["a", "b", "x = 1", "x = 2", "}", "", "    y", "\ty", "é\u2028z", "page\fbreak", "“q”", "😀"])

line_contents = st.one_of(
    _WORDS, st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=("Cs",)), max_size=8)
)


@st.composite
def texts(draw: st.DrawFn, *, endings: tuple[str, ...] = ENDINGS, max_lines: int = 12) -> str:
    """A text of lines with any mix of the endings; the last line may have none."""
    lines = draw(st.lists(line_contents, max_size=max_lines))
    chosen = [draw(st.sampled_from(endings)) for _ in lines]
    if chosen and draw(st.booleans()):
        chosen[-1] = ""
    return "".join(line + ending for line, ending in zip(lines, chosen, strict=True))


uniform_texts = st.sampled_from(ENDINGS).flatmap(lambda ending: texts(endings=(ending,)))
"""Texts with one kind of line ending."""


def unified_diff(before: str, after: str, context: int = 3) -> str:
    """Return the diff of two texts as difflib writes it, every line with the ending that it has in its file."""
    lines = difflib.unified_diff(split_lines(before), split_lines(after), "a/f.txt", "b/f.txt", n=context)
    return "".join(_ended(line) for line in lines)


def git_diff(before: str, after: str, context: int = 3) -> str:
    r"""Return the diff of two texts as git writes it: lines end at ``\n`` alone."""
    lines = difflib.unified_diff(_lf_lines(before), _lf_lines(after), "a/f.txt", "b/f.txt", n=context)
    return "".join(_ended(line, endings="\n") for line in lines)


def begin_patch(before: str, after: str, context: int = 3) -> str:
    """Return the patch of two texts in the ``*** Begin Patch`` format, with the endings that the lines have."""
    old, new = split_lines(before), split_lines(after)
    lines = ["*** Begin Patch\n*** Update File: f.txt\n"]
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(context):
        lines.append("@@\n")
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                lines += (f" {line}" for line in old[i1:i2])
                continue
            lines += (f"-{line}" for line in old[i1:i2])
            lines += (f"+{line}" for line in new[j1:j2])
    return "".join(map(_ended, lines)) + "*** End Patch\n"


def _ended(line: str, endings: str = "\r\n") -> str:
    return line if line[-1:] in endings else f"{line}\n\\ No newline at end of file\n"


def _lf_lines(text: str) -> list[str]:
    lines = [f"{line}\n" for line in text.split("\n")]
    return [*lines[:-1], *([lines[-1][:-1]] if lines[-1] != "\n" else [])]
