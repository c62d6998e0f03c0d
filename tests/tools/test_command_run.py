"""run_command: real commands, without a sandbox (DESIGN W10)."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from steersman.agent.tool import Effect, Tool, ToolError
from steersman_tools.kit.confining import CommandRules
from steersman_tools.kit.process_group import PosixGroups, WindowsGroups, shell_argv
from steersman_tools.run_command import MAX_OUTPUT_CHARS, MAX_TIMEOUT_S
from support.memory_workspace import MemoryWorkspace
from support.running_commands import Commands

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")


@pytest.fixture
def commands(tmp_path: Path) -> Commands:
    return Commands(tmp_path.resolve())


async def gone(pid_file: Path) -> None:
    """Return when the group of the process whose number stands in the file is gone."""
    groups = PosixGroups()
    async with asyncio.timeout(30):
        while groups.is_alive(int(pid_file.read_text())):
            await asyncio.sleep(0.01)


async def test_it_is_a_tool(commands: Commands):
    assert isinstance(commands.tool, Tool)


async def test_output_of_both_kinds_and_exit_code_come_back(commands: Commands):
    result = await commands.run("echo out; echo err >&2; exit 3")

    assert result.content == "Exit code 3:\nout\nerr"
    assert result.is_error
    assert commands.printed == "out\nerr\n"


async def test_success_without_output(commands: Commands):
    result = await commands.run("true")

    assert (result.content, result.is_error) == ("Exit code 0, and printed nothing.", False)


async def test_it_starts_in_the_folder_that_was_asked_for(commands: Commands):
    (commands.folder / "sub").mkdir()

    assert (await commands.run("pwd", folder="sub")).content.endswith(f"\n{commands.folder}/sub")


async def test_what_is_no_folder_is_refused(commands: Commands):
    (commands.folder / "file").write_text("x")

    for folder, words in [("file", "no folder"), ("missing", "no folder"), ("..", "leads out")]:
        with pytest.raises(ToolError, match=words):
            await commands.plan("true", folder)


async def test_an_empty_command_is_refused(commands: Commands):
    for command in ("  \n", "a\0b"):
        with pytest.raises(ToolError, match="empty"):
            await commands.plan(command)


async def test_the_plan_says_what_would_run_where_and_that_nothing_holds_it(commands: Commands):
    plan = await commands.plan("pytest  -q\n  tests")

    assert plan.title == "run pytest -q tests"
    assert (plan.command, plan.folder) == ("pytest  -q\n  tests", str(commands.folder))
    assert plan.effects == {Effect.EXECUTE, Effect.NETWORK}
    assert plan.confinement == "none"
    assert plan.warnings == ("It runs without a sandbox: bubblewrap (bwrap) is not installed.",)


async def test_report_40_in_plan_mode_nothing_runs_without_a_sandbox(tmp_path: Path):
    commands = Commands(tmp_path.resolve(), read_only=True)

    with pytest.raises(ToolError, match=r"Plan mode runs commands only inside a sandbox.*not installed"):
        await commands.plan("true")


async def test_when_the_mode_turns_to_plan_while_the_question_stands_nothing_runs(commands: Commands):
    tool = commands.tool
    plan = await tool.prepare(tool.parameters.model_validate({"command": "touch made"}))
    commands.read_only = True

    with pytest.raises(ToolError, match="Plan mode"):
        await tool.run(plan, commands.signal, lambda _: None)

    assert not (commands.folder / "made").exists()


async def test_the_output_is_streamed_while_it_runs(commands: Commands):
    """The command waits for a file that appears only after its first line was seen."""

    def on_print(text: str) -> None:
        if text == "first\n":
            (commands.folder / "go").touch()

    commands.on_print = on_print
    result = await commands.run("echo first; until [ -e go ]; do sleep 0.01; done; echo second")

    assert result.content == "Exit code 0:\nfirst\nsecond"


async def test_a_cancel_ends_the_whole_group_and_keeps_what_was_printed(commands: Commands):
    commands.on_print = lambda text: commands.signal.set() if "ready" in text else None

    result = await commands.run("echo $$ > pid; sleep 600 & sleep 600 | sleep 600 & echo ready; wait")

    assert result.content.startswith("Cancelled after")
    assert "\nready" in result.content
    assert result.is_error
    await gone(commands.folder / "pid")


async def test_a_time_limit_ends_it_likewise(commands: Commands):
    commands.on_print = lambda text: commands.late.set() if "ready" in text else None

    result = await commands.run("echo $$ > pid; echo ready; sleep 600")

    assert result.content.startswith("Ended at its time limit of 77 s")
    await gone(commands.folder / "pid")


async def test_a_program_may_tidy_up_when_asked_to_end(commands: Commands):
    commands.on_print = lambda text: commands.signal.set() if "ready" in text else None

    result = await commands.run("trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.05; done")

    assert "tidy" in result.content


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows in a file that a process is stopped")
async def test_one_that_is_stopped_tidies_up_and_ends_as_well(commands: Commands):
    """It says that it is about to stop, and is cancelled once it has."""
    stopper = "(until grep -q 'State:.T' /proc/$$/status; do sleep 0.01; done; echo stopped) & "
    commands.on_print = lambda text: commands.signal.set() if "stopped" in text else None

    result = await commands.run(f"trap 'echo tidy; exit 0' TERM; {stopper} kill -STOP $$; sleep 600")

    assert "tidy" in result.content


async def test_one_that_will_not_end_is_killed(commands: Commands):
    commands.hurry = True
    commands.on_print = lambda text: commands.signal.set() if "ready" in text else None

    result = await commands.run("echo $$ > pid; trap '' TERM; echo ready; while :; do sleep 600; done")

    assert result.content.startswith("Cancelled")
    await gone(commands.folder / "pid")


async def test_one_that_is_cancelled_before_it_starts_does_not_start(commands: Commands):
    commands.signal.set()

    result = await commands.run("touch made")

    assert (result.content, result.is_error) == ("The command was not started.", True)
    assert not (commands.folder / "made").exists()


async def test_when_the_caller_is_cancelled_nothing_stays(commands: Commands):
    ready = asyncio.Event()
    commands.on_print = lambda _: ready.set()
    running = asyncio.create_task(commands.run("echo $$ > pid; trap '' TERM; echo ready; while :; do sleep 600; done"))
    await ready.wait()

    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running

    await gone(commands.folder / "pid")


async def test_a_background_child_that_holds_the_output_does_not_hold_the_run(commands: Commands):
    result = await commands.run("sleep 600 & echo $! > pid; echo started")

    assert result.content.startswith(
        "Exit code 0:\nstarted\n(Something it left in the background still held its output"
    )
    await gone(commands.folder / "pid")


async def test_a_background_child_whose_output_goes_elsewhere_stays_and_is_told(commands: Commands):
    result = await commands.run("echo $$ > pid; (until [ -e end ]; do sleep 0.01; done) > log 2>&1 & echo started")

    assert "Something it left in the background is still running." in result.content
    (commands.folder / "end").touch()
    await gone(commands.folder / "pid")


async def test_it_has_no_terminal_and_no_input(commands: Commands):
    result = await commands.run("read x || echo no input; (: < /dev/tty) 2>/dev/null || echo no terminal; tty")

    assert "no input\nno terminal" in result.content
    assert "neither: use flags" in result.content


async def test_secrets_of_the_server_are_not_in_its_environment(commands: Commands):
    commands.environ |= {"OPENAI_API_KEY": "sk-secret", "LOCAL_MODEL": "named-by-the-settings", "PLAIN": "here"}

    result = await commands.run("env")

    assert "PLAIN=here" in result.content
    assert "sk-secret" not in result.content
    assert "named-by-the-settings" not in result.content


async def test_a_flood_of_output_is_bounded_and_marked(commands: Commands):
    result = await commands.run("echo begin; head -c 3000000 /dev/zero | tr '\\0' 'x' | fold -w 99; echo; echo end")

    assert len(result.content) < MAX_OUTPUT_CHARS + 500
    assert result.content.startswith("Exit code 0:\nbegin\n")
    assert result.content.endswith("\nend")
    assert "characters left out" in result.content
    assert len(commands.printed) < 200_000


async def test_unsaved_edits_are_named_in_plan_and_result(tmp_path: Path):
    workspace = RealFolder(tmp_path.resolve())
    workspace.unsaved = ("src/app.py",)
    commands = Commands(tmp_path.resolve(), workspace=workspace)

    assert (await commands.plan("true")).unsaved == ("src/app.py",)
    assert "did not see your edits: src/app.py" in (await commands.run("true")).content
    assert workspace.settled == 1


async def test_the_editor_gets_its_second_also_after_a_cancel(tmp_path: Path):
    workspace = RealFolder(tmp_path.resolve())
    commands = Commands(tmp_path.resolve(), workspace=workspace)
    commands.on_print = lambda _: commands.signal.set()

    await commands.run("echo x; sleep 600")

    assert workspace.settled == 1


async def test_the_time_limit_has_a_maximum(commands: Commands):
    tool = commands.tool
    plan = await tool.prepare(tool.parameters.model_validate({"command": "true", "timeout_s": 1e9}))

    assert f"timeout_s={MAX_TIMEOUT_S}" in repr(plan.payload)


@pytest.mark.parametrize("timeout_s", [0, -1, "soon", float("nan")])
def test_a_time_limit_is_a_positive_number(timeout_s: object):
    from steersman_tools.run_command import RunCommandArguments

    with pytest.raises(ValueError, match="timeout_s"):
        RunCommandArguments.model_validate({"command": "x", "timeout_s": timeout_s})


async def test_the_description_tells_what_is_possible(tmp_path: Path):
    ask = Commands(tmp_path.resolve()).tool.description
    plan = Commands(tmp_path.resolve(), rules=CommandRules(Path("/x"), network=True), read_only=True).tool.description

    assert "only in the workspace and has no network" in ask
    assert "write nothing where a sandbox works" in plan


def test_on_windows_the_shell_is_named_by_absolute_path_and_nothing_is_quoted():
    argv = shell_argv('echo "a b" | more', windows=True, system_root=r"D:\Win")

    assert argv[0] == r"D:\Win\System32\WindowsPowerShell\v1.0\powershell.exe"
    assert argv[-2] == "-EncodedCommand"
    assert '"' not in argv[-1]


def test_on_windows_a_group_is_started_without_a_window():
    assert WindowsGroups(r"C:\Windows").start_options == {"creationflags": 0x08000200}


class RealFolder(MemoryWorkspace):
    """The memory workspace's words on a real folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    @property
    def roots(self):
        from steersman_tools.kit.workspace import Root

        return (Root("ws", self._folder),)

    def locate(self, path: str):
        from steersman_tools.kit.workspace import Location

        return Location(self._folder / path, self.roots[0], path)
