"""The project's pages as tests read them: sections with their tables, fenced blocks and links."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

ROOT = Path(__file__).parents[2]

Table = list[dict[str, str]]


@dataclass(frozen=True)
class Fence:
    """A fenced block: the words after the fence (the language first), and what is in it."""

    info: str
    text: str

    @property
    def language(self) -> str:
        """Its language, or ""."""
        return self.info.partition(" ")[0]


@dataclass
class Section:
    """A heading with what stands below it, up to the next heading.

    Attributes:
        level: 1 for ``#``; 0 for what stands before the first heading.
        title: its text, code marks included.
        slug: the anchor that GitHub makes of it.
        text: its paragraphs.
        tables: its tables; each row maps the column's head to the cell's source.
        fences: its fenced blocks.
    """

    level: int
    title: str
    slug: str
    text: str = ""
    tables: list[Table] = field(default_factory=list[Table])
    fences: list[Fence] = field(default_factory=list[Fence])


@dataclass
class Page:
    """One page."""

    path: Path
    sections: list[Section]
    links: list[str]

    def __getitem__(self, title: str) -> Section:
        """Return the section with this title."""
        (section,) = [each for each in self.sections if each.title == title]
        return section

    @property
    def fences(self) -> list[Fence]:
        """All fenced blocks."""
        return [fence for section in self.sections for fence in section.fences]

    def below(self, title: str) -> list[Section]:
        """Return the sections below a heading, one level deeper or more, in order."""
        start = self.sections.index(self[title])
        found: list[Section] = []
        for section in self.sections[start + 1 :]:
            if section.level <= self.sections[start].level:
                break
            found.append(section)
        return found


def read_page(path: Path) -> Page:
    """Read one page."""
    tokens = MarkdownIt("commonmark").enable("table").parse(path.read_text(encoding="utf-8"))
    sections = [Section(0, "", "")]
    rest = iter(tokens)
    for token in rest:
        if token.type == "heading_open":
            title = next(rest).content
            sections.append(Section(int(token.tag[1]), title, _slug(title)))
        elif token.type == "fence":
            sections[-1].fences.append(Fence(token.info.strip(), token.content))
        elif token.type == "table_open":
            sections[-1].tables.append(_table(rest))
        elif token.type == "inline":
            sections[-1].text += token.content + "\n\n"
    return Page(path, sections, list(_links(tokens)))


def pages() -> list[Path]:
    """Return every page that a stranger reads."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("editors/*/README.md")])


def code_words(text: str) -> list[str]:
    """Return what stands between backticks."""
    return re.findall(r"`([^`]+)`", text)


def _table(tokens: Iterator[Token]) -> Table:
    heads: list[str] = []
    rows: Table = []
    cells: list[str] = []
    for token in tokens:
        if token.type == "inline":
            cells.append(token.content)
        elif token.type in {"th_close", "td_close"}:
            continue
        elif token.type == "tr_close":
            if heads:
                rows.append(dict(zip(heads, cells, strict=True)))
            else:
                heads = cells
            cells = []
        elif token.type == "table_close":
            break
    return rows


def _links(tokens: list[Token]) -> Iterator[str]:
    for token in tokens:
        for child in token.children or []:
            if child.type == "link_open":
                yield str(child.attrs["href"])
            if child.type == "image":
                yield str(child.attrs["src"])


def _slug(title: str) -> str:
    return re.sub(r"[^\w\- ]", "", title.replace("`", "").lower()).strip().replace(" ", "-")
