import json
import re
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from steersman.agent.errors import InvalidRequestError, SessionNotFoundError
from steersman.agent.messages import AssistantMessage, ToolMessage, UserMessage
from steersman.sessions.export import export_session
from steersman.sessions.export.as_markdown import code, fence
from steersman.sessions.export.inline import split_code
from steersman.sessions.store import SessionStore
from support.session_store import call


def exported(store: SessionStore, session_id: str) -> str:
    return export_session(store, session_id, "markdown")


def test_it_reads_like_a_conversation(store: SessionStore, sample: str):
    text = exported(store, sample)
    headings = re.findall(r"(?m)^#{1,2} .*", text)
    assert headings == [
        "# Make the parser survive missing temperatures",
        "## You",
        "## Assistant",
        "## You",
        "## Assistant",
        "## Steersman",
        "## Files changed",
    ]


def test_calls_show_what_they_did(store: SessionStore, sample: str):
    text = exported(store, sample)
    assert "> **edit\\_file** `src/forecast.py` — 1.0 s\n\n```diff\n a = 1\n-b = 2\n+b = 3\n```" in text
    assert "> **run\\_command** `pytest -q` — error, 1.0 s" in text
    assert "| src/forecast.py | edit | +1 | −1 |" in text


def test_headings_of_messages_stand_below_ours(store: SessionStore, sample: str):
    assert "\n#### What changed\n" in exported(store, sample)


def test_html_in_messages_is_text(store: SessionStore, session_of: Callable[..., str]):
    said = "<script>alert(1)</script> and `<b>` and\n```\n<i>\n```\n<img src=x>"
    text = exported(store, session_of(UserMessage(said)))
    assert "&lt;script>alert(1)&lt;/script> and `<b>` and\n```\n<i>\n```\n&lt;img src=x>" in text


def test_what_the_editor_sent_along_is_folded_and_cannot_get_out(store: SessionStore, session_of: Callable[..., str]):
    context = "The person has a.py open.\n\nSelected, line 1:\n```\n</details><b>\n```\n</details>\n```\nno end"
    text = exported(
        store, session_of(UserMessage(f"Do it.\n\n<context>\n{context}\n</context>"), AssistantMessage("ok"))
    )
    folded = text[text.index("<details>") : text.index("\n\n</details>")]
    assert folded.startswith("<details><summary>From the editor</summary>\n\nThe person has a.py open.\n")
    assert "context>" not in text
    rendered = MarkdownIt().render(text)
    assert rendered.count("<details>") == rendered.count("</details>") == 1
    assert "<b>" not in rendered


def test_a_diff_s_own_headings_stand_once(store: SessionStore, session_of: Callable[..., str]):
    patch = "*** Begin Patch\n*** Update File: a.py\n@@ def f():\n-a\n+b\n*** End Patch\n"
    edit = call(1, "apply_patch", json.dumps({"patch": patch}))
    text = exported(store, session_of(UserMessage("x"), AssistantMessage("", (edit,)), ToolMessage("c1", "done")))
    assert "```diff\n@@ def f():\n-a\n+b\n```" in text


def test_an_open_fence_is_closed_at_the_messages_end(store: SessionStore, session_of: Callable[..., str]):
    text = exported(store, session_of(UserMessage("~~~~\nno end"), AssistantMessage("next")))
    assert "~~~~\nno end\n~~~~\n" in text


def test_characters_that_are_not_seen_are_named(store: SessionStore, session_of: Callable[..., str]):
    text = exported(store, session_of(UserMessage("a\u202eb\x1b[31m")))
    assert "a⟨U+202E⟩b⟨U+001B⟩[31m" in text


def test_long_results_are_shortened_and_say_so(store: SessionStore, session_of: Callable[..., str]):
    result = "\n".join(f"line {number}" for number in range(1000))
    text = exported(store, session_of(UserMessage("x"), AssistantMessage("", (call(1),)), ToolMessage("c1", result)))
    assert "line 20" in text
    assert "line 500" not in text
    assert "more characters" in text


@given(st.text(st.sampled_from("`~ab \n"), max_size=40))
def test_nothing_breaks_out_of_a_fence(inner: str):
    tokens = MarkdownIt().parse(fence(inner) + "\n\nafter")
    assert [token.type for token in tokens[:2]] == ["fence", "paragraph_open"]


@given(st.text(st.sampled_from("`ab *"), min_size=1, max_size=30))
def test_nothing_breaks_out_of_inline_code(inner: str):
    rendered = code(inner)
    if not rendered:
        return
    (inline,) = [token for token in MarkdownIt().parse(f"x{rendered}x") if token.type == "inline"]
    assert [token.type for token in inline.children or []] == ["text", "code_inline", "text"]


@given(st.text(st.sampled_from("`a "), max_size=40))
def test_pieces_of_a_line_join_to_the_line(line: str):
    assert "".join(f"{tick}{piece}{tick}" for tick, piece in split_code(line)) == line


def test_an_unknown_format_names_those_there_are(store: SessionStore, sample: str):
    with pytest.raises(InvalidRequestError, match="json, markdown, html"):
        export_session(store, sample, "pdf")


@pytest.mark.parametrize("format_name", ["json", "markdown", "html"])
def test_an_unknown_session_is_told(store: SessionStore, format_name: str):
    with pytest.raises(SessionNotFoundError):
        export_session(store, "nope", format_name)
