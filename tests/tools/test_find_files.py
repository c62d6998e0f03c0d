"""``find_files`` (DESIGN W1, W8, W9, W12; report 14)."""

from pathlib import Path
from typing import Any

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Plan, ToolError
from steersman_tools.find_files import FindFilesArguments
from steersman_tools.kit.ripgrep import Output, Ripgrep
from support.reading import Reading, plant, run_call


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return plant(tmp_path / "ws", "b.py", "src/a.py", "src/deep/c.py", "src/d.ts", ".env", "README.md")


async def test_it_finds_sorted_paths_as_tools_take_them(ws: Path) -> None:
    assert await Reading(ws).find("*.py") == ["b.py", "src/a.py", "src/deep/c.py"]
    assert await Reading(ws).find("*.py", path="src") == ["src/a.py", "src/deep/c.py"]
    assert await Reading(ws).find("*.py", path="src/deep") == ["src/deep/c.py"]


async def test_an_absolute_pattern_is_taken_as_meant(ws: Path) -> None:
    assert await Reading(ws).find(f"{ws}/src/*.ts") == ["src/d.ts"]


async def test_brackets_are_literal_where_they_fit_so(ws: Path) -> None:
    """Report 14."""
    plant(ws, "app/(g)/issues/[id]/page.tsx", "app/(g)/issues/i/page.tsx")

    assert await Reading(ws).find("app/(g)/issues/[id]/page.tsx") == ["app/(g)/issues/[id]/page.tsx"]


async def test_a_question_mark_is_one_character_whatever_its_bytes(ws: Path) -> None:
    """Ripgrep's is one byte."""
    plant(ws, "é.py")

    assert await Reading(ws).find("?.py") == ["b.py", "src/a.py", "src/deep/c.py", "é.py"]


async def test_a_name_that_ends_in_a_dot_is_found(ws: Path) -> None:
    """Ripgrep reads “*.” otherwise."""
    plant(ws, "end.", "src/x.")

    assert await Reading(ws).find("*.") == ["end.", "src/x."]


async def test_a_pattern_that_names_a_folder_is_not_a_way_into_an_ignored_one(ws: Path) -> None:
    plant(ws, "out/a.js", __gitignore="out/\n")

    assert await Reading(ws).find("out/*.js") == ["[no file fits “out/*.js”, of 7 looked at]"]
    assert await Reading(ws).find("*.js", path="out") == ["out/a.js"]


async def test_a_pattern_that_names_a_link_is_not_a_way_through_it(ws: Path) -> None:
    (ws / "link").symlink_to(ws / "src")

    assert (await Reading(ws).find("link/*.py"))[0].startswith("[no file fits")


async def test_a_slash_at_the_end_finds_folders(ws: Path) -> None:
    assert await Reading(ws).find("d*/") == ["src/deep/"]
    assert await Reading(ws).find("src/*/") == ["src/deep/"]
    assert await Reading(ws).find("D*/") == ["src/deep/", "[none fits exactly; these do when case does not count]"]


async def test_the_rest_is_counted(ws: Path) -> None:
    assert await Reading(ws).find("*.py", limit=1) == [
        "b.py",
        "[the first 1 of 3; make the pattern narrower, or raise limit]",
    ]


async def test_nothing_found_says_how_many_were_looked_at_and_another_case_is_offered(ws: Path) -> None:
    assert await Reading(ws).find("*.rs") == ["[no file fits “*.rs”, of 6 looked at]"]
    assert await Reading(ws).find("readme.MD") == [
        "README.md",
        "[none fits exactly; these do when case does not count]",
    ]


class CountingRipgrep(Ripgrep):
    """Counts how often it is started."""

    runs = 0

    async def run(self, *arguments: Any, **options: Any) -> Output:
        self.runs += 1
        return await super().run(*arguments, **options)


async def test_a_tree_that_is_known_to_be_small_is_listed_once_and_the_answers_are_the_same(ws: Path) -> None:
    program = CountingRipgrep()
    reading = Reading(plant(ws, "a.py", "src/b.py"), ripgrep=program)
    first = [await reading.find(pattern) for pattern in ("?.py", "?.zzz")]
    assert program.runs == 3  # narrowed; then narrowed in vain, and everything
    again = [await reading.find(pattern) for pattern in ("?.py", "?.zzz")]
    assert program.runs == 5
    assert first == again


@pytest.mark.parametrize("pattern", ["*.py", "*.zzz", "*.{py,zzz}", "{b.py,*.zzz}"])
async def test_a_kind_of_file_is_told_from_one_listing(ws: Path, pattern: str) -> None:
    program = CountingRipgrep()

    await Reading(ws, ripgrep=program).find(pattern)

    assert program.runs == 1


async def test_documents_that_only_the_editor_has_are_found_unless_ignored(ws: Path) -> None:
    plant(ws, __gitignore="*.log\n")
    reading = Reading(ws, texts={ws / "src/new.py": "", ws / "src/new.log": "", ws / "b.py": ""})

    assert await reading.find("new*") == ["src/new.py"]
    assert await reading.find("*.py") == ["b.py", "src/a.py", "src/deep/c.py", "src/new.py"]


async def test_other_roots_are_searched_by_name(ws: Path, tmp_path: Path) -> None:
    other = plant(tmp_path / "lib", "z.py")

    assert await Reading(ws, other).find("*.py", path="lib") == ["lib/z.py"]


@pytest.mark.parametrize(
    ("pattern", "path", "words"),
    [
        ("", ".", "pattern is empty"),
        ("../*", ".", "upwards"),
        ("*", "b.py", "not a folder"),
        ("*", "/etc", "out of the"),
    ],
)
async def test_what_makes_no_sense_is_refused_before_anything_runs(
    ws: Path, pattern: str, path: str, words: str
) -> None:
    with pytest.raises(ToolError, match=words):
        await Reading(ws).find_files.prepare(FindFilesArguments(pattern=pattern, path=path))


async def test_its_title_is_for_people(ws: Path) -> None:
    plan = await Reading(ws).find_files.prepare(FindFilesArguments(pattern="*.py", path="src"))

    assert isinstance(plan, Plan)
    assert plan.title == "find “*.py” in src"


async def test_a_cancelled_search_says_that_there_may_be_more(ws: Path) -> None:
    signal = CancelSignal()
    signal.set()

    result = await run_call(Reading(ws).find_files, signal, {"pattern": "*"})

    assert "[stopped before the end; there may be more]" in result.content
