"""The timeline of each run: turns, model waits, tool calls, approvals and errors as bars on a time axis."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from steersman.agent.messages import AssistantMessage
from steersman.agent.result import StopReason
from steersman.sessions.export.html import svg
from steersman.sessions.export.html.escape import text
from steersman.sessions.export.html.scales import Scale, time_label, time_ticks
from steersman.sessions.export.transcript import Exchange, Transcript
from steersman.sessions.export.wording import count, decision, duration, short_time
from steersman.sessions.records import StoredMessage, Timing, TimingKind

_WIDTH = 1000.0
_LEFT = 92.0
_RIGHT = 12.0
_TOP = 26.0
_LANE = 26.0
_BAR = 16.0
_LEAST_BAR = 1.5
_LABEL = 30.0
_UNFOLDED_RUNS = 6

_LANES: tuple[tuple[TimingKind, str], ...] = (("model", "model"), ("tool", "tools"), ("approval", "your answer"))
_WORDS: dict[TimingKind, str] = {
    "model": "waiting for the model",
    "tool": "tool",
    "approval": "waiting for your answer",
    "retry": "waiting to try again",
}


_HARMLESS = frozenset({"note"})
_ORDINARY_ENDS = frozenset({"", *StopReason})


@dataclass(frozen=True, slots=True)
class Run:
    """The spans of one run; ``began`` and ``ended`` in seconds since the epoch."""

    timings: tuple[Timing, ...]
    began: float
    ended: float
    outcome: str


class Targets:
    """Knows what a span of time led to: a message, as the id of its place in the page, and whether it failed."""

    def __init__(self, transcript: Transcript, exchanges: Iterable[Exchange]) -> None:
        answers = [stored for stored in transcript.messages if isinstance(stored.message, AssistantMessage)]
        self._times = [stored.created_at for stored in answers]
        self._answers = answers
        self._by_span: dict[Timing, StoredMessage] = {
            span: exchange.result
            for exchange in exchanges
            for span in (exchange.ran, exchange.asked)
            if span is not None and exchange.result is not None
        }

    def of(self, timing: Timing) -> str | None:
        """Return the id, or None."""
        if timing.kind != "model":
            result = self._by_span.get(timing)
            return f"m{result.seq}" if result else None
        index = bisect_right(self._times, timing.ended) - 1
        if index < 0 or self._times[index] < timing.started:
            return None
        return f"m{self._answers[index].seq}"

    def has_failed(self, timing: Timing) -> bool:
        """Say whether it was a tool whose result is an error."""
        result = self._by_span.get(timing)
        return timing.kind == "tool" and result is not None and getattr(result.message, "is_error", False)


def split_runs(timings: Sequence[Timing]) -> list[Run]:
    """Return the runs in order of their beginning."""
    by_run: dict[str, list[Timing]] = {}
    for timing in timings:
        by_run.setdefault(timing.run_id, []).append(timing)
    runs: list[Run] = []
    for spans in by_run.values():
        whole = next((span for span in spans if span.kind == "run"), None)
        ended = max(span.ended for span in spans)
        runs.append(Run(tuple(spans), min(span.started for span in spans), ended, whole.label if whole else ""))
    return runs


def timeline_section(transcript: Transcript, targets: Targets) -> str:
    """Return the section, or "" when no times were kept."""
    runs = split_runs(transcript.timings)
    if not runs:
        return ""
    figures = [_figure(number, run, targets) for number, run in enumerate(runs, 1)]
    earlier, latest = figures[:-_UNFOLDED_RUNS], figures[-_UNFOLDED_RUNS:]
    folded = f"<details><summary>{count(len(earlier), 'earlier run')}</summary>{''.join(earlier)}</details>"
    return (
        f'<section id="timeline"><h2>Timeline</h2>{_legend(transcript.timings)}'
        f"{folded if earlier else ''}{''.join(latest)}</section>"
    )


def _legend(timings: Sequence[Timing]) -> str:
    """Return what the colours mean, and how much time went there in all."""
    items: list[str] = []
    for kind in ("model", "tool", "approval", "retry"):
        spans = [span.ended - span.started for span in timings if span.kind == kind]
        total = f" <b>{duration(sum(spans))}</b>" if spans else ""
        items.append(f'<li><span class="swatch {kind}"></span>{_WORDS[kind]}{total}</li>')
    items.append('<li><span class="swatch error"></span>error</li>')
    return f'<ul class="legend" aria-label="Legend">{"".join(items)}</ul>'


def _figure(number: int, run: Run, targets: Targets) -> str:
    seconds = run.ended - run.began
    scale = Scale(0, max(seconds, 0.001), _LEFT, _WIDTH - _RIGHT)
    bottom = _TOP + _LANE * len(_LANES)
    body = "".join(
        [
            *_turns(run, scale, bottom),
            *_axis(seconds, scale, bottom),
            *(svg.label(0, _TOP + _LANE * (lane + 0.66), words, "lane") for lane, (_, words) in enumerate(_LANES)),
            *_bars(run, scale, targets),
        ]
    )
    turns = sum(span.kind == "turn" for span in run.timings)
    told = count(turns, "turn") if turns else ""
    facts = [f"Run {number}", short_time(run.began), told, duration(seconds), run.outcome.replace("_", " ")]
    caption = " · ".join(text(fact) for fact in facts if fact)
    picture = svg.drawing(_WIDTH, bottom + 24, f"Timeline of run {number}", body)
    return f"<figure><figcaption>{caption}</figcaption>{picture}</figure>"


def _turns(run: Run, scale: Scale, bottom: float) -> Iterable[str]:
    """Every other turn has a band; each has its number where there is room."""
    for span in run.timings:
        if span.kind != "turn":
            continue
        left, right = scale.at(span.started - run.began), scale.at(span.ended - run.began)
        if span.turn % 2:
            yield svg.bar(left, _TOP - 4, right - left, bottom - _TOP + 6, "band", f"turn {span.turn}")
        if right - left > 14:
            yield svg.label((left + right) / 2, _TOP - 10, str(span.turn), "turn", "middle")


def _axis(seconds: float, scale: Scale, bottom: float) -> Iterable[str]:
    for tick in time_ticks(seconds):
        x = scale.at(tick)
        yield svg.line(x, _TOP - 4, x, bottom + 2)
        anchor = "start" if not tick else "end" if x > _WIDTH - _LABEL else "middle"
        yield svg.label(x, bottom + 17, time_label(tick), "axis", anchor)


def _bars(run: Run, scale: Scale, targets: Targets) -> Iterable[str]:
    lanes: dict[TimingKind, int] = {kind: lane for lane, (kind, _) in enumerate(_LANES)}
    for span in run.timings:
        left, right = scale.at(span.started - run.began), scale.at(span.ended - run.began)
        if span.kind == "error" and span.label not in _HARMLESS:
            yield _error(left, span.label)
        elif span.kind in _WORDS:
            lane = lanes.get(span.kind, 0)
            y = _TOP + _LANE * lane + (_LANE - _BAR) / 2
            kind = f"{span.kind} failed" if targets.has_failed(span) else span.kind
            words = decision(span.label) if span.kind == "approval" else span.label
            tip = " · ".join(part for part in (_WORDS[span.kind], words, duration(span.ended - span.started)) if part)
            yield svg.bar(left, y, max(right - left, _LEAST_BAR), _BAR, kind, tip, targets.of(span))
    if run.outcome not in _ORDINARY_ENDS:
        yield _error(scale.at(run.ended - run.began), run.outcome)


def _error(x: float, label: str) -> str:
    return svg.diamond(x, _TOP + _LANE * 0.5, 6, "error", label.replace("_", " ") or "error")
