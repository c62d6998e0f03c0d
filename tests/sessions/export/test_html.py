"""The page is well formed, inert whatever was said, and shows everything there is."""

import base64
import hashlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.sessions.export import export_session
from steersman.sessions.export.html.escape import attribute, text
from steersman.sessions.export.html.prose import prose
from steersman.sessions.export.html.scales import Scale, short_number, time_label, time_ticks, value_ticks
from steersman.sessions.records import Timing
from steersman.sessions.store import SessionStore
from support.html_check import Page, read_page
from support.session_store import CountingIds, TickingClock, any_history, append_all, call

HOSTILE = [
    "<script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</title><img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "\"><a href='javascript:alert(1)'>x</a>",
    "[x](javascript:alert(1)) ![x](https://example.org/x.png)",
    "<!-- --><!--><script>",
    "&lt;script&gt; &amp;",
    "]]><?xml?>",
    "`<b>` **<i>** *<u>* ```<s>```",
    '```"onmouseover=alert(1)\n</code></pre><script>\n```',
    "\0<\0script>",
    "\u202e<\u2066script>\ufeff",
]


def page_of(store: SessionStore, session_id: str) -> Page:
    return read_page(export_session(store, session_id, "html"))


def test_the_page_is_well_formed_and_inert(store: SessionStore, sample: str):
    assert page_of(store, sample).problems == []


def test_its_policy_allows_its_own_style_and_nothing_else(store: SessionStore, sample: str):
    page = page_of(store, sample)
    digest = base64.b64encode(hashlib.sha256(page.style.encode()).digest()).decode()
    assert page.policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    assert "url(" not in page.style
    assert "@import" not in page.style


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_text_anywhere_stays_text(store: SessionStore, hostile: str):
    """In the title, the folder's name, messages, names of tools and models, arguments, results, labels."""
    session = store.create(hostile, model=hostile)
    with store.acquire(session.id, "test") as handle:
        handle.append(UserMessage(hostile))
        calls = (
            ToolCall("c1", hostile, hostile),
            ToolCall("c2", "edit_file", f'{{"path": {hostile!a}, "old_text": 1}}'),
            ToolCall(f"c3{hostile}", "write_file", '{"path": "<b>", "content": "<script>alert(1)</script>"}'),
        )
        handle.append(AssistantMessage(hostile, calls, reasoning=hostile, model=hostile))
        for each in calls:
            handle.append(ToolMessage(each.id, hostile))
        handle.record_timing(Timing(hostile, 1, "run", 1, 2, None, hostile))
        handle.record_timing(Timing(hostile, 1, "tool", 1, 2, f"c3{hostile}", hostile))
        handle.record_timing(Timing(hostile, 1, "error", 2, 2, None, hostile))
        handle.add_usage(Usage(1), None, run_id=hostile)
    assert page_of(store, session.id).problems == []


@given(any_history())
@settings(max_examples=40)
def test_any_conversation_gives_a_sound_page(history: list[Message]):
    store = SessionStore.in_memory(None, clock=TickingClock(), new_id=CountingIds())
    session = store.create("any")
    append_all(store, session.id, history)
    html = export_session(store, session.id, "html")
    html.encode("utf-8")
    assert read_page(html).problems == []
    store.close()


def test_everything_there_is_has_its_section(store: SessionStore, sample: str):
    html = export_session(store, sample, "html")
    assert re.findall(r'<section id="(\w+)">', html) == ["timeline", "growth", "files", "conversation"]
    page = read_page(html)
    told = " ".join(page.texts)
    for words in (
        "Make the parser survive",
        "pytest -q",
        "ImportError",
        "src/forecast.py",
        "cut off by the output limit",
    ):
        assert words in told
    assert "allowed after 6.5 s" in told
    assert "stream broken" in told


def test_bars_lead_to_the_messages(store: SessionStore, sample: str):
    html = export_session(store, sample, "html")
    timeline = html[html.index('id="timeline"') : html.index('id="growth"')]
    assert re.findall(r'href="#m(\d+)"', timeline)[:3] == ["1", "2", "3"]
    assert timeline.count('class="approval"') == 1
    assert timeline.count('class="tool failed"') == 1
    assert timeline.count('class="retry"') == 1
    assert timeline.count("<polygon") == 1


def test_a_session_without_times_and_usage_has_only_its_conversation(
    store: SessionStore, session_of: Callable[..., str]
):
    html = export_session(store, session_of(UserMessage("hello")), "html")
    assert re.findall(r'<section id="(\w+)">', html) == ["conversation"]
    assert read_page(html).problems == []


def test_an_empty_session_says_so(store: SessionStore):
    html = export_session(store, store.create("empty").id, "html")
    assert "Nothing was said yet." in html
    assert read_page(html).problems == []


