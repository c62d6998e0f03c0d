"""run_command in the real sandbox of this system; where none works, that is what it has to say (DESIGN W10)."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.agent.tool import Effect, ToolError
from steersman_tools.kit.confining import CommandRules
from steersman_tools.kit.sandbox_probe import SandboxProbe
from support.running_commands import Commands, no_sandbox

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no sandbox on Windows")


KERNEL_SETTINGS = ("/proc/sys/kernel/core_pattern", "/proc/sys/vm/swappiness")


class Ground:
    """A workspace with protected files, beside a folder that is none."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "ws"
        self.outside = folder / "outside"
        self.home = folder / "home"
        for path in (self.root / ".vscode", self.outside, self.home / ".ssh"):
            path.mkdir(parents=True)
        (self.root / ".env").write_text("SECRET=1\n")
        (self.root / ".vscode" / "settings.json").write_text("{}\n")
        (self.root / "app.py").write_text("x = 1\n")
        (self.home / ".ssh" / "id_rsa").write_text("key\n")

    def commands(self, probe: SandboxProbe, *, read_only: bool = False, **rules: object) -> Commands:
        environ = {**os.environ, "HOME": str(self.home)}
        return Commands(self.root, probe, CommandRules(self.home, **rules), read_only, environ=environ)  # type: ignore[arg-type]


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path.resolve())


async def sandbox_works(commands: Commands) -> bool:
    """Whether there is one. If not, the plan has to say so, which is all that can be tested here."""
    found = await commands.probe.find()
    if found.sandbox is None:
        plan = await commands.plan("true")
        assert (plan.confinement, plan.warnings) == ("none", (f"It runs without a sandbox: {found.reason}.",))
    return found.sandbox is not None


