"""Very many unsaved documents: searched at once, as one by one, and never those that may hold secrets (DESIGN W9)."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from steersman.agent.cancel import CancelSignal
from support.reading import Reading, plant, run_call

MANY = 400


def _texts(ws: Path, count: int) -> dict[Path, str]:
    """Unsaved documents, of every fourth of which the disk has another text."""
    for number in range(0, count, 4):
        plant(ws, **{f"m{number:04}.py": "typed on the disk\n"})
    return {ws / f"m{number:04}.py": f"a\nb\ntyped {number}\nc\n" for number in range(count)}


@pytest.fixture
def ws(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a few files, and a folder for what is temporary beside it."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return plant(tmp_path / "ws", **{"z.py": "typed at the end\n", "__gitignore": "*.log\n"})


@pytest.mark.parametrize("count", [3, 8, 9, 40])
async def test_few_and_many_are_shown_alike(ws: Path, count: int) -> None:
    shown = await Reading(ws, texts=_texts(ws, count)).grep("typed", context=1, limit=1000)
    told = [f"m{number:04}.py\n  2- b\n  3: typed {number}\n  4- c\n" for number in range(count)]
    assert shown.startswith("".join(told) + "z.py\n")
    assert f"[{count + 1} matching lines in {count + 1} files]" in shown
    assert "typed on the disk" not in shown


async def test_what_git_ignores_what_a_glob_leaves_out_and_secrets_are_left_out(ws: Path) -> None:
    texts = _texts(ws, MANY)
    texts |= {ws / f"l{number}.log": "typed\n" for number in range(20)}
    texts |= {ws / f".env.{number}": "typed\n" for number in range(20)}
    texts |= {ws / f"t{number}.txt": "typed\n" for number in range(20)}
    reading = Reading(ws, texts=texts)
    assert f"of {MANY + 21:,} matching lines" in await reading.grep("typed", limit=1)
    assert f"of {MANY + 1:,} matching lines" in await reading.grep("typed", limit=1, glob="*.py")
    assert (await reading.grep("typed", glob="*.env*")).startswith("[no match")
    assert not list(Path(tempfile.gettempdir()).iterdir())


async def test_secrets_are_never_laid_out_for_another_program(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid: list[bytes] = []
    write = Path.write_bytes

    def write_bytes(path: Path, data: bytes) -> int:
        laid.append(data)
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", write_bytes)
    texts = {ws / f"m{number}.py": "typed\n" for number in range(20)}
    await Reading(ws, texts={**texts, ws / ".env": "typed SECRET\n"}).grep("typed")
    assert len(laid) == 20
    assert not any(b"SECRET" in data for data in laid)


async def test_a_search_that_is_stopped_leaves_nothing_behind(ws: Path) -> None:
    reading = Reading(ws, texts=_texts(ws, MANY))
    signal = CancelSignal()
    signal.set()
    result = await run_call(reading.search, signal, {"pattern": "typed"})
    assert "the run was cancelled" in result.content
    assert not list(Path(tempfile.gettempdir()).iterdir())


async def test_without_a_temporary_folder_the_search_says_so(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reading = Reading(ws, texts=_texts(ws, MANY))
    monkeypatch.setattr(tempfile, "tempdir", str(ws / "none"))
    with pytest.raises(Exception, match="what is unsaved cannot be laid out for the search: No such file or directory"):
        await reading.grep("typed")


async def test_new_documents_are_found_and_listed_among_many(ws: Path) -> None:
    reading = Reading(ws, texts=_texts(ws, MANY))
    assert (await reading.find("m*.py", limit=1))[-1].startswith(f"[the first 1 of {MANY:,};")
    assert "m0001.py (new in the editor, not saved)" in await reading.list()
