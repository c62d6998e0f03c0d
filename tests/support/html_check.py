"""Reads a page the way a careful browser would, and notes everything in it that could do something."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = {"meta", "hr", "br", "link", "img", "input"}
_HARMLESS_ATTRIBUTES = {
    "aria-label", "charset", "class", "content", "d", "datetime", "dir", "height", "href", "http-equiv", "id", "lang",
    "name", "cx", "cy", "open", "points", "r", "role", "rx", "start", "text-anchor", "viewbox", "width", "x", "x1", "x2", "y", "y1", "y2",
}  # fmt: skip
_HARMLESS_TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "main", "footer", "nav", "section", "article", "div",
    "span", "p", "a", "ul", "ol", "li", "dl", "dt", "dd", "h1", "h2", "h4", "h5", "h6", "hr", "strong", "em", "code", "pre",
    "blockquote", "mark", "time", "details", "summary", "figure", "figcaption", "table", "thead", "tbody", "tr", "th", "td",
    "svg", "b", "circle", "rect", "text", "line", "polygon", "path",
}  # fmt: skip


@dataclass
class Page(HTMLParser):
    """What was found. ``problems`` is empty for a page that is well formed and inert."""

    problems: list[str] = field(default_factory=list[str])
    ids: list[str] = field(default_factory=list[str])
    targets: list[str] = field(default_factory=list[str])
    texts: list[str] = field(default_factory=list[str])
    policy: str = ""
    style: str = ""

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._open: list[str] = []

    def handle_decl(self, decl: str) -> None:
        if decl != "doctype html":
            self.problems.append(f"declaration {decl}")

    def handle_pi(self, data: str) -> None:
        self.problems.append(f"instruction {data}")

    def handle_comment(self, data: str) -> None:
        self.problems.append(f"comment {data}")

    def handle_startendtag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_starttag(self, tag: str, attrs: Sequence[tuple[str, str | None]]) -> None:
        if tag not in _HARMLESS_TAGS:
            self.problems.append(f"element {tag}")
        for name, value in attrs:
            self._attribute(tag, name, value or "")
        if tag == "meta" and ("http-equiv", "Content-Security-Policy") in attrs:
            self.policy = dict(attrs).get("content") or ""
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self._open or self._open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        (self._take_style if self._open[-1:] == ["style"] else self.texts.append)(data)

    def _take_style(self, data: str) -> None:
        self.style += data

    def _attribute(self, tag: str, name: str, value: str) -> None:
        if name not in _HARMLESS_ATTRIBUTES:
            self.problems.append(f"attribute {name} of {tag}")
        if name == "href":
            if not value.startswith("#"):
                self.problems.append(f"link to {value}")
            self.targets.append(value[1:])
        if name == "id":
            self.ids.append(value)

    def finish(self) -> None:
        """Take note of what only the whole page tells."""
        self.close()
        self.problems += [f"<{tag}> is never closed" for tag in self._open]
        if len(set(self.ids)) < len(self.ids):
            self.problems.append("an id is used twice")
        self.problems += [f"nothing has the id {target}" for target in self.targets if target not in self.ids]


def read_page(html: str) -> Page:
    """Return what is in the page."""
    page = Page()
    page.feed(html)
    page.finish()
    return page
