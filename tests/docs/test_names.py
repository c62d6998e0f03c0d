"""Whatever a page calls by a name of ours is called that in the code."""

import json
import re
from importlib.util import find_spec

import pytest

from steersman.cli import build_parser
from steersman.lsp.commands.names import NAMES
from support.documents import ROOT, code_words, pages, read_page

PAGES = {str(path.relative_to(ROOT)): path for path in pages()}


def of_vscode():
    """The extension's own commands, settings and views."""
    text = (ROOT / "editors" / "vscode" / "package.json").read_text(encoding="utf-8")
    contributed = json.loads(text)["contributes"]
    settings = contributed.get("configuration", {})
    groups = settings if isinstance(settings, list) else [settings]
    return {each["command"] for each in contributed.get("commands", [])} | {
        name for group in groups for name in group.get("properties", {})
    }


def is_module(word):
    try:
        return find_spec(word) is not None
    except ModuleNotFoundError:
        return False


FILES = {"steersman.el", "steersman.lua", "steersman.nvim", "steersman.vsix", "steersman.md"}


@pytest.mark.parametrize("name", PAGES)
def test_every_command_and_setting_that_a_page_names_exists(name):
    text = PAGES[name].read_text(encoding="utf-8")
    named = {word.rstrip(".") for word in re.findall(r"\bsteersman\.[A-Za-z.]+", text)}
    unknown = named - FILES - set(NAMES) - of_vscode()
    assert {word for word in unknown if not is_module(word)} == set()


@pytest.mark.parametrize("name", PAGES)
def test_every_variable_of_ours_that_a_page_names_is_read_somewhere(name):
    named = set(re.findall(r"\bSTEERSMAN_[A-Z_]+\b", PAGES[name].read_text(encoding="utf-8")))
    sources = [*ROOT.glob("server/**/*.py"), *ROOT.glob("tests/**/*.py"), *ROOT.glob("editors/**/*.mk")]
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    assert {word for word in named if word not in text} == set()


@pytest.mark.parametrize("name", PAGES)
def test_every_command_line_that_a_page_names_can_be_typed(name):
    page = read_page(PAGES[name])
    words = [word for section in page.sections for word in code_words(section.text)]
    words += [cell for section in page.sections for table in section.tables for row in table for cell in row.values()]
    lines = {line for word in words for line in re.findall(r"\bsteersman ((?:[a-z-]+ ?)+)", word)}
    actions = build_parser()._actions
    commands = next(action.choices for action in actions if action.choices)
    for line in lines:
        first, *rest = line.split()
        assert first in commands, line
        inner = next((action.choices for action in commands[first]._actions if action.choices), None)
        if first in {"sessions", "permissions"} and rest:
            assert rest[0] in inner, line


def test_nothing_tells_a_person_to_install_a_name_that_nobody_has_published():
    """Until there is a release, whoever owns the name on an index could be anybody."""
    kinds = {".md", ".lua", ".el", ".ts", ".py", ".txt"}
    folders = [ROOT / "docs", *ROOT.glob("editors/*/"), ROOT / "server"]
    sources = [*ROOT.glob("*.md")] + [
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in kinds and not {"node_modules", "dist", ".node"} & set(path.parts) and path.is_file()
    ]
    found = [
        str(path.relative_to(ROOT))
        for path in sources
        if re.search(r"install (?:-\S+ )*steersman\b", path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert found == []
