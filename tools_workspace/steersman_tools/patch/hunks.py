r"""Putting hunks into a text: each where it belongs, or none (DESIGN W6).

A hunk may fit in several places; what decides is, in this order: the lines after ``@@``, the end of the file, the very
line that the patch names, the order of the hunks, the shift of the hunks that are certain. If it is still not one
place, the patch is refused: the first of several places is a guess.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from steersman_tools.kit.endings import Piece, commonest_ending, ending_at, ending_of, join_pieces
from steersman_tools.kit.nearest import describe_places, number_line
from steersman_tools.kit.places import Fit, LineIndex, Tolerance, keep_typography
from steersman_tools.patch.model import Hunk, PatchError, PatchLine
from steersman_tools.patch.ordering import choose_in_order, every_way

_MAX_LISTED = 6
_MAX_COMPARED_WAYS = 16


@dataclass(frozen=True, slots=True)
class Placed:
    """A hunk and the places where it could go."""

    hunk: Hunk
    fits: tuple[Fit, ...]


def apply_hunks(text: str, hunks: Sequence[Hunk], name: str) -> tuple[str, Tolerance]:
    """Return the text with all hunks in it, and how exactly they fitted.

    Raises:
        PatchError: one fits nowhere, or in several places; with the nearest candidates.
    """
    index = LineIndex(text)
    placed = [_find(index, hunk, name) for hunk in hunks]
    chosen = _choose(index, placed, name)
    loosest = max((fit.tolerance for fit in chosen), default=Tolerance.EXACT)
    return _text_of(index, placed, chosen, name), loosest


def _text_of(index: LineIndex, placed: Sequence[Placed], fits: Sequence[Fit], name: str) -> str:
    ordered = sorted(zip(placed, fits, strict=True), key=lambda pair: (pair[1].start, pair[1].end))
    return _compose(index, [(each.hunk, fit) for each, fit in ordered], name)


def _find(index: LineIndex, hunk: Hunk, name: str) -> Placed:
    """Return the hunk with every place it could go to; without its loose blank lines where it fits only so."""
    for dropped in range(hunk.loose_blanks + 1):
        lines = hunk.lines[: len(hunk.lines) - dropped]
        trimmed = hunk if not dropped else replace(hunk, lines=lines, loose_blanks=0)
        old = [line.text for line in lines if line.kind != "+"]
        if not old:
            return Placed(trimmed, (_insertion(index, trimmed, name),))
        if fits := index.fits(old):
            return Placed(trimmed, _narrowed(index, trimmed, fits, name))
    block = [line.text for line in hunk.lines[: len(hunk.lines) - hunk.loose_blanks] if line.kind != "+"]
    raise PatchError(f"{hunk.name} does not fit {name}. {_why_not(index, hunk, block)}")


def _why_not(index: LineIndex, hunk: Hunk, block: Sequence[str]) -> str:
    new = [line.text for line in hunk.lines if line.kind != "-"]
    if len(new) > 1 and (done := index.fits_at(new, Tolerance.EXACT)):
        return f"What it would make already stands there, in line {done[0].start + 1}; was it applied before?"
    return describe_places(index, block)


def _insertion(index: LineIndex, hunk: Hunk, name: str) -> Fit:
    """Return the empty place where a hunk without old lines goes: behind its anchor or line, or to the end."""
    if hunk.anchors:
        starts = _anchor_places(index, hunk, name)
        if len(starts) > 1:
            raise PatchError(_several(index, hunk, [Fit(at - 1, at) for at in starts], name))
        return Fit(starts[0], starts[0])
    at = len(index.lines) if hunk.line_number is None or hunk.at_end else min(hunk.line_number, len(index.lines))
    return Fit(at, at)


def _narrowed(index: LineIndex, hunk: Hunk, fits: list[Fit], name: str) -> tuple[Fit, ...]:
    if hunk.anchors:
        fits = _after_anchors(index, hunk, fits, name)
    if hunk.at_end and (last := [fit for fit in fits if fit.end == len(index.lines)]):
        fits = last
    if hunk.line_number is not None and (exact := [fit for fit in fits if fit.start == hunk.line_number - 1]):
        fits = exact
    return tuple(fits)


def _after_anchors(index: LineIndex, hunk: Hunk, fits: list[Fit], name: str) -> list[Fit]:
    found: dict[int, Fit] = {}
    for behind in _anchor_places(index, hunk, name):
        # the anchor itself may be repeated as the first line of the hunk
        first = next((fit for fit in fits if fit.start >= behind - 1), None)
        if first is not None:
            found[first.start] = first
    if not found:
        places = ", ".join(str(fit.start + 1) for fit in fits[:_MAX_LISTED])
        raise PatchError(f"{hunk.name} does not fit {name} behind its @@ line, only in line {places}")
    return list(found.values())


def _anchor_places(index: LineIndex, hunk: Hunk, name: str) -> list[int]:
    """Return the indices behind every place where the anchors stand one after the other."""
    places = [0]
    for depth, anchor in enumerate(hunk.anchors):
        stands = _lines_like(index, anchor)
        if depth == 0:
            places = [at + 1 for at in stands]
        else:
            nexts = (next((at for at in stands if at >= place), None) for place in places)
            places = sorted({at + 1 for at in nexts if at is not None})
        if not places:
            raise PatchError(
                f"{hunk.name} does not fit {name}: the line after @@ is not there. {describe_places(index, [anchor])}"
            )
    return places


def _lines_like(index: LineIndex, anchor: str) -> list[int]:
    for tolerance in Tolerance:
        if found := list(index.positions(anchor, tolerance)):
            return found
    return [at for at, line in enumerate(index.lines) if line.strip().startswith(anchor)]


def _choose(index: LineIndex, placed: Sequence[Placed], name: str) -> list[Fit]:
    """Return one place for each hunk.

    Raises:
        PatchError: there is no way, or more than one.
    """
    ways, chosen = choose_in_order([each.fits for each in placed])
    if ways > 1:
        placed = _by_shift(placed)
        ways, chosen = choose_in_order([each.fits for each in placed])
    if ways == 1:
        return chosen
    open_hunk = next((each for each in placed if len(each.fits) > 1), None)
    if ways == 0 and open_hunk is None:  # out of order, but each in its only place
        fits = [each.fits[0] for each in placed]
        _refuse_overlaps(placed, fits, name)
        return fits
    if open_hunk is None or ways == 0:
        raise PatchError(f"the hunks do not fit {name} one after the other; give them in the order of the file")
    ways_all = every_way([each.fits for each in placed], _MAX_COMPARED_WAYS) or []
    if ways_all and len({_text_of(index, placed, way, name) for way in ways_all}) == 1:
        return ways_all[0]  # one more blank line is the same above and below another one
    raise PatchError(_several(index, open_hunk.hunk, open_hunk.fits, name))


def _by_shift(placed: Sequence[Placed]) -> list[Placed]:
    """Let the hunks whose place is certain say how far the lines have moved for the others."""
    result: list[Placed] = []
    certain = (_shift_of(each) for each in placed)
    shift = next((one for one in certain if one is not None), None)
    for each in placed:
        expected = None if each.hunk.line_number is None or shift is None else each.hunk.line_number - 1 + shift
        fits = each.fits
        if expected is not None and len(fits) > 1:
            fits = tuple(fit for fit in fits if fit.start == expected) or fits
        result.append(Placed(each.hunk, fits))
        own = _shift_of(result[-1])
        shift = shift if own is None else own
    return result


def _shift_of(placed: Placed) -> int | None:
    """Return by how many lines the hunk's place is off the line it names, where both are certain."""
    number = placed.hunk.line_number
    return placed.fits[0].start - (number - 1) if len(placed.fits) == 1 and number is not None else None


