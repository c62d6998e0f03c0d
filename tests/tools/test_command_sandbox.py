"""What is said to the sandboxes, and whether there is one (DESIGN W10)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from steersman_tools.kit.sandbox import Bubblewrap, Confines, Seatbelt
from steersman_tools.kit.sandbox_probe import Found, SandboxProbe, run_trial

ROOT = Path("/srv/ws")
HOME = Path("/nowhere/home")
BWRAP = Bubblewrap("/usr/bin/bwrap")
SEATBELT = Seatbelt("/usr/bin/sandbox-exec")


def confines(**others: object) -> Confines:
    return Confines((ROOT,), ROOT / "src", HOME, **others)  # type: ignore[arg-type]


def said(argv: Sequence[str], *words: str) -> bool:
    """Whether the words stand in the command line one behind the other."""
    return any(tuple(argv[at : at + len(words)]) == words for at in range(len(argv)))


def test_bubblewrap_makes_all_read_only_but_the_roots():
    argv = BWRAP.argv(confines(), ["/bin/sh", "-c", "x"])

    assert argv[0] == "/usr/bin/bwrap"
    assert said(argv, "--ro-bind", "/", "/")
    assert said(argv, "--bind", "/srv/ws", "/srv/ws")
    assert said(argv, "--chdir", "/srv/ws/src", "--", "/bin/sh", "-c", "x")
    assert said(argv, "--tmpfs", "/tmp")
    assert {"--die-with-parent", "--unshare-all"} <= set(argv)
    assert said(argv, "--cap-drop", "ALL")
    assert argv.index("/") < argv.index("/srv/ws")


def test_bubblewrap_leaves_no_network_unless_it_is_allowed():
    assert "--share-net" not in BWRAP.argv(confines(), ["x"])
    assert "--share-net" in BWRAP.argv(confines(network=True), ["x"])


def test_bubblewrap_keeps_protected_paths_behind_the_roots():
    argv = BWRAP.argv(confines(protected=(ROOT / ".git",), absent=(ROOT / ".vscode",)), ["x"])

    assert said(argv, "--ro-bind-try", "/srv/ws/.git", "/srv/ws/.git")
    assert said(argv, "--ro-bind", "/srv/ws/.vscode", "/srv/ws/.vscode")
    assert argv.index("/srv/ws") < argv.index("/srv/ws/.git")


def test_report_40_in_plan_mode_bubblewrap_lets_nothing_be_written():
    argv = BWRAP.argv(confines(read_only=True, absent=(ROOT / ".vscode",), scratch=Path("/s")), ["x"])

    assert "--bind" not in argv
    assert said(argv, "--ro-bind", "/srv/ws", "/srv/ws")
    assert "/srv/ws/.vscode" not in argv
    assert "/s/tmp" not in argv


def test_bubblewrap_hides_files_and_folders():
    argv = BWRAP.argv(confines(hidden=("/h/.ssh/", "/h/.netrc")), ["x"])

    assert said(argv, "--tmpfs", "/h/.ssh")
    assert said(argv, "--ro-bind", "/dev/null", "/h/.netrc")


def test_bubblewrap_keeps_temporary_files_between_commands_in_the_scratch_folder(tmp_path: Path):
    (tmp_path / ".cache").mkdir()
    there = Confines((ROOT,), ROOT, tmp_path, scratch=Path("/s"))

    argv = BWRAP.argv(there, ["x"])

    assert said(argv, "--bind", "/s/tmp", "/tmp")
    assert said(argv, "--bind", "/s/cache", str(tmp_path / ".cache"))
    assert BWRAP.environment(there)["XDG_CACHE_HOME"] == str(tmp_path / ".cache")
    assert BWRAP.environment(confines())["XDG_CACHE_HOME"] == "/tmp/.cache"


def test_seatbelt_denies_writing_but_below_the_roots_and_not_on_protected_paths():
    profile = SEATBELT.profile(confines(protected=(ROOT / ".git",), absent=(ROOT / ".idea",), hidden=("/h/.ssh/",)))

    rules = profile.split("\n")
    allow = rules.index('(allow file-write* (subpath "/srv/ws"))')
    assert rules.index("(deny file-write*)") < allow
    assert allow < rules.index('(deny file-write* (subpath "/srv/ws/.git"))')
    assert '(deny file-write* (subpath "/srv/ws/.idea"))' in rules
    assert '(deny file-read* file-write* (subpath "/h/.ssh"))' in rules
    assert "(deny network*)" in rules


def test_seatbelt_in_plan_mode_and_with_network():
    plan = SEATBELT.profile(confines(read_only=True, scratch=Path("/s")))

    assert "/srv/ws" not in plan
    assert '(allow file-write* (subpath "/s"))' in plan
    assert "(deny network*)" not in SEATBELT.profile(confines(network=True))


def test_seatbelt_quotes_what_a_path_may_hold():
    odd = Path('/srv/a"b\\c')

    assert '(subpath "/srv/a\\"b\\\\c")' in SEATBELT.profile(Confines((odd,), odd, HOME))


async def answering(code: int, printed: str, asked: list[Sequence[str]]):
    async def try_out(argv: Sequence[str]) -> tuple[int, str]:
        asked.append(argv)
        return code, printed

    return try_out


async def test_a_probe_that_succeeds_gives_the_sandbox_and_is_made_once():
    asked: list[Sequence[str]] = []
    probe = SandboxProbe("linux", lambda _: True, await answering(0, "", asked))

    assert await probe.find() == Found(Bubblewrap("/usr/bin/bwrap"))
    assert await probe.find() == Found(Bubblewrap("/usr/bin/bwrap"))
    assert len(asked) == 1
    assert asked[0][0] == "/usr/bin/bwrap"


async def test_a_probe_goes_on_when_one_who_asked_is_cancelled():
    answer = asyncio.Event()

    async def try_out(argv: Sequence[str]) -> tuple[int, str]:
        await answer.wait()
        return 0, ""

    probe = SandboxProbe("linux", lambda _: True, try_out)
    first, second = asyncio.create_task(probe.find()), asyncio.create_task(probe.find())
    await asyncio.sleep(0)
    first.cancel()
    answer.set()

    assert await second == Found(Bubblewrap("/usr/bin/bwrap"))


async def test_a_probe_that_fails_says_why():
    said = "bwrap: No permissions to create new namespace\nmore"
    probe = SandboxProbe("linux", lambda _: True, await answering(1, said, []))

    found = await probe.find()

    assert found.sandbox is None
    assert found.reason == "bubblewrap does not work here: bwrap: No permissions to create new namespace"


async def test_a_program_that_cannot_be_started_is_no_sandbox():
    async def try_out(argv: Sequence[str]) -> tuple[int, str]:
        raise PermissionError(argv[0])

    assert "cannot be started" in (await SandboxProbe("linux", lambda _: True, try_out).find()).reason


@pytest.mark.parametrize(
    ("platform", "reason"),
    [
        ("linux", "bubblewrap (bwrap) is not installed"),
        ("darwin", "/usr/bin/sandbox-exec is missing"),
        ("win32", "no sandbox on this system"),
    ],
)
async def test_without_a_program_there_is_none(platform: str, reason: str):
    found = await SandboxProbe(platform, lambda _: False, await answering(0, "", [])).find()

    assert found.sandbox is None
    assert reason in found.reason


async def test_on_macos_it_is_the_systems_own():
    found = await SandboxProbe("darwin", lambda _: True, await answering(0, "", [])).find()

    assert found == Found(Seatbelt("/usr/bin/sandbox-exec"))


async def test_the_real_probe_gives_an_answer_that_is_true():
    found = await SandboxProbe().find()

    if found.sandbox is None:
        assert found.reason
        return
    here = Path("/")
    code, _ = await run_trial(found.sandbox.argv(Confines((), here, here, read_only=True), ["/bin/sh", "-c", "exit 7"]))
    assert code == 7
