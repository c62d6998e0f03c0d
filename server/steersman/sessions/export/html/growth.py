"""How the context and the cost grew, response by response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import accumulate

from steersman.sessions.export.html import svg
from steersman.sessions.export.html.scales import Scale, short_number, value_ticks
from steersman.sessions.export.transcript import Transcript
from steersman.sessions.export.wording import money, number
from steersman.sessions.records import ResponseUsage

_WIDTH, _HEIGHT = 480.0, 200.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 52.0, 10.0, 12.0, 28.0
_MOST_TIPS = 300
_MOST_DOTS = 60


def growth_section(transcript: Transcript) -> str:
    """Return the section, or "" when no usage is known."""
    responses = transcript.responses
    if not responses:
        return ""
    dashed = "; dashed: another run" if _run_starts(responses) else ""
    context = _figure("Context", f"input tokens a request; darker: from the cache{dashed}", _context(responses))
    spent = [response.cost for response in responses]
    cost = ""
    if any(spent):
        totals = list(accumulate(amount or 0.0 for amount in spent))
        cost = _figure("Cost", "US dollars so far, an estimate", _cost(totals, responses))
    else:
        totals = list(accumulate(response.usage.output_tokens for response in responses))
        cost = _figure("Output", "output tokens so far", _output(totals, responses))
    return f'<section id="growth"><h2>Growth</h2><div class="pair">{context}{cost}</div></section>'


def _figure(title: str, caption: str, body: str) -> str:
    picture = svg.drawing(_WIDTH, _HEIGHT, f"{title}: {caption}", body)
    return f"<figure><figcaption><strong>{title}</strong> — {caption}</figcaption>{picture}</figure>"


def _context(responses: Sequence[ResponseUsage]) -> str:
    starts = _run_starts(responses)
    inputs = [float(response.usage.input_tokens) for response in responses]
    cached = [float(response.usage.cached_input_tokens) for response in responses]
    x, y, frame = _frame(len(inputs), max(inputs), short_number)
    tips = [
        f"request {index}: {number(response.usage.input_tokens)} tokens in"
        f" ({number(response.usage.cached_input_tokens)} from the cache), {number(response.usage.output_tokens)} out"
        for index, response in enumerate(responses, 1)
    ]
    return "".join(
        [
            frame,
            *_run_marks(starts, x),
            svg.path(_points(inputs, x, y), "area model", base=_HEIGHT - _BOTTOM),
            svg.path(_points(cached, x, y), "area cached", base=_HEIGHT - _BOTTOM),
            svg.path(_points(inputs, x, y), "stroke model"),
            *_dots(inputs, x, y, "model"),
            *_tips(tips, x),
        ]
    )


def _cost(totals: list[float], responses: Sequence[ResponseUsage]) -> str:
    x, y, frame = _frame(len(totals), max(totals), lambda value: f"${value:.3g}")
    tips = [f"after response {index}: {money(total)}" for index, total in enumerate(totals, 1)]
    return _rising(totals, x, y, [frame, *_run_marks(_run_starts(responses), x)], tips)


def _output(totals: list[int], responses: Sequence[ResponseUsage]) -> str:
    values = [float(total) for total in totals]
    x, y, frame = _frame(len(values), max(values), short_number)
    tips = [f"after response {index}: {number(total)} tokens out" for index, total in enumerate(totals, 1)]
    return _rising(values, x, y, [frame, *_run_marks(_run_starts(responses), x)], tips)


def _rising(values: list[float], x: Scale, y: Scale, behind: list[str], tips: list[str]) -> str:
    points = _points(values, x, y)
    area = svg.path(points, "area approval", base=_HEIGHT - _BOTTOM)
    dots = _dots(values, x, y, "approval")
    return "".join([*behind, area, svg.path(points, "stroke approval"), *dots, *_tips(tips, x)])


def _run_starts(responses: Sequence[ResponseUsage]) -> list[int]:
    """Return the indexes of the responses that began another run."""
    return [index for index in range(1, len(responses)) if responses[index].run_id != responses[index - 1].run_id]


def _run_marks(starts: Sequence[int], x: Scale) -> Iterable[str]:
    """Yield a line before each further run, where few enough are there to be told apart."""
    if len(starts) <= _MOST_DOTS:
        for index in starts:
            yield svg.line(x.at(index - 0.5), _TOP, x.at(index - 0.5), _HEIGHT - _BOTTOM, "run")


def _dots(values: Sequence[float], x: Scale, y: Scale, kind: str) -> Iterable[str]:
    """Yield a dot a response, where there is room for them."""
    if len(values) <= _MOST_DOTS:
        for index, value in enumerate(values):
            yield svg.dot(x.at(index), y.at(value), 3, f"dot {kind}")


def _frame(amount: int, highest: float, words: Callable[[float], str]) -> tuple[Scale, Scale, str]:
    """Return both scales, and the axes."""
    ticks = value_ticks(highest)
    x = Scale(0, max(amount - 1, 1), _LEFT, _WIDTH - _RIGHT)
    y = Scale(0, ticks[-1], _HEIGHT - _BOTTOM, _TOP)
    pieces = [svg.line(_LEFT, y.at(tick), _WIDTH - _RIGHT, y.at(tick)) for tick in ticks]
    pieces += [svg.label(_LEFT - 6, y.at(tick) + 4, words(tick), "axis", "end") for tick in ticks]
    pieces.append(svg.label(_LEFT, _HEIGHT - 8, "1", "axis", "start"))
    if amount > 1:
        pieces.append(svg.label(_WIDTH - _RIGHT, _HEIGHT - 8, number(amount), "axis", "end"))
    return x, y, "".join(pieces)


def _points(values: Sequence[float], x: Scale, y: Scale) -> list[tuple[float, float]]:
    """Return a point a value; a single one becomes a level line."""
    points = [(x.at(index), y.at(value)) for index, value in enumerate(values)]
    return [*points, (x.end, points[0][1])] if len(points) == 1 else points


def _tips(words: Sequence[str], x: Scale) -> Iterable[str]:
    """Yield invisible columns that tell their value, where they are wide enough to be met."""
    if len(words) > _MOST_TIPS:
        return
    width = (x.end - x.start) / max(len(words) - 1, 1)
    for index, tip in enumerate(words):
        left = max(x.at(index) - width / 2, x.start)
        right = min(x.at(index) + width / 2, x.end)
        yield svg.bar(left, _TOP, max(right - left, 1), _HEIGHT - _TOP - _BOTTOM, "tip", tip)