async def test_the_plan_says_how_it_is_held(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        plan = await commands.plan("make")
        assert (plan.confinement, plan.effects, plan.warnings) == ("roots", {Effect.EXECUTE}, ())
        online = await ground.commands(SandboxProbe(), network=True).plan("make")
        assert online.effects == {Effect.EXECUTE, Effect.NETWORK}


async def test_it_writes_in_the_workspace_and_nowhere_else(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        result = await commands.run(
            f"echo made > new.txt; echo y > {ground.outside}/y; echo z > ~/z; echo t > /tmp/t && echo ok"
        )

        assert (ground.root / "new.txt").read_text() == "made\n"
        assert list(ground.outside.iterdir()) == []
        assert not (ground.home / "z").exists()
        assert "ok" in result.content


async def test_report_39_protected_files_stay_and_none_come_to_be(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        subprocess.run(["git", "init", "-q"], cwd=ground.root, check=True)
        await commands.run(
            "umount .vscode; mount -o remount,rw /; unshare -Urm mount -o remount,rw .vscode; ln .env link; "
            "echo x > .vscode/settings.json; rm -rf .vscode; mv .vscode v; echo x >> .env; rm .env; "
            "echo x > .git/hooks/pre-commit; mkdir .idea; echo x > .idea/x; mkdir -p .steersman && echo x > .steersman/y"
        )

        assert (ground.root / ".vscode" / "settings.json").read_text() == "{}\n"
        assert (ground.root / ".env").read_text() == "SECRET=1\n"
        assert not (ground.root / ".git" / "hooks" / "pre-commit").exists()
        assert sorted(path.name for path in ground.root.iterdir()) == [".env", ".git", ".vscode", "app.py"]


async def test_nobody_in_it_can_give_orders_to_the_kernel(ground: Ground):
    """Not even root: what runs as root may be all that a container has."""
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        settings = [path for path in map(Path, KERNEL_SETTINGS) if path.exists()]

        result = await commands.run(
            "; ".join(f'(echo "$(cat {path})" > {path}) 2>/dev/null && echo given' for path in settings)
        )

        assert "given" not in result.content


async def test_report_40_in_plan_mode_nothing_can_be_changed(ground: Ground):
    commands = ground.commands(SandboxProbe(), read_only=True)
    found = await commands.probe.find()
    if found.sandbox is None:
        with pytest.raises(ToolError, match="Plan mode"):
            await commands.plan("true")
        return
    before = {path: path.read_bytes() for path in ground.root.rglob("*") if path.is_file()}

    result = await commands.run("cat app.py; echo y > app.py; rm -rf * .env; mkdir made; echo t > /tmp/t && cat /tmp/t")

    assert (await commands.plan("true")).confinement == "read_only"
    assert "x = 1" in result.content
    assert result.content.endswith("t")
    assert {path: path.read_bytes() for path in ground.root.rglob("*") if path.is_file()} == before


async def test_what_was_planned_read_only_runs_read_only(ground: Ground):
    commands = ground.commands(SandboxProbe(), read_only=True)
    if (await commands.probe.find()).sandbox is not None:
        tool = commands.tool
        plan = await tool.prepare(tool.parameters.model_validate({"command": "touch made"}))
        commands.read_only = False

        await tool.run(plan, commands.signal, lambda _: None)

        assert not (ground.root / "made").exists()


async def test_there_is_no_network_unless_it_is_allowed(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        with socket.create_server(("127.0.0.1", 0)) as server:
            port = server.getsockname()[1]
            command = f"(: < /dev/tcp/127.0.0.1/{port}) 2>/dev/null && echo reached || echo alone"

            assert "alone" in (await commands.run(command)).content
            assert "reached" in (await ground.commands(SandboxProbe(), network=True).run(command)).content


async def test_a_commit_is_possible_but_hooks_and_configuration_stay(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        subprocess.run(["git", "init", "-q"], cwd=ground.root, check=True)
        commit = "git -c user.name=n -c user.email=e commit -qm message && git log --format=%s"

        result = await commands.run(f"git add app.py && {commit}; echo x > .git/hooks/pre-commit; git config a.b c")

        assert "message" in result.content
        assert not (ground.root / ".git" / "hooks" / "pre-commit").exists()
        assert "[a]" not in (ground.root / ".git" / "config").read_text()


async def test_keys_and_other_processes_cannot_be_seen(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        result = await commands.run(
            f"cat ~/.ssh/id_rsa; test -e /proc/{os.getpid()}/environ && cat /proc/{os.getpid()}/environ"
        )

        assert "key" not in result.content.replace("keys", "")
        assert "PATH=" not in result.content


async def test_what_it_leaves_in_the_background_ends_with_it(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        result = await commands.run("sleep 600 & sleep 600 > /dev/null 2>&1 & echo started")

        assert result.content == "Exit code 0:\nstarted"


async def test_a_cancel_lets_it_tidy_up_and_then_ends_it(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        commands.on_print = lambda text: commands.signal.set() if "ready" in text else None

        result = await commands.run("trap 'echo tidy; exit 0' TERM; echo ready; while :; do sleep 0.05; done")

        assert result.content.startswith("Cancelled")
        assert "tidy" in result.content


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows in a file that a process is stopped")
async def test_one_that_stopped_itself_and_its_sandbox_tidies_up_and_ends_as_well(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        stopper = "(until grep -q 'State:.T' /proc/$$/status; do sleep 0.01; done; echo stopped) & "
        commands.on_print = lambda text: commands.signal.set() if "stopped" in text else None

        result = await commands.run(f"trap 'echo tidy; exit 0' TERM; {stopper} kill -STOP $$; sleep 600")

        assert "tidy" in result.content


async def test_temporary_files_stay_private_and_last_for_the_run(ground: Ground):
    commands = ground.commands(SandboxProbe())
    if await sandbox_works(commands):
        tool = commands.tool
        for command, printed in [("echo kept > $TMPDIR/steersman-file", ""), ("cat $TMPDIR/steersman-file", "kept")]:
            plan = await tool.prepare(tool.parameters.model_validate({"command": command}))
            assert printed in (await tool.run(plan, commands.signal, lambda _: None)).content
        assert not Path("/tmp/steersman-file").exists()


async def test_without_a_sandbox_all_of_it_is_told(ground: Ground):
    assert not await sandbox_works(ground.commands(no_sandbox()))
