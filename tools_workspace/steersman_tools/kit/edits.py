r"""Find and replace on a text, as models ask for it, and its honest failures (DESIGN W5).

Exact first; then tolerant of what models cannot see or copy faithfully (line endings, trailing white space,
typographic characters, uniform indentation), and only where exactly one place fits. A tolerance never changes a token.
The new text is inserted literally; it takes on the file's line endings, and lines that both texts have stay as they
are in the file, byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass

from steersman.agent.lines import split_lines, strip_ending
from steersman.agent.tool import ToolError
from steersman_tools.kit.endings import FlatText, ending_at, ending_of, flatten, join_pieces, rewrite
from steersman_tools.kit.indentation import Reindent
from steersman_tools.kit.nearest import describe_places, number_line
from steersman_tools.kit.places import LineIndex, Tolerance, keep_typography, plain_typography

_MAX_LISTED = 8
_AT_ONCE_CHARS = 2_000_000
_MIN_TELLING_CHARS = 10


@dataclass(frozen=True, slots=True)
class Edited:
    """A text after the edit.

    Attributes:
        text: the whole new text.
        count: how many places were changed.
        tolerance: how exactly the old text fitted.
    """

    text: str
    count: int
    tolerance: Tolerance = Tolerance.EXACT


@dataclass(frozen=True, slots=True)
class _Span:
    """Offsets in the text of one place, and how the model's lines are to be indented there."""

    start: int
    end: int
    reindent: Reindent | None = None


def replace_at_once(text: str, old: str, new: str) -> Edited | None:
    """Return what ``replace_text`` would where ``old`` fits one place exactly and each line ends in a newline alone.

    That is nearly every call, and quick enough to be done where it is asked for. None: it has to be looked into.
    """
    at = text.find(old) if old and len(text) <= _AT_ONCE_CHARS else -1
    if at < 0 or "\r" in text or "\r" in old or flatten(new) == old or text.find(old, at + 1) >= 0:
        return None
    result = _replace(text, [_Span(at, at + len(old))], old, new, Tolerance.EXACT)
    return None if result == text else Edited(result, 1)


def replace_text(text: str, old: str, new: str, *, replace_all: bool = False, name: str = "the file") -> Edited:
    """Replace the one place (or every one) where ``old`` stands.

    Args:
        text: the whole present text with its own line endings.
        old: what to find; not empty. Its line endings do not matter.
        new: what to put there, literally.
        replace_all: change every exact place instead of insisting on a single one.
        name: the file as the model knows it, for errors.

    Raises:
        ToolError: nothing fits, several places fit, or nothing would change; with the nearest candidates.
    """
    if flatten(old) == flatten(new):
        raise ToolError(_equal_texts(old, new))
    flat = FlatText.of(text)
    tolerance, spans = _find(flat, flatten(old), replace_all=replace_all)
    if not spans:
        raise ToolError(_absent(flat.flat, flatten(old), flatten(new), name))
    if len(spans) > 1 and not replace_all:
        raise ToolError(_ambiguous(flat, spans, name))
    if len(spans) > 1 and tolerance is not Tolerance.EXACT:
        raise ToolError(_ambiguous(flat, spans, name) + " None fits exactly, so replace_all cannot be used.")
    result = _replace(text, spans, old, new, tolerance)
    if result == text:
        raise ToolError(f"This edit would change nothing in {name}; it already reads so.")
    return Edited(result, len(spans), tolerance)


def _equal_texts(old: str, new: str) -> str:
    if old == new:
        return "old_text and new_text are the same; there is nothing to change."
    return "old_text and new_text differ only in line endings, which edits keep; there is nothing to change."


def _find(flat: FlatText, old: str, *, replace_all: bool) -> tuple[Tolerance, list[_Span]]:
    exact = _occurrences(flat.flat, old, overlapping=not replace_all)
    if exact:
        return Tolerance.EXACT, [_Span(flat.offset(at), flat.offset(at + len(old))) for at in exact]
    if not old.strip():
        return Tolerance.EXACT, []
    index = LineIndex(flat.text)
    if spans := _line_spans(index, old, Tolerance.TRAILING_SPACE):
        return Tolerance.TRAILING_SPACE, spans
    plain = _occurrences(plain_typography(flat.flat), plain_typography(old), overlapping=True)
    if plain:
        return Tolerance.TYPOGRAPHY, [_Span(flat.offset(at), flat.offset(at + len(old))) for at in plain]
    for tolerance in (Tolerance.TYPOGRAPHY, Tolerance.INDENTATION):
        if spans := _line_spans(index, old, tolerance):
            return tolerance, spans
    return Tolerance.EXACT, []


