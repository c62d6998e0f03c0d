"""Folders that a change made go with it when it is taken back, and no other ever does (DESIGN S7)."""

from pathlib import Path

import pytest

from steersman.agent.messages import UserMessage
from support.rewind_bench import Bench
from support.session_store import Stores


@pytest.fixture
def bench(stores: Stores) -> Bench:
    return Bench.over(stores)


async def written(bench: Bench, *names: str) -> None:
    """0 prompt; then one call for each name, which creates that file."""
    with bench.hold() as handle:
        handle.append(UserMessage("go"))
        for number, name in enumerate(names, 1):
            await bench.change(handle, bench.create(name, "new\n"), number=number)


def below(bench: Bench) -> list[str]:
    """Everything there is, folders too."""
    return sorted(path.relative_to(bench.folder).as_posix() for path in bench.folder.rglob("*"))


async def test_folders_that_a_file_was_written_into_anew_go_with_it(bench: Bench):
    await written(bench, "src/deep/a")
    await bench.rewind(0)
    assert below(bench) == []


async def test_a_folder_that_was_there_before_stays_also_when_it_is_empty(bench: Bench):
    (bench.folder / "src").mkdir()
    await written(bench, "src/deep/a")
    await bench.rewind(0)
    assert below(bench) == ["src"]


async def test_a_folder_with_something_else_in_it_by_now_stays(bench: Bench):
    await written(bench, "src/deep/a")
    bench.write(**{"src/mine": "typed by hand\n"})
    await bench.rewind(0)
    assert below(bench) == ["src", "src/mine"]


async def test_of_several_files_in_a_new_folder_the_last_to_go_takes_it(bench: Bench):
    await written(bench, "src/a", "src/b", "src/deep/c")
    await bench.rewind(2)
    assert below(bench) == ["src", "src/a"]
    await bench.rewind(0)
    assert below(bench) == []


async def test_files_of_one_call_share_the_folders_that_it_made(bench: Bench):
    with bench.hold() as handle:
        handle.append(UserMessage("go"))
        await bench.change(handle, bench.create("src/a", "new\n"), bench.create("src/b", "new\n"))
    await bench.rewind(0)
    assert below(bench) == []


async def test_a_folder_that_a_move_made_goes_and_the_file_is_back(bench: Bench):
    bench.write(a="text\n")
    with bench.hold() as handle:
        handle.append(UserMessage("go"))
        await bench.change(handle, bench.move("a", "src/a", "text\n"))
    await bench.rewind(0)
    assert below(bench) == ["a"]


async def test_a_file_that_is_left_alone_keeps_its_folder(bench: Bench):
    await written(bench, "src/a")
    bench.write(**{"src/a": "typed by hand\n"})
    assert bench.names(await bench.rewind(0)) == ([], ["a"])
    assert below(bench) == ["src", "src/a"]


async def test_an_empty_folder_whose_file_somebody_else_removed_stays(bench: Bench):
    """Nothing says whose it is by now."""
    await written(bench, "src/a")
    (bench.folder / "src" / "a").unlink()
    await bench.rewind(0)
    assert below(bench) == ["src"]


async def test_undoing_brings_the_folders_back_and_undoing_that_removes_them(bench: Bench):
    await written(bench, "src/deep/a")
    rewound = await bench.rewind(0)
    undone = await bench.undo(rewound.rewind_id)
    assert below(bench) == ["src", "src/deep", "src/deep/a"]
    await bench.undo(undone.rewind_id)
    assert below(bench) == []


async def test_a_link_that_took_a_folder_s_place_is_not_followed(bench: Bench, tmp_path: Path):
    await written(bench, "src/deep/a")
    elsewhere = tmp_path / "elsewhere"
    (bench.folder / "src").rename(elsewhere)
    (bench.folder / "src").symlink_to(elsewhere)
    assert bench.names(await bench.rewind(0)) == ([], ["a"])
    assert (elsewhere / "deep" / "a").exists()


async def test_a_fork_knows_which_folders_were_made(bench: Bench):
    await written(bench, "src/a")
    bench.session_id = bench.store.fork(bench.session_id, None).id
    await bench.rewind(0)
    assert below(bench) == []
