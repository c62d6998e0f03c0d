"""``search`` (DESIGN W1, W7, W8, W9, W12; reports 18, 19)."""

from pathlib import Path

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Plan, ToolError
from steersman_tools.kit.ripgrep import Ripgrep
from steersman_tools.search import SearchArguments
from support.reading import Reading, plant, run_call


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return plant(
        tmp_path / "ws",
        **{"a.py": "def one():\n    return 1\n", "src/b.py": "one = one()\n# One\n", "src/c.txt": "one\r\ntwo\r\n"},
    )


async def test_it_shows_matching_lines_by_file(ws: Path) -> None:
    assert await Reading(ws).grep("one") == (
        "a.py\n  1: def one():\nsrc/b.py\n  1: one = one()\nsrc/c.txt\n  1: one\n[3 matching lines in 3 files]"
    )


@pytest.mark.parametrize("pattern", ["-77", "->", "--files", "-e", "a.b", "(", "[x", "\\d", "$1", "*", "é→", "  x"])
async def test_a_literal_pattern_is_found_as_it_stands(ws: Path, pattern: str) -> None:
    """Report 18."""
    plant(ws, **{"odd.txt": f"before {pattern} after\n", "other.txt": "aXb -7 7 d\n"})

    assert await Reading(ws).grep(pattern, path="odd.txt") == (
        f"odd.txt\n  1: before {pattern} after\n[1 matching line in 1 file]"
    )


async def test_a_regular_expression_is_one_only_when_asked(ws: Path) -> None:
    assert "src/b.py" in await Reading(ws).grep("^one.*\\(\\)$", literal=False)
    assert await Reading(ws).grep("^one.*") == (
        "[no match for “^one.*”; case counts; case_sensitive=false ignores it; "
        "the pattern was taken as plain text; literal=false makes it a regular expression]"
    )


async def test_a_broken_regular_expression_is_explained(ws: Path) -> None:
    with pytest.raises(ToolError, match=r"“one\(” cannot be searched for: regex parse error(.|\n)*literal=true"):
        await Reading(ws).grep("one(", literal=False)


async def test_case_counts_unless_said_otherwise(ws: Path) -> None:
    assert "# One" not in await Reading(ws).grep("one")
    assert "  2: # One" in await Reading(ws).grep("ONE", case_sensitive=False)


async def test_context_is_shown_around_matches(ws: Path) -> None:
    plant(ws, n__txt="".join(f"{number}\n" for number in range(1, 30)))

    shown = await Reading(ws).grep("5", path="n.txt", context=1)

    assert shown == (
        "n.txt\n  4- 4\n  5: 5\n  6- 6\n  …\n  14- 14\n  15: 15\n  16- 16\n  …\n  24- 24\n  25: 25\n  26- 26\n"
        "[3 matching lines in 1 file]"
    )


@pytest.mark.parametrize(
    ("glob", "files"),
    [("*.py", {"a.py", "src/b.py"}), ("src/*.{py,txt}", {"src/b.py", "src/c.txt"}), ("*.[tp]xt", {"src/c.txt"})],
)
async def test_a_glob_chooses_files_and_ignore_rules_stay_in_force(ws: Path, glob: str, files: set[str]) -> None:
    plant(ws, **{"out/x.py": "one\n", "out/x.txt": "one\n", ".gitignore": "out/\nz.py\n", "z.py": "one\n"})

    shown = await Reading(ws).grep("one", glob=glob)

    assert {line for line in shown.split("\n") if line[0] not in " ["} == files


async def test_a_file_or_ignored_folder_that_is_named_is_searched(ws: Path) -> None:
    plant(ws, **{"out/x.py": "one\n", ".gitignore": "out/\n"})

    assert "out/x.py\n  1: one" in await Reading(ws).grep("one", path="out")
    assert "out/x.py\n  1: one" in await Reading(ws).grep("one", path="out/x.py")
    assert "out" not in await Reading(ws).grep("one")


