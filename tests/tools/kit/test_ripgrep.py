"""Running ripgrep: named by its path, without our environment, ended when it must be (DESIGN W9, W10)."""

import asyncio
import os
import sys
from pathlib import Path

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError
from steersman_tools.kit.ripgrep import Ripgrep, find_ripgrep


@pytest.fixture
def talker(tmp_path: Path) -> Path:
    """A program that does what a script called ``script.py`` in its folder says, in place of ripgrep."""
    program = tmp_path / "talker"
    program.write_text(f"#!{sys.executable}\nexec(open('script.py').read())\n")
    program.chmod(0o755)
    return program


def script(folder: Path, text: str) -> None:
    (folder / "script.py").write_text(text)


def test_it_is_found_beside_this_python_by_an_absolute_path() -> None:
    found = find_ripgrep()

    assert found is not None
    assert found.is_absolute()
    assert found.is_file()


async def test_it_says_what_it_finds(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x\n")

    output = await Ripgrep().run(["x", "a"], folder=tmp_path, signal=CancelSignal(), max_bytes=100)

    assert (output.data, output.code, output.cut) == (b"x\n", 0, False)


async def test_it_reads_what_is_given_to_it(tmp_path: Path) -> None:
    output = await Ripgrep().run(["b", "-"], folder=tmp_path, signal=CancelSignal(), max_bytes=100, stdin=b"a\nb\n")

    assert output.data == b"b\n"


async def test_what_it_says_is_handed_on_while_it_goes_on(tmp_path: Path, talker: Path) -> None:
    script(tmp_path, "print('first', flush=True)\nopen('gate').read()\nprint('second')")
    os.mkfifo(tmp_path / "gate")
    taken: list[bytes] = []

    def take(piece: bytes) -> None:
        taken.append(piece)
        if piece == b"first\n":
            (tmp_path / "gate").write_text("")  # lets it go on

    output = await Ripgrep(talker).run([], folder=tmp_path, signal=CancelSignal(), max_bytes=1000, take=take)

    assert taken == [b"first\n", b"second\n", b""]
    assert (output.data, output.size, output.code) == (b"", 13, 0)


async def test_whoever_cannot_take_it_is_told_and_it_is_ended(tmp_path: Path, talker: Path) -> None:
    script(tmp_path, "while True: print('x' * 1000)")

    def take(piece: bytes) -> None:
        raise ValueError(piece[:1])

    with pytest.raises(ValueError, match="x"):
        await Ripgrep(talker).run([], folder=tmp_path, signal=CancelSignal(), max_bytes=5000, take=take)


async def test_it_is_read_while_it_is_given_something_and_complains(tmp_path: Path, talker: Path) -> None:
    """More than a pipe holds, in all three directions."""
    script(tmp_path, "import sys\nfor line in sys.stdin: print(line, file=sys.stderr), print(line)")
    lines = b"x" * 999 + b"\n"

    output = await Ripgrep(talker).run(
        [], folder=tmp_path, signal=CancelSignal(), max_bytes=10_000_000, stdin=lines * 1000
    )

    assert (output.size, output.code, len(output.errors)) == (1_001_000, 0, 8192)


async def test_one_that_does_not_read_what_it_is_given_is_no_error(tmp_path: Path, talker: Path) -> None:
    script(tmp_path, "print('done')")

    output = await Ripgrep(talker).run(
        [], folder=tmp_path, signal=CancelSignal(), max_bytes=1000, stdin=b"x" * 1_000_000
    )

    assert (output.data, output.code) == (b"done\n", 0)


async def test_our_environment_stays_with_us(tmp_path: Path, talker: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    monkeypatch.setenv("RIPGREP_CONFIG_PATH", str(tmp_path / "config"))
    script(tmp_path, "import os; print(sorted(os.environ))")

    output = await Ripgrep(talker).run([], folder=tmp_path, signal=CancelSignal(), max_bytes=1000)

    assert b"OPENAI" not in output.data
    assert b"RIPGREP" not in output.data


async def test_it_is_ended_when_it_says_too_much(tmp_path: Path, talker: Path) -> None:
    script(tmp_path, "while True: print('x' * 1000)")

    output = await Ripgrep(talker).run([], folder=tmp_path, signal=CancelSignal(), max_bytes=5000)

    assert (len(output.data), output.code, output.cut) == (5000, None, True)


async def test_it_is_ended_when_the_time_is_over(tmp_path: Path, talker: Path) -> None:
    script(tmp_path, "print('first', flush=True)\nimport threading; threading.Event().wait()")

    output = await Ripgrep(talker, max_seconds=0.5).run([], folder=tmp_path, signal=CancelSignal(), max_bytes=5000)

    assert (output.data, output.code, output.late) == (b"first\n", None, True)


async def test_it_is_ended_when_the_run_is_cancelled_and_what_it_said_stays(tmp_path: Path, talker: Path) -> None:
    script(
        tmp_path, "print('first', flush=True)\nopen('started', 'w').close()\nimport threading; threading.Event().wait()"
    )
    signal = CancelSignal()
    running = asyncio.ensure_future(Ripgrep(talker).run([], folder=tmp_path, signal=signal, max_bytes=5000))
    while not (tmp_path / "started").exists():
        await asyncio.sleep(0.01)

    signal.set()
    output = await running

    assert (output.data, output.code, output.cancelled) == (b"first\n", None, True)


async def test_a_cancelled_task_leaves_no_process(tmp_path: Path, talker: Path) -> None:
    script(
        tmp_path,
        "import os; open('pid.new', 'w').write(str(os.getpid())); os.rename('pid.new', 'pid')\nimport threading; threading.Event().wait()",
    )
    running = asyncio.ensure_future(Ripgrep(talker).run([], folder=tmp_path, signal=CancelSignal(), max_bytes=5000))
    while not (tmp_path / "pid").exists():
        await asyncio.sleep(0.01)

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    if Path("/proc/self").exists():
        assert not Path(f"/proc/{(tmp_path / 'pid').read_text()}").exists()


async def test_a_missing_program_is_said_in_words(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match="ripgrep, which is missing"):
        await Ripgrep(tmp_path / "rg").run([], folder=tmp_path, signal=CancelSignal(), max_bytes=1)


async def test_a_program_that_cannot_be_started_is_said_in_words(tmp_path: Path) -> None:
    (tmp_path / "rg").write_text("no program")

    with pytest.raises(ToolError, match="cannot be started"):
        await Ripgrep(tmp_path / "rg").run([], folder=tmp_path, signal=CancelSignal(), max_bytes=1)
