"""The exported page in Chromium: it shows what happened, in any light and width, and nothing in it does anything.

The pictures stay in build/pages, for people to look at.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.sessions.export import export_session
from steersman.sessions.records import Timing
from steersman.sessions.store import SessionStore
from support.browser import PageViewer, Visit, open_browser
from support.sample_session import SetClock, tool_call
from support.session_store import Stores
from support.showcase_session import record_showcase

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PICTURES = Path(__file__).parents[3] / "build" / "pages"

SCHEMES = ("light", "dark")

HOSTILE = """\
<script>document.title = 'hacked'; console.log('ran')</script>
</script><script>console.log('ran after an end tag')</script>
</style></title></textarea></noscript><script>console.log('ran after many end tags')</script>
<svg onload="console.log('svg')"><animate onbegin="console.log('begin')" attributeName=x dur=1s></svg>
<svg/onload=console.log('svg')> <img src=x onerror=console.log('img')> <img src=http://attacker.example/pixel.png>
<iframe src="javascript:console.log('frame')" srcdoc="<script>parent.console.log('srcdoc')</script>"></iframe>
<a href="javascript:console.log('link')">click</a> [click](javascript:console.log('link')) <javascript:console.log(1)>
![image](http://attacker.example/markdown.png) [text](http://attacker.example/) http://attacker.example/plain
<link rel=stylesheet href=http://attacker.example/a.css><base href=http://attacker.example/><meta http-equiv=refresh content=0;url=http://attacker.example/>
</style><style>* { display: none !important } body { background: url(http://attacker.example/b.png) }</style>
"></span><span style="position:fixed;inset:0;background:url(http://attacker.example/c.png)">
<form action=http://attacker.example/><button autofocus onfocus=console.log('focus')>Send</button></form>
<details open ontoggle=console.log('toggle')><video><source onerror=console.log('source')></video></details>
]]><!--><![CDATA[<?xml-stylesheet href="http://attacker.example/x.css"?>{{7*7}}${7*7}
admin\u202etxt.exe\u2066 zero\u200bwidth \ufeffmark \U000e0041tag \0null \x1b[31mred\x07 \u0085next\u2028line
`</code></pre><script>console.log('code')</script>`

```"><script>console.log('fence')</script>
</code></pre></div><script>console.log('block')</script>
```
"""


@pytest.fixture(scope="module")
def viewer() -> Iterator[PageViewer]:
    PICTURES.mkdir(parents=True, exist_ok=True)
    with open_browser() as opened:
        yield opened


@pytest.fixture
def page_of(store: SessionStore, tmp_path: Path) -> Callable[[str], Path]:
    """Write a session's page."""

    def write(session_id: str) -> Path:
        file = tmp_path / "page.html"
        file.write_text(export_session(store, session_id, "html"), encoding="utf-8")
        return file

    return write


@pytest.fixture
def showcase(store: SessionStore, stores: Stores, clock: SetClock, page_of: Callable[[str], Path]) -> Path:
    return page_of(record_showcase(store, clock, str(stores.folder)))


@pytest.fixture
def hostile(store: SessionStore, page_of: Callable[[str], Path]) -> Path:
    """A page with hostile text wherever text of a session, a model or a tool can stand."""
    session = store.create(HOSTILE, model=HOSTILE)
    store.rename(session.id, " ".join(HOSTILE.split()))
    with store.acquire(session.id, "test") as handle:
        handle.append(UserMessage(f"{HOSTILE}\n\n<context>\n{HOSTILE}\n</context>"))
        calls = (
            ToolCall(HOSTILE, HOSTILE, HOSTILE),
            tool_call(2, "edit_file", path=HOSTILE, old_text=HOSTILE, new_text=f"x{HOSTILE}y"),
            tool_call(3, "apply_patch", patch=f"*** Begin Patch\n*** Add File: {HOSTILE}\n+{HOSTILE}"),
            tool_call(4, "run_command", command=HOSTILE),
        )
        handle.append(AssistantMessage(HOSTILE, calls, reasoning=HOSTILE, model=HOSTILE))
        for each in calls:
            changes = (ChangeSummary(HOSTILE, "move", 1, 1, moved_from=HOSTILE),)
            handle.append(ToolMessage(each.id, HOSTILE, is_error=each.id == "c4", changes=changes))
            handle.record_timing(Timing("r", 1, "tool", 1, 2, each.id, HOSTILE))
            handle.record_timing(Timing("r", 1, "approval", 1, 2, each.id, HOSTILE))
        handle.record_timing(Timing("r", 1, "error", 2, 2, None, HOSTILE))
        handle.record_timing(Timing("r", 0, "run", 1, 3, None, HOSTILE))
        handle.add_usage(Usage(10, 0, 0, 1), 0.1, run_id=HOSTILE)
    return page_of(session.id)


def touch_everything(visit: Visit) -> None:
    """Open what is folded, point at the charts, follow every link, press every key that does something."""
    visit.ask("() => document.querySelectorAll('details').forEach(each => { each.open = true })")
    for number in range(min(visit.page.locator("svg a, a").count(), 40)):
        visit.page.locator("svg a, a").nth(number).dispatch_event("click")
    for name in ("mouseover", "mouseenter", "focus", "toggle", "load", "error"):
        visit.ask("name => document.querySelectorAll('*').forEach(each => each.dispatchEvent(new Event(name)))", name)
    visit.page.keyboard.press("Tab")
    visit.page.keyboard.press("Enter")


class TestInertness:
    def test_what_a_page_does_is_noticed(self, viewer: PageViewer, tmp_path: Path):
        """The other tests mean something: the same text in a page that does not escape it does all of it."""
        file = tmp_path / "careless.html"
        careless = HOSTILE.replace("http-equiv=refresh", "")  # which would take the browser away at once
        file.write_text(f"<!doctype html><title>x</title><body>{careless}", encoding="utf-8")
        with viewer.visit(file) as visit:
            assert any("ran" in line for line in visit.said)
            assert any("attacker.example" in address for address in visit.requested)

    def test_hostile_text_does_nothing(self, viewer: PageViewer, hostile: Path):
        with viewer.visit(hostile) as visit:
            touch_everything(visit)
            visit.page.screenshot(path=PICTURES / "hostile.png", full_page=True)
            assert visit.said == []
            assert visit.requested == []
            assert visit.page.url.split("#")[0] == hostile.as_uri()
            kinds = "script, img, iframe, object, embed, link, base, form, input, button, video, animate, [style]"
            assert visit.ask("kinds => document.querySelectorAll(kinds).length", kinds) == 0
            assert visit.ask("() => document.querySelectorAll('style').length") == 1
            assert visit.ask(HANDLERS) == []
            assert visit.ask("() => [...document.querySelectorAll('a')].every(a => a.getAttribute('href')[0] === '#')")

    def test_hostile_text_is_there_to_be_read(self, viewer: PageViewer, hostile: Path):
        with viewer.visit(hostile) as visit:
            told = visit.page.locator("article.user .prose").first.inner_text()
            assert "<script>document.title = 'hacked'; console.log('ran')</script>" in told
            assert visit.page.locator("h1").is_visible()
            assert visit.page.title().startswith("<script>document.title = 'hacked'")

    def test_no_character_hides_or_turns_the_text_around(self, viewer: PageViewer, hostile: Path):
        with viewer.visit(hostile) as visit:
            text = visit.ask("() => document.documentElement.textContent")
            assert not re.search(
                "[\x00\x07\x1b\u0085\u200b\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]", text
            )
            assert "adminU+202Etxt.exeU+2066" in text

    def test_five_megabytes_in_a_message_are_only_a_long_page(
        self, viewer: PageViewer, page_of: Callable[[str], Path], session_of: Callable[..., str]
    ):
        big = (HOSTILE * 4000)[:5_000_000]
        call = ToolCall("c1", "run_command", big)
        file = page_of(session_of(UserMessage(big), AssistantMessage(big, (call,)), ToolMessage("c1", big)))
        with viewer.visit(file) as visit:
            assert visit.said == []
            assert visit.requested == []
            assert visit.page.locator("article").count() == 2
            assert visit.page.get_by_text("more characters; the JSON export has them all").count() == 4

    def test_even_a_style_that_got_in_would_not_count(self, viewer: PageViewer, hostile: Path):
        """The page's policy stands behind the escaping: a browser refuses whatever is not the page's own style."""
        text = hostile.read_text(encoding="utf-8").replace("</main>", "<style>h1{display:none}</style></main>")
        hostile.write_text(text.replace("</main>", "<script>console.log('ran')</script></main>"), encoding="utf-8")
        with viewer.visit(hostile) as visit:
            assert visit.page.locator("h1").is_visible()
            assert not any(line.endswith("ran") for line in visit.said)
            assert any("Content Security Policy" in line for line in visit.said)


class TestCharts:
    def test_bars_stand_on_the_time_axis_as_long_as_they_took(self, viewer: PageViewer, showcase: Path):
        with viewer.visit(showcase) as visit:
            runs = visit.page.locator("#timeline figure").count()
            assert runs == 2
            bars = visit.ask(BARS)
            assert [len([bar for bar in bars if bar["run"] == run]) for run in (0, 1)] == [16, 5]
            waits = [bar for bar in bars if bar["run"] == 0 and bar["kind"] == "model"]
            assert [bar["tip"] for bar in waits] == [
                f"waiting for the model · {seconds} s" for seconds in ("4.2", "6.8", "2.1", "7.9", "1.9", "5.5")
            ]
            each_second = {round(bar["width"] / float(bar["tip"].split("· ")[1][:-2]), 0) for bar in waits}
            assert max(each_second) - min(each_second) <= 1
            assert all(bar["width"] > 1 and bar["height"] > 8 for bar in bars)
            assert [bar["left"] for bar in waits] == sorted(bar["left"] for bar in waits)
            [question] = [bar for bar in bars if bar["tip"] == "waiting for your answer · allowed · 12 s"]
            [edit] = [bar for bar in bars if bar["tip"].startswith("tool · edit src/weather/parser.py")]
            assert abs(question["left"] + question["width"] - edit["left"]) < 1.5
            failed = [bar for bar in bars if bar["kind"] == "tool failed"]
            assert [bar["tip"] for bar in failed] == ["tool · run python -m pytest -q · 5.2 s"]
            visit.page.locator("#timeline").screenshot(path=PICTURES / "timeline.png")

    @pytest.mark.parametrize("seconds", [0.4, 9.99, 60.0, 3600.0])
    def test_no_label_of_the_axis_is_cut_off(
        self, viewer: PageViewer, store: SessionStore, page_of: Callable[[str], Path], seconds: float
    ):
        session = store.create("go")
        with store.acquire(session.id, "test") as handle:
            handle.append(UserMessage("go"))
            handle.record_timing(Timing("r", 0, "run", 1, 1 + seconds))
        with viewer.visit(page_of(session.id)) as visit:
            inside = """() => [...document.querySelectorAll('#timeline svg text')].every(text => {
              const [box, frame] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
              return box.left >= frame.left - 1 && box.right <= frame.right + 1;
            })"""
            assert visit.ask(inside)

    def test_the_legend_says_where_the_time_went(self, viewer: PageViewer, showcase: Path):
        with viewer.visit(showcase) as visit:
            assert visit.page.locator(".legend li").all_inner_texts() == [
                "waiting for the model 35 s", "tool 12 s", "waiting for your answer 32 s", "waiting to try again 4.0 s",
                "error",
            ]  # fmt: skip

    def test_a_bar_leads_to_what_happened(self, viewer: PageViewer, showcase: Path):
        with viewer.visit(showcase) as visit:
            visit.page.locator("rect.failed").first.click()
            place = visit.page.locator(":target")
            assert "TypeError: unsupported operand" in place.inner_text()
            assert place.evaluate("each => each.getBoundingClientRect().top < window.innerHeight")

    def test_context_and_cost_grow_as_was_reported(self, viewer: PageViewer, showcase: Path):
        with viewer.visit(showcase) as visit:
            tips = visit.page.locator("#growth svg").first.locator("rect.tip title").all_text_contents()
            assert [re.sub(r"\s", "", tip.split(" in ")[0]) for tip in tips] == [
                f"request{number}:{tokens}tokens"
                for number, tokens in enumerate((4100, 5500, 6000, 8100, 9000, 9800, 10500, 10800), 1)
            ]
            costs = visit.page.locator("#growth svg").nth(1).locator("rect.tip title").all_text_contents()
            assert costs[-1] == "after response 8: ≈ $0.1228"
            assert "≈ $0.1228" in visit.page.locator(".cards").inner_text()
            heights = visit.ask("() => [...document.querySelectorAll('circle.model')].map(c => c.cy.baseVal.value)")
            assert heights == sorted(heights, reverse=True)
            assert visit.page.locator("line.run").count() == 2
            visit.page.locator("#growth").screenshot(path=PICTURES / "growth.png")


class TestLooks:
    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_every_text_can_be_read(self, viewer: PageViewer, showcase: Path, scheme: Any):
        """WCAG 2.2, 1.4.3: at least 4.5 to 1 between a text and what it stands on."""
        with viewer.visit(showcase, scheme=scheme) as visit:
            visit.page.screenshot(path=PICTURES / f"showcase-{scheme}.png", full_page=True)
            visit.ask("() => document.querySelectorAll('details').forEach(each => { each.open = true })")
            assert visit.ask(FAINT_TEXTS) == []
            assert visit.said == []
            assert visit.requested == []

    @pytest.mark.parametrize("scheme", SCHEMES)
    def test_what_was_added_and_removed_has_colours_of_its_own(self, viewer: PageViewer, showcase: Path, scheme: Any):
        with viewer.visit(showcase, scheme=scheme) as visit:
            colours = {kind: visit.ask(BACKGROUND, f".diff .{kind}") for kind in ("add", "del", "ctx")}
            marks = {kind: visit.ask(BACKGROUND, f".diff .{kind} mark") for kind in ("add", "del")}
            red, green, _ = (int(value) for value in re.findall(r"\d+", colours["add"])[:3])
            assert green > red
            red, green, _ = (int(value) for value in re.findall(r"\d+", colours["del"])[:3])
            assert red > green
            assert len({*colours.values(), *marks.values()}) == 5
            assert visit.page.locator(".diff .add").first.inner_text().startswith("+")
            assert visit.page.locator(".diff .del").first.inner_text().startswith("−")
            visit.page.locator(".diff").first.screenshot(path=PICTURES / f"diff-{scheme}.png")

    def test_it_follows_the_readers_taste(self, viewer: PageViewer, showcase: Path):
        lights: list[int] = []
        for scheme in SCHEMES:
            with viewer.visit(showcase, scheme=scheme) as visit:
                lights.append(sum(int(value) for value in re.findall(r"\d+", visit.ask(BACKGROUND, "body"))[:3]))
        assert lights[0] > 700
        assert lights[1] < 100

    @pytest.mark.parametrize("width", [360, 768, 1920])
    def test_it_fits_any_width(self, viewer: PageViewer, showcase: Path, width: int):
        with viewer.visit(showcase, width=width) as visit:
            assert visit.ask("() => document.documentElement.scrollWidth") <= width
            visit.page.screenshot(path=PICTURES / f"showcase-{width}.png", full_page=True)

    def test_on_paper_everything_is_unfolded_and_nothing_is_cut_off(self, viewer: PageViewer, showcase: Path):
        with viewer.visit(showcase, scheme="dark", media="print") as visit:
            assert visit.ask(BACKGROUND, "body") == "rgb(255, 255, 255)"
            assert not visit.page.locator("nav").is_visible()
            assert visit.ask(
                "() => [...document.querySelectorAll('pre')].every(p => p.scrollHeight <= p.clientHeight + 1)"
            )
            folded = visit.page.get_by_text("src/weather/report.py:8: TypeError")
            assert folded.last.evaluate("each => each.getBoundingClientRect().height") > 0
            assert visit.ask(FAINT_TEXTS) == []
            visit.page.screenshot(path=PICTURES / "showcase-print.png", full_page=True)
            paper = visit.page.pdf(path=PICTURES / "showcase.pdf", format="A4", print_background=True)
            assert paper.startswith(b"%PDF")

    def test_what_the_editor_sent_along_is_folded_away(self, viewer: PageViewer, showcase: Path):
        with viewer.visit(showcase) as visit:
            prompt = visit.page.locator("article.user").first
            assert "Problems reported there" not in prompt.inner_text()
            prompt.get_by_text("From the editor").click()
            assert "Problems reported there" in prompt.inner_text()
            assert "context>" not in prompt.inner_text()


BACKGROUND = "selector => getComputedStyle(document.querySelector(selector)).backgroundColor"

HANDLERS = """() => [...document.querySelectorAll('*')].flatMap(
  each => each.getAttributeNames().filter(name => name.startsWith('on') && name !== 'on'))"""

BARS = """() => [...document.querySelectorAll('#timeline figure')].flatMap((figure, run) =>
  [...figure.querySelectorAll('rect:not(.band)')].map(rect => {
    const box = rect.getBoundingClientRect();
    return {run, kind: rect.getAttribute('class'), tip: rect.textContent,
            left: box.left, width: box.width, height: box.height};
  }))"""

FAINT_TEXTS = """() => {
  const light = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map(Number).map(value => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = element => {
    for (let each = element; each; each = each.parentElement) {
      const colour = getComputedStyle(each).backgroundColor;
      if (!colour.startsWith('rgba')) return colour;
    }
    return 'rgb(255, 255, 255)';
  };
  const faint = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const element = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || element.closest('title') || !element.getClientRects().length) continue;
    const style = getComputedStyle(element);
    const [one, other] = [light(element.closest('svg') ? style.fill : style.color), light(ground(element))];
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) faint.push(`${walker.currentNode.data.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return faint;
}"""