async def test_a_text_of_several_lines_is_found_whatever_the_line_endings(ws: Path) -> None:
    assert "src/c.txt\n  1: one\n  2: two" in await Reading(ws).grep("one\ntwo")
    assert "src/b.py" in await Reading(ws).grep("one\\(\\)\\n#", literal=False)


class TestOpenDocuments:
    async def test_the_editors_text_replaces_the_disks(self, ws: Path) -> None:
        reading = Reading(ws, texts={ws / "a.py": "x\ntyped here\n", ws / "new.py": "typed here too\n"})

        assert await reading.grep("typed") == (
            "a.py\n  2: typed here\nnew.py\n  1: typed here too\n[2 matching lines in 2 files]"
        )
        assert "a.py" not in await reading.grep("one")
        assert "a.py\n  2: typed here" in await reading.grep("typed", path="a.py")
        assert "new.py" in await reading.grep("typed", path="new.py")

    async def test_ignored_and_other_documents_are_left_out(self, ws: Path) -> None:
        plant(ws, __gitignore="*.log\n")
        reading = Reading(ws, texts={ws / "a.log": "typed\n", ws / "a.py": "typed\n"})

        assert "a.log" not in await reading.grep("typed")
        assert "a.py" not in await reading.grep("typed", path="src")
        assert "a.py" not in await reading.grep("typed", glob="*.txt")


class TestSecrets:
    async def test_what_may_hold_secrets_is_never_shown_nor_told(self, ws: Path) -> None:
        """Counting its matches would let it be guessed letter by letter."""
        plant(ws, **{".env": "KEY=one\n", "sub/.env.local": "one\n", "tls.key": "one\n", ".git/config": "one\n"})
        reading = Reading(ws, texts={ws / ".env.test": "one\n"})

        shown = await reading.grep("one")

        assert shown.endswith("[3 matching lines in 3 files]")
        assert await reading.grep("KEY") == "[no match for “KEY”; case counts; case_sensitive=false ignores it]"

    @pytest.mark.parametrize("path", [".env", "keys", "link"])
    async def test_one_that_is_named_is_refused(self, ws: Path, path: str) -> None:
        plant(ws, **{".env": "one\n", "keys/.ssh/id": "one\n"})
        (ws / "link").symlink_to(".env")
        if path == "keys":
            path = "keys/.ssh"

        with pytest.raises(ToolError, match="may hold secrets"):
            await Reading(ws).grep("one", path=path)

    async def test_what_a_secret_link_leads_to_is_one(self, ws: Path) -> None:
        plant(ws, **{"conf/real": "one\n"})
        (ws / ".env").symlink_to("conf/real")

        assert "conf/real" not in await Reading(ws).grep("one")


class TestBounds:
    async def test_the_rest_is_counted_by_file(self, ws: Path) -> None:
        plant(ws, **{"a.py": "one\n" * 50, "z.py": "one\n"})

        shown = await Reading(ws).grep("one", limit=10, glob="*.py")

        assert shown.count("  ") == 10
        assert shown.endswith(
            "[10 of 52 matching lines; narrow path, glob or pattern, or raise limit]\n"
            "[not shown: a.py (40), src/b.py (1), z.py (1)]"
        )

    async def test_context_behind_the_last_match_is_kept_and_no_other(self, ws: Path) -> None:
        plant(ws, n__txt="x\na\nb\nc\nx\nd\n")

        shown = await Reading(ws).grep("x", path="n.txt", context=1, limit=1)

        assert shown.startswith("n.txt\n  1: x\n  2- a\n[1 of 2")

    @pytest.mark.parametrize("size", [32 * 1024, 5_000_000])
    async def test_a_long_line_is_shown_around_its_match(self, ws: Path, size: int) -> None:
        """Report 19."""
        plant(ws, one__json='{"' + "x" * size + 'needle"' + "y" * size + "}")

        shown = await Reading(ws).grep("needle")

        assert 'xxxneedle"yyy' in shown
        assert f"[around column {size + 3:,}]" in shown
        assert len(shown) < 600

    async def test_a_long_line_in_the_editor_too(self, ws: Path) -> None:
        reading = Reading(ws, texts={ws / "a.py": "é" * 40_000 + "needle" + "y" * 40_000})

        shown = await reading.grep("needle")

        assert "éneedley" in shown
        assert len(shown) < 600

    async def test_a_long_line_of_a_utf_16_file_is_shown_from_its_beginning(self, ws: Path) -> None:
        plant(ws, u__txt=("x" * 5000 + "needle").encode("utf-16"))

        shown = await Reading(ws).grep("needle")

        assert "u.txt\n  1: xxx" in shown
        assert "[the match is at column 5,001]" in shown
        assert len(shown) < 600

    async def test_very_many_matches_are_counted_as_far_as_they_were_read(self, ws: Path) -> None:
        plant(ws, big__txt=("one " * 400 + "\n") * 15_000)

        shown = await Reading(ws).grep("one", path="big.txt", limit=1)

        assert "[1 of at least " in shown
        assert "[stopped before the end: there are very many]" in shown

    async def test_binary_files_are_not_dumped(self, ws: Path) -> None:
        plant(ws, b__bin=b"\x00one\xff\n")

        assert "b.bin" not in await Reading(ws).grep("one")
        assert await Reading(ws).grep("one", path="b.bin", case_sensitive=False) == "[no match for “one” in b.bin]"


