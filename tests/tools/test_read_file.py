"""``read_file`` (DESIGN W1, W4, W9, W12; report 19)."""

from pathlib import Path

import pytest

from steersman.agent.changes import text_digest
from steersman.agent.tool import Effect, Plan, ToolError
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.ripgrep import Ripgrep
from steersman_tools.kit.workspace import Document, DocumentState, FileMissingError, Location, Root
from steersman_tools.read_file import ReadFile, ReadFileArguments
from support.reading import Reading, call, plant


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return plant(tmp_path / "ws", a__py="one\ntwo\nthree\n")


async def test_it_shows_numbered_lines(ws: Path) -> None:
    assert await Reading(ws).read("a.py") == "1\tone\n2\ttwo\n3\tthree"


async def test_its_plan_names_the_file_and_reads_only(ws: Path) -> None:
    plan = await Reading(ws).read_file.prepare(ReadFileArguments(path="./a.py", offset=2))

    assert isinstance(plan, Plan)
    assert (plan.title, plan.effects, plan.targets) == (
        "read a.py from line 2",
        frozenset({Effect.READ}),
        (str(ws / "a.py"),),
    )


async def test_a_whole_read_is_remembered_as_such_and_a_part_is_not(ws: Path) -> None:
    tool = Reading(ws).read_file
    path = str(ws / "a.py")

    part = await call(tool, path="a.py", limit=2)
    rest = await call(tool, path="a.py", offset=3)

    assert part.seen == {path: ""}
    assert rest.seen == {path: text_digest("one\ntwo\nthree\n")}
    assert (await call(Reading(ws).read_file, path="a.py")).seen == rest.seen


async def test_a_portion_of_another_text_does_not_count(ws: Path) -> None:
    tool = Reading(ws).read_file
    await call(tool, path="a.py", limit=2)
    (ws / "a.py").write_text("ONE\ntwo\nthree\n")

    assert (await call(tool, path="a.py", offset=3)).seen == {str(ws / "a.py"): ""}


async def test_a_missing_file_names_those_that_exist(ws: Path) -> None:
    plant(ws, "src/utils.py", "src/deep/util.ts", "lib/helper.py", "src/Config.py")
    reading = Reading(ws)

    for path, named in (
        ("src/util.py", "src/utils.py"),
        ("utils.py", "src/utils.py"),
        ("src/config.py", "src/Config.py"),
    ):
        with pytest.raises(FileMissingError, match=f"{path} does not exist; did you mean .*{named}"):
            await reading.read(path)
    with pytest.raises(FileMissingError, match=r"zzz\.q does not exist$"):
        await reading.read("zzz.q")


async def test_names_are_given_as_tools_take_them(ws: Path, tmp_path: Path) -> None:
    other = plant(tmp_path / "lib", "src/thing.py")

    with pytest.raises(FileMissingError, match=r"did you mean lib/src/thing\.py\?"):
        await Reading(ws, other).read("lib/thing.py")


async def test_folders_binaries_and_outside_are_refused_in_words(ws: Path) -> None:
    plant(ws, "sub/x", b__bin=b"\x00")
    reading = Reading(ws)

    for path, words in (
        ("sub", "list_dir"),
        ("b.bin", "binary"),
        ("../x", "out of the workspace"),
        ("b.bin/x", "exist"),
    ):
        with pytest.raises(ToolError, match=words):
            await reading.read(path)


async def test_a_five_megabyte_line_comes_in_portions(ws: Path) -> None:
    """Report 19."""
    plant(ws, one__json='{"a": "' + "x" * 5_000_000 + '"}')
    reading = Reading(ws)

    first = await reading.read("one.json")
    last = await reading.read("one.json", column=5_000_001)

    assert "[line 1 goes on for" in first
    assert "offset=1, column=40001]" in first
    assert len(first) < 41_000
    assert last == '1\txxxxxxx"}\n[no line ending at the end of the file]'


async def test_an_ignored_file_is_read_by_its_name(ws: Path) -> None:
    plant(ws, "out.log", __gitignore="*.log\n")

    assert await Reading(ws).read("out.log") == "1\tsome text"


async def test_the_encoding_is_said_where_it_is_not_utf_8(ws: Path) -> None:
    plant(ws, u__txt=b"\xff\xfe" + "é\r\n".encode("utf-16-le"), bom__txt=b"\xef\xbb\xbfa\n")

    assert (
        await Reading(ws).read("u.txt") == "[encoding: utf-16-le; new text may use only characters that it has]\n1\té"
    )
    assert await Reading(ws).read("bom.txt") == "1\ta"


class Overlaid(DiskWorkspace):
    """A workspace whose document is in some state in the editor."""

    state: DocumentState = "dirty"
    note: str | None = None

    async def read(self, location: Location) -> Document:
        return Document(location, "typed\n", text_digest("typed\n"), state=self.state, note=self.note)


@pytest.mark.parametrize(
    ("state", "note", "first"),
    [
        ("dirty", None, "[open in the editor and not saved; this is the editor's text]"),
        ("stale", "the disk changed under it", "[the disk changed under it]"),
        ("conflict", "both changed", "[both changed]"),
        ("clean", None, "1\ttyped"),
    ],
)
async def test_how_buffer_and_disk_stand_is_said(ws: Path, state: DocumentState, note: str | None, first: str) -> None:
    workspace = Overlaid([Root("ws", ws)])
    workspace.state, workspace.note = state, note

    shown = await call(ReadFile(workspace, Lister(Ripgrep())), path="a.py")

    assert shown.content.split("\n")[0] == first


@pytest.mark.parametrize("arguments", [{"offset": 0}, {"limit": 0}, {"column": 0}, {"lines": 3}])
def test_arguments_that_make_no_sense_do_not_fit_the_schema(arguments: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        ReadFileArguments.model_validate({"path": "a", **arguments})
