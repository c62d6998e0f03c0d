"""What the model is told when an edit of an open document is not there: what stands now, and what to do (DESIGN W2).

Bounded (W9): a part of the present text around the place, and for a misplaced edit the patch that puts it right.
"""

from __future__ import annotations

from difflib import unified_diff
from itertools import islice

from steersman.agent.lines import split_lines, strip_ending
from steersman.lsp.apply_edit import Outcome
from steersman.lsp.merge import plain
from steersman_tools.kit.workspace import ApplyError, ChangedError

_AROUND = 8
_MOST_LINES = 40
_MOST_CHARS = 200
_MOST_PATCH_LINES = 80


def error_of(outcome: Outcome, name: str) -> ApplyError | ChangedError:
    """Return the error for an outcome that is not *confirmed*. ``name`` is the path as the model sees it."""
    because = f" (the editor: {outcome.reason})" if outcome.reason else ""
    match outcome.kind:
        case "refuted" if outcome.moved:
            return ChangedError(
                f"{name} was changed in the editor at the same place; nothing was changed.{_present(outcome)}"
            )
        case "refuted":
            return ApplyError(f"the editor did not make the edit of {name}{because}; nothing was changed.")
        case "misplaced":
            return ApplyError(_misplaced(outcome, name))
        case "closed":
            return ApplyError(
                f"{name} was closed in the editor while it was being edited; it cannot be told whether the edit was "
                "kept. Read the file before you go on."
            )
        case _:
            return ApplyError(
                f"the edit of {name} could not be confirmed{because}: the editor showed no text that has it in place. "
                f"It may still arrive. Read the file before you go on.{_present(outcome)}"
            )


def _misplaced(outcome: Outcome, name: str) -> str:
    said = (
        f"the edit hit text in {name} that it was not meant for: something was typed while the editor made it. "
        "Tell the person, and do not take the file for right."
    )
    patch = repair_patch(outcome, name)
    if patch is None:
        return f"{said} How to put it right cannot be told from here.{_present(outcome)}"
    return f"{said} This patch puts it right:\n{patch}"


def repair_patch(outcome: Outcome, name: str) -> str | None:
    """Return the unified diff from the present text to the repaired one; None when there is none, or it is too long."""
    if outcome.repaired is None or outcome.now is None:
        return None
    old, new = (_diffable(text) for text in (plain(outcome.now), outcome.repaired))
    lines = list(islice(unified_diff(old, new, f"a/{name}", f"b/{name}"), _MOST_PATCH_LINES + 1))
    return "".join(lines) if 0 < len(lines) <= _MOST_PATCH_LINES else None


def _diffable(text: str) -> list[str]:
    return [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in split_lines(text)]


def _present(outcome: Outcome) -> str:
    """The present text around the place, with line numbers; "" when there is none to show."""
    if outcome.now is None or outcome.sent is None:
        return ""
    lines = split_lines(outcome.now)
    first = outcome.sent.edits[0].range.start.line if outcome.sent.edits else 0
    last = outcome.sent.edits[-1].range.end.line if outcome.sent.edits else 0
    start = max(0, min(first, len(lines)) - _AROUND)
    end = min(len(lines), last + _AROUND + 1, start + _MOST_LINES)
    shown = [f"{number}: {_clipped(line)}" for number, line in enumerate(lines[start:end], start + 1)]
    return f" Lines {start + 1} to {end} of {len(lines)} are now:\n" + "\n".join(shown) if shown else ""


def _clipped(line: str) -> str:
    text = strip_ending(line)
    return text if len(text) <= _MOST_CHARS else f"{text[:_MOST_CHARS]}… ({len(text)} characters)"