async def test_bytes_that_are_no_utf_8_are_shown_with_marks(ws: Path) -> None:
    plant(ws, l__txt=b"caf\xe9 one\n")

    assert "l.txt\n  1: caf\ufffd one" in await Reading(ws).grep("one", path="l.txt")


async def test_an_ignore_line_that_ripgrep_reads_otherwise_is_obeyed(ws: Path) -> None:
    plant(ws, **{"{x}": "one\n", "1.py": "one\n", ".gitignore": "{x}\n[[:digit:]].py\n"})

    shown = await Reading(ws).grep("one")

    assert shown.endswith("[3 matching lines in 3 files]")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"pattern": ""}, "pattern is empty"),
        ({"pattern": "x" * 6000}, "the limit"),
        ({"pattern": "a\0b"}, "NUL"),
        ({"pattern": "\ud800"}, "surrogate"),
        ({"pattern": "x", "path": "nope"}, "does not exist"),
        ({"pattern": "x", "path": ".git"}, "git's own data"),
        ({"pattern": "x", "path": "/etc"}, "out of the workspace"),
        ({"pattern": "x", "glob": "../*"}, "upwards"),
    ],
)
async def test_what_makes_no_sense_is_refused_before_anything_runs(
    ws: Path, arguments: dict[str, str], words: str
) -> None:
    plant(ws, **{".git/HEAD": "x"})

    with pytest.raises(ToolError, match=words):
        await Reading(ws).search.prepare(SearchArguments.model_validate(arguments))


async def test_its_title_is_for_people(ws: Path) -> None:
    plan = await Reading(ws).search.prepare(SearchArguments(pattern="foo", path="src"))

    assert isinstance(plan, Plan)
    assert (plan.title, plan.targets) == ("search for “foo” in src", (str(ws / "src"),))


async def test_a_cancelled_search_says_so(ws: Path) -> None:
    signal = CancelSignal()
    signal.set()

    result = await run_call(Reading(ws).search, signal, {"pattern": "one"})

    assert "[stopped before the end: the run was cancelled]" in result.content


async def test_without_ripgrep_the_model_is_told(ws: Path) -> None:
    with pytest.raises(ToolError, match="ripgrep, which is missing"):
        await Reading(ws, ripgrep=Ripgrep(ws / "rg")).grep("one")


async def test_other_roots_are_searched_by_name(ws: Path, tmp_path: Path) -> None:
    other = plant(tmp_path / "lib", z__py="one\n")

    assert (await Reading(ws, other).grep("one", path="lib")).startswith("lib/z.py\n  1: one")
    assert (await Reading(ws, other).grep("one", path="lib/z.py")).startswith("lib/z.py\n  1: one")
