"""Where code stands in a line of Markdown; takes time in proportion to the text."""

from __future__ import annotations

from collections.abc import Iterator


def split_code(source: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces as (fence, text): a run of backticks and the code between two such runs, or "" and plain text.

    A run without its like is plain text. Joined with their fences on both sides the pieces are the source.
    """
    position = plain_from = 0
    missing: set[int] = set()
    while (begin := source.find("`", position)) >= 0:
        after = begin
        while after < len(source) and source[after] == "`":
            after += 1
        length = after - begin
        end = -1 if length in missing else _find_run(source, after, length)
        if end < 0:
            missing.add(length)
            position = after
            continue
        if plain_from < begin:
            yield "", source[plain_from:begin]
        yield source[begin:after], source[after:end]
        position = plain_from = end + length
    if plain_from < len(source):
        yield "", source[plain_from:]


def _find_run(source: str, start: int, length: int) -> int:
    """Return where a run of exactly so many backticks begins, or -1."""
    position = source.find("`", start)
    while position >= 0:
        end = position
        while end < len(source) and source[end] == "`":
            end += 1
        if end - position == length:
            return position
        position = source.find("`", end)
    return -1
