"""Strategies for texts as files hold them: mixed line endings, repeated lines, characters that other splitters trip on."""

from __future__ import annotations

from hypothesis import strategies as st

ENDINGS = ("\n", "\r\n", "\r")
_WORDS = st.sampled_from(["a", "b", "x = 1", "x = 2", "}", "", "    y", "\ty", "é\u2028z", "page\fbreak", "“q”", "😀"])

line_contents = st.one_of(_WORDS, st.text(st.characters(blacklist_characters="\r\n", blacklist_categories=("Cs",)), max_size=8))


@st.composite
def texts(draw: st.DrawFn, *, endings: tuple[str, ...] = ENDINGS, max_lines: int = 12) -> str:
    """A text of lines with any mix of the endings; the last line may have none."""
    lines = draw(st.lists(line_contents, max_size=max_lines))
    chosen = [draw(st.sampled_from(endings)) for _ in lines]
    if chosen and draw(st.booleans()):
        chosen[-1] = ""
    text = "".join(line + ending for line, ending in zip(lines, chosen, strict=True))
    return text


uniform_texts = st.sampled_from(ENDINGS).flatmap(lambda ending: texts(endings=(ending,)))
"""Texts with one kind of line ending."""
