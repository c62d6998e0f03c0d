"""No path, however it is built, reaches outside the workspace (DESIGN W7): tried on a real tree beside a canary."""

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.changes import Change, text_digest
from steersman.agent.tool import ToolError
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.workspace import Location, PathRefusedError, Root

CANARY = "canary\n"


@pytest.fixture
def base(tmp_path: Path) -> Iterator[Path]:
    """``ws`` is the workspace, ``lib`` another root; ``ws_evil`` and ``out`` lie outside and must never be touched."""
    for name in ("ws/src", "ws/deep/er", "lib", "ws_evil", "out/inner"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("ws/a.txt", "ws/src/b.txt", "lib/l.txt"):
        (tmp_path / name).write_text("inside\n")
    for name in ("ws_evil/a.txt", "out/a.txt", "out/inner/a.txt", "a.txt"):
        (tmp_path / name).write_text(CANARY)
    links = {
        "ws/up": "..",
        "ws/src/root": str(tmp_path / "ws"),
        "ws/evil": "../ws_evil",
        "ws/file": "../out/a.txt",
        "ws/dangling": "../out/new.txt",
        "ws/inside": "src/new.txt",
        "ws/loop": "loop2",
        "ws/loop2": "loop",
        "ws/self": "self/x",
        "ws/deep/er/far": "../../../out/inner",
        "ws/tolib": "../lib",
        "lib/back": "../ws/evil",
    }
    for name, target in links.items():
        (tmp_path / name).symlink_to(target)
    yield tmp_path
    shutil.rmtree(tmp_path)


def outside(base: Path) -> dict[str, str]:
    """What the canary tree holds."""
    found: dict[str, str] = {}
    for top in ("ws_evil", "out"):
        for path in sorted((base / top).rglob("*")):
            found[str(path.relative_to(base))] = "/" if path.is_dir() else path.read_text()
    return found | {path.name: path.read_text() for path in base.iterdir() if path.is_file()}


_PARTS = [
    *(
        "..",
        ".",
        "",
        "a.txt",
        "b.txt",
        "new.txt",
        "src",
        "deep",
        "er",
        "up",
        "root",
        "evil",
        "file",
        "dangling",
        "inside",
    ),
    *(
        "loop",
        "self",
        "far",
        "tolib",
        "back",
        "lib",
        "ws",
        "ws_evil",
        "out",
        "inner",
        "SRC",
        "A.TXT",
        "%2e%2e",
        "~",
        "~root",
    ),
    *(
        "..\\..",
        "a\u0301.txt",
        "\u00e1.txt",
        "src ",
        "src.",
        "nul",
        "a.txt:s",
        "\u2025",
        "\uff0e\uff0e",
        "C:",
        "\\\\server\\share",
    ),
]
pieces = st.lists(st.sampled_from(_PARTS), min_size=1, max_size=8).map("/".join)
prefixes = st.sampled_from(
    ["", "", "", "/", "//", "{base}/", "{base}/ws/", "file://", "file://{base}/ws/", "~/", "lib/", "./"]
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(prefix=prefixes, path=pieces)
def test_no_path_reads_or_writes_outside(base: Path, prefix: str, path: str) -> None:
    raw = prefix.format(base=base) + path
    before = outside(base)
    kit = DiskWorkspace([Root("ws", base / "ws"), Root("lib", base / "lib")])
    try:
        location = kit.locate(raw)
    except PathRefusedError:
        return

    real = Path(os.path.realpath(location.path))
    assert real == location.path
    assert real.is_relative_to(base / "ws") or real.is_relative_to(base / "lib")
    assert kit.locate(location.display).path == location.path
    asyncio.run(_use(kit, location))
    assert outside(base) == before


async def _use(kit: DiskWorkspace, location: Location) -> None:
    """Read it, write it, and put it back; errors for the model are fine, what lies outside is not."""
    path = str(location.path)
    try:
        text = (await kit.read(location)).text
        assert text != CANARY
        change = Change(path, "edit", text_digest(text), text, "changed\n")
    except ToolError:
        change = Change(path, "create", None, None, "changed\n")
    try:
        snapshot = await kit.snapshot(path)
        await kit.apply([change], label="test")
    except ToolError:
        return
    assert await kit.restore(snapshot, await kit.snapshot(path)) is None


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    name=st.sampled_from(["src/b.txt", "deep/er/x.txt", "a.txt"]),
    swap=st.integers(0, 2),
    target=st.sampled_from(["out", "out/inner"]),
)
def test_no_swap_between_approval_and_writing_reaches_outside(base: Path, name: str, swap: int, target: str) -> None:
    kit = DiskWorkspace([Root("ws", base / "ws")])
    path = base / "ws" / name
    before = outside(base)
    text = path.read_text() if path.exists() else None
    change = (
        Change(str(path), "create", None, None, "changed\n")
        if text is None
        else Change(str(path), "edit", text_digest(text), text, "changed\n")
    )
    victims = [
        path,
        *(parent for parent in path.parents if parent.is_relative_to(base / "ws") and parent != base / "ws"),
    ]
    victim = victims[min(swap, len(victims) - 1)]
    aside = base / "ws" / "aside"
    existed = victim.exists()
    if existed:
        victim.rename(aside)
    victim.symlink_to(base / target / ("a.txt" if victim == path else ""))
    try:
        with pytest.raises(ToolError):
            asyncio.run(kit.apply([change], label="test"))
        assert outside(base) == before
    finally:
        victim.unlink()
        if existed:
            aside.rename(victim)
