"""The page around it all: head, facts, sections, foot.

A strict content security policy stands in the page itself: no script, no network, no form, and only the one style
sheet whose digest it names.
"""

from __future__ import annotations

import base64
import hashlib
from itertools import chain
from pathlib import Path

from steersman.agent.messages import AssistantMessage, ToolMessage
from steersman.sessions.export.html.changes import files_section
from steersman.sessions.export.html.conversation import conversation_section
from steersman.sessions.export.html.escape import attribute, text
from steersman.sessions.export.html.growth import growth_section
from steersman.sessions.export.html.timeline import Targets, split_runs, timeline_section
from steersman.sessions.export.transcript import Transcript, changed_files, find_exchanges
from steersman.sessions.export.wording import count, duration, money, number, short_time

_STYLE_FILE = Path(__file__).with_name("style.css")


def to_html(transcript: Transcript) -> str:
    """Return the document."""
    style = _STYLE_FILE.read_text("utf-8")
    title = transcript.session.title
    exchanges = find_exchanges(transcript)
    targets = Targets(transcript, chain.from_iterable(exchanges.values()))
    sections = [
        timeline_section(transcript, targets),
        growth_section(transcript),
        files_section(transcript),
        conversation_section(transcript, exchanges),
    ]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_policy(style)}">',
            '<meta name="referrer" content="no-referrer">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<meta name="generator" content="Steersman">',
            f"<title>{attribute(title)}</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            _head(transcript),
            _navigation(sections),
            f"<main>{_facts(transcript)}{''.join(sections)}</main>",
            _foot(transcript),
            "</body>",
            "</html>",
            "",
        ]
    )


def _policy(style: str) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _head(transcript: Transcript) -> str:
    session = transcript.session
    facts = [short_time(session.created_at), session.model, session.folder]
    line = "".join(f"<li>{text(fact)}</li>" for fact in facts if fact)
    fork = f"<li>fork of {text(session.parent_id)}</li>" if session.parent_id else ""
    return (
        f'<header class="top"><p class="kicker">Steersman session</p><h1 dir="auto">{text(session.title)}</h1>'
        f"<ul>{line}{fork}</ul></header>"
    )


def _navigation(sections: list[str]) -> str:
    names = ("timeline", "growth", "files", "conversation")
    links = "".join(
        f'<a href="#{name}">{name.capitalize()}</a>' for name, section in zip(names, sections, strict=True) if section
    )
    return f'<nav aria-label="Sections">{links}</nav>'


def _facts(transcript: Transcript) -> str:
    session, runs = transcript.session, split_runs(transcript.timings)
    answers = [stored.message for stored in transcript.messages if isinstance(stored.message, AssistantMessage)]
    failed = sum(isinstance(stored.message, ToolMessage) and stored.message.is_error for stored in transcript.messages)
    files = changed_files(transcript)
    added, removed = sum(change.added for change in files), sum(change.removed for change in files)
    usage = session.usage
    cards = [
        ("messages", number(len(transcript.messages)), count(len(answers), "answer")),
        (
            "tool calls",
            number(sum(len(answer.tool_calls) for answer in answers)),
            f"{number(failed)} failed" if failed else "",
        ),
        ("files changed", number(len(files)), f"+{number(added)} −{number(removed)}" if files else ""),
    ]
    if runs:
        worked = sum(run.ended - run.began for run in runs)
        cards.insert(0, ("time at work", duration(worked), count(len(runs), "run")))
    if usage.total_tokens:
        about = "≈ " if usage.estimated else ""
        detail = f"{about}{number(usage.input_tokens)} in, {number(usage.output_tokens)} out"
        cards.append(("tokens", about + number(usage.total_tokens), detail))
    if session.cost is not None:
        cards.append(("cost", money(session.cost), "an estimate"))
    items = "".join(
        f'<div><dt>{name}</dt><dd>{value}<span class="quiet">{detail}</span></dd></div>'
        for name, value, detail in cards
    )
    return f'<dl class="cards">{items}</dl>'


def _foot(transcript: Transcript) -> str:
    masked = "Text that looks like a secret is masked." if transcript.masked else "Secrets are not masked."
    return (
        f'<footer class="bottom"><p>Session {text(transcript.session.id)}, exported by Steersman'
        f" {short_time(transcript.exported_at)}. {masked} Costs are estimates.</p></footer>"
    )