def test_a_message_of_five_megabytes_is_clipped_and_says_so(store: SessionStore, session_of: Callable[..., str]):
    big = "<b>word</b> " * 450_000
    messages = (UserMessage(big), AssistantMessage(big, (call(1, arguments=big),)), ToolMessage("c1", big))
    html = export_session(store, session_of(*messages), "html")
    assert len(html) < 4_000_000
    assert html.count("more characters; the JSON export has them all.") == 4
    assert read_page(html).problems == []


def test_a_conversation_of_thousands_of_turns_is_one_page(store: SessionStore):
    session = store.create("long")
    with store.acquire(session.id, "test") as handle:
        handle.append(UserMessage("go"))
        for number in range(1000):
            handle.append(AssistantMessage(f"{number}", (call(1),)))
            handle.record_timing(Timing("r", number + 1, "tool", 1.7e9 + number, 1.7e9 + number + 1, "c1"))
            handle.append(ToolMessage("c1", "x"))
            handle.add_usage(Usage(number), 0.001, run_id="r", turn=number + 1)
    assert page_of(store, session.id).problems == []


def test_spans_of_a_repeated_call_id_belong_to_their_own_call(store: SessionStore, clock: Any):
    session = store.create("ids")
    with store.acquire(session.id, "test") as handle:
        handle.append(UserMessage("go"))
        for seconds in (1.0, 2.0):
            handle.append(AssistantMessage("", (call(1),)))
            handle.record_timing(Timing("r", 1, "tool", clock.now, clock.now + seconds, "c1"))
            clock.now += seconds
            handle.append(ToolMessage("c1", "x"))
            clock.now += 1
    html = export_session(store, session.id, "html")
    assert re.findall(r"<span>(\d\.\d s)</span>", html) == ["1.0 s", "2.0 s"]


def test_text_is_escaped_and_what_is_not_seen_is_shown():
    assert text("<&>\"'\r\n") == "&lt;&amp;&gt;&quot;&#39;\n"
    assert text("\u202e") == '<span class="ctl">U+202E</span>'
    assert attribute('a\nb\x00"') == "a b\ufffd&quot;"


@given(st.text(max_size=200))
def test_prose_of_any_text_is_sound(source: str):
    assert read_page(f"<p>{prose(source)}</p>").problems == []


@given(st.text(st.sampled_from("*`_#>-1. \nab<"), max_size=120))
def test_prose_of_any_signs_is_sound_and_loses_no_letter(source: str):
    page = read_page(prose(source))
    assert page.problems == []
    assert re.sub(r"[^ab]", "", "".join(page.texts)) == re.sub(r"[^ab]", "", source)


@pytest.mark.parametrize("piece", ["`", "``", "*", "**a", "```\n", "- ", "> ", "# ", "1. ", "\n\n", "`a"])
def test_prose_of_any_amount_takes_no_time(piece: str):
    prose(piece * 50_000)


@pytest.mark.parametrize(
    ("source", "html"),
    [
        ("a **b** *c* `d`", "<p>a <strong>b</strong> <em>c</em> <code>d</code></p>"),
        ("# Title", "<h4>Title</h4>"),
        ("- a\n- b\n  more", "<ul><li>a</li><li>b\nmore</li></ul>"),
        ("2. a\n3. b", '<ol start="2"><li>a</li><li>b</li></ol>'),
        ("> a\n> b", "<blockquote>a\nb</blockquote>"),
        ("---", "<hr>"),
        ("2 * 3 * 4 and a_b_c", "<p>2 * 3 * 4 and a_b_c</p>"),
        ("`**x**`", "<p><code>**x**</code></p>"),
        (
            "```py\nx < 1\n```",
            '<div class="code"><span class="language">py</span><pre><code>x &lt; 1</code></pre></div>',
        ),
        ("```\nno end", '<div class="code"><pre><code>no end</code></pre></div>'),
    ],
)
def test_the_markdown_that_models_write(source: str, html: str):
    assert prose(source) == html


class TestScales:
    @given(st.floats(0.01, 1e7))
    def test_time_has_few_round_ticks_within_the_span(self, span: float):
        ticks = time_ticks(span)
        assert 1 <= len(ticks) <= 10
        assert ticks[-1] <= span

    @given(st.floats(1e-6, 1e12))
    def test_values_have_few_ticks_that_reach_the_highest(self, highest: float):
        ticks = value_ticks(highest)
        assert 2 <= len(ticks) <= 6
        assert ticks[-1] >= highest * 0.999

    def test_nothing_to_show_still_has_an_axis(self):
        assert value_ticks(0) == [0.0, 1.0]
        assert Scale(0, 0, 10, 20).at(5) == 10

    def test_words(self):
        assert [time_label(each) for each in (0.5, 40, 180, 200, 7200, 7500)] == [
            "500 ms", "40 s", "3 min", "3:20 min", "2 h", "2:05 h",
        ]  # fmt: skip
        assert [short_number(each) for each in (950, 12_000, 1_500_000)] == ["950", "12k", "1.5M"]