def _refuse_overlaps(placed: Sequence[Placed], fits: Sequence[Fit], name: str) -> None:
    ordered = sorted(zip(fits, placed, strict=True), key=lambda pair: (pair[0].start, pair[0].end))
    for (one, first), (other, second) in pairwise(ordered):
        if other.start < one.end:
            raise PatchError(f"{first.hunk.name} and {second.hunk.name} change the same lines of {name}")


def _several(index: LineIndex, hunk: Hunk, fits: Sequence[Fit], name: str) -> str:
    shown = "\n".join(number_line(fit.start, index.lines[fit.start]) for fit in fits[:_MAX_LISTED])
    more = f"\n       and {len(fits) - _MAX_LISTED} more" if len(fits) > _MAX_LISTED else ""
    return (
        f"{hunk.name} fits {len(fits)} places in {name}:\n{shown}{more}\n"
        "Add lines of context, or an @@ line with the function or class around it"
    )


def _compose(index: LineIndex, hunks: Sequence[tuple[Hunk, Fit]], name: str) -> str:
    pieces: list[Piece] = []
    done = 0
    for hunk, fit in hunks:
        pieces.append(Piece("".join(index.raw[done : fit.start]), is_fixed=True))
        pieces += _replacement(index, hunk, fit, name)
        done = fit.end
    pieces.append(Piece("".join(index.raw[done:]), is_fixed=True))
    return join_pieces(_ended([piece for piece in pieces if piece.text], index))