def _occurrences(text: str, wanted: str, *, overlapping: bool) -> list[int]:
    found: list[int] = []
    at = text.find(wanted)
    while at >= 0:
        found.append(at)
        at = text.find(wanted, at + (1 if overlapping else len(wanted)))
    return found


def _line_spans(index: LineIndex, old: str, tolerance: Tolerance) -> list[_Span]:
    """Return the places where old fits as whole lines, its last line without its ending unless old has one there."""
    pieces = split_lines(old)
    fits = index.fits_at([strip_ending(piece) for piece in pieces], tolerance)
    if not fits:
        return []
    starts = [0]
    for line in index.raw:
        starts.append(starts[-1] + len(line))
    spans: list[_Span] = []
    for fit in fits:
        end = starts[fit.end]
        if not ending_of(pieces[-1]):
            end -= len(ending_of(index.raw[fit.end - 1]))
        spans.append(_Span(starts[fit.start], end, fit.reindent))
    return spans


def _replace(text: str, spans: list[_Span], old: str, new: str, tolerance: Tolerance) -> str:
    first = spans[0]
    present = text[first.start : first.end]
    if len(spans) == 1 and present and text.find(present) == first.start:  # as a rule; a long text is copied once
        return text.replace(present, _composed(text, first, old, new, tolerance), 1)
    pieces: list[str] = []
    done = 0
    for span in spans:
        pieces.append(text[done : span.start])
        pieces.append(_composed(text, span, old, new, tolerance))
        done = span.end
    pieces.append(text[done:])
    return "".join(pieces)


def _composed(text: str, span: _Span, old: str, new: str, tolerance: Tolerance) -> str:
    """Return what shall stand in the span: the new text, dressed as the file is."""
    present = split_lines(text[span.start : span.end])
    taken_for = split_lines(flatten(old))
    wanted = split_lines(new)
    if span.reindent is not None:
        indented = span.reindent.lines(wanted)
        if indented is None:
            raise ToolError(
                "old_text fits only with another indentation, and new_text is indented less than that allows. "
                "Give both with the file's own indentation."
            )
        wanted = indented
        taken_for = span.reindent.lines(taken_for) or taken_for
    dress = keep_typography if tolerance >= Tolerance.TYPOGRAPHY else None
    default = ending_at(text, span.start)
    ends_early = bool(present and taken_for and ending_of(taken_for[-1]) and not ending_of(present[-1]))
    if not ends_early:
        made = rewrite(present, taken_for, wanted, default=default, dress=dress)
        return join_pieces(made, before=text[max(0, span.start - 1) : span.start], after=text[span.end : span.end + 1])
    # the file has no final newline where old_text ends with one: it still has none afterwards
    ending = default or "\n"
    made = rewrite([*present[:-1], present[-1] + ending], taken_for, wanted, default=default, dress=dress)
    result = join_pieces(made, before=text[max(0, span.start - 1) : span.start])
    return result[: len(result) - len(ending_of(result))]


def _absent(flat: str, old: str, new: str, name: str) -> str:
    index = LineIndex(flat)
    done = index.fits_at([strip_ending(line) for line in split_lines(new)], Tolerance.EXACT)
    if len(done) == 1 and len(new.strip()) >= _MIN_TELLING_CHARS:
        line = done[0].start + 1
        return f"old_text is not in {name}, but new_text already stands there, in line {line}. Was it changed before?"
    if not old.strip():
        return f"old_text is only white space, and {name} does not have it like this."
    block = [strip_ending(line) for line in split_lines(old)]
    return f"old_text is not in {name}. {describe_places(index, block)}"


def _ambiguous(flat: FlatText, spans: list[_Span], name: str) -> str:
    lines: list[str] = []
    for span in spans[:_MAX_LISTED]:
        start = max(flat.text.rfind("\n", 0, span.start), flat.text.rfind("\r", 0, span.start)) + 1
        number = len(split_lines(flat.text[:start]))
        lines.append(number_line(number, flat.text[start : start + 400].split("\n")[0].split("\r")[0]))
    more = f"\n       and {len(spans) - _MAX_LISTED} more" if len(spans) > _MAX_LISTED else ""
    return (
        f"old_text fits {len(spans)} places in {name}:\n" + "\n".join(lines) + more + "\n"
        "Add lines around it until one place is left, or set replace_all to change every one."
    )