def _replacement(index: LineIndex, hunk: Hunk, fit: Fit, name: str) -> list[Piece]:
    """Return what stands in the place afterwards; lines of context keep the file's own bytes."""
    present = index.raw[fit.start : fit.end]
    ending = _ending_for(index, hunk, fit)
    result: list[Piece] = []
    at = 0
    removed: list[tuple[str, PatchLine]] = []
    for line in hunk.lines:
        if line.kind == " ":
            result.append(Piece(present[at], is_fixed=True))
            removed.clear()
        elif line.kind == "-":
            removed.append((present[at], line))
        else:
            was = removed.pop(0) if removed else None
            text = _added_line(line, was, fit, hunk, name)
            result.append(Piece(text + (ending if ending is not None else line.ending)))
        at += line.kind != "+"
    if result and _drops_final_newline(hunk, fit, index):
        text = result[-1].text
        result[-1] = Piece(text[: len(text) - len(ending_of(text))])
    return result


def _added_line(line: PatchLine, was: tuple[str, PatchLine] | None, fit: Fit, hunk: Hunk, name: str) -> str:
    text = line.text
    if fit.reindent is not None:
        indented = fit.reindent.line(text)
        if indented is None:
            raise PatchError(f"{hunk.name} fits {name} only with another indentation; use the file's own")
        text = indented
    if was is not None and fit.tolerance >= Tolerance.TYPOGRAPHY:
        text = keep_typography(was[0], was[1].text, text)
    return text


def _drops_final_newline(hunk: Hunk, fit: Fit, index: LineIndex) -> bool:
    r"""Whether the patch says that the file shall end without a newline (``\ No newline at end of file``)."""
    if fit.end < len(index.lines) or hunk.lines[-1].kind != "+":
        return False
    olds = [line for line in hunk.lines if line.kind != "+"]
    kept = bool(olds) and not olds[-1].ending and bool(ending_of(index.raw[fit.end - 1]))
    return not hunk.lines[-1].ending and not kept


def _ending_for(index: LineIndex, hunk: Hunk, fit: Fit) -> str | None:
    """Return the ending for added lines; None when the patch knows the file's endings, and so says its own.

    Otherwise the commonest of the region, or what the neighbours have.
    """
    present = index.raw[fit.start : fit.end]
    olds = [line for line in hunk.lines if line.kind != "+"]
    added = [line for line in hunk.lines if line.kind == "+"]
    known = [(ending_of(raw), line.ending) for raw, line in zip(present, olds, strict=True) if ending_of(raw)]
    if known and all(stands == says for stands, says in known) and all(line.ending for line in added[:-1]):
        return None
    around = [*present, *index.raw[max(0, fit.start - 1) : fit.start], *index.raw[fit.end : fit.end + 1]]
    found = commonest_ending(present) or commonest_ending(around) or commonest_ending(index.raw)
    return found or None


def _ended(pieces: list[Piece], index: LineIndex) -> list[Piece]:
    """Give an ending to a line that stood last without one when something follows it now."""
    for at, piece in enumerate(pieces[:-1]):
        if not ending_of(piece.text):
            before = ending_at(piece.text, len(piece.text)) or (ending_of(pieces[at - 1].text) if at else "")
            pieces[at] = Piece(piece.text + (before or commonest_ending(index.raw) or "\n"))
    return pieces
