"""The reading tools over a real folder, for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Plan, Tool, ToolResult
from steersman_tools.find_files import FindFiles
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.ripgrep import Ripgrep
from steersman_tools.kit.searching import Searcher
from steersman_tools.kit.workspace import Location, Root
from steersman_tools.list_dir import ListDir
from steersman_tools.read_file import ReadFile
from steersman_tools.search import Search


class EditorWorkspace(DiskWorkspace):
    """The disk, and documents that an editor holds unsaved."""

    def __init__(self, roots: list[Root], texts: Mapping[Path, str] | None = None) -> None:
        super().__init__(roots)
        self.texts = {str(path): text for path, text in (texts or {}).items()}

    async def open_texts(self) -> dict[str, str]:
        """Return the unsaved documents."""
        return dict(self.texts)

    async def exists(self, location: Location) -> bool:
        """Whether the disk or the editor has it."""
        return str(location.path) in self.texts or await super().exists(location)


class Reading:
    """The four tools over one folder (or several)."""

    def __init__(self, *folders: Path, texts: Mapping[Path, str] | None = None, ripgrep: Ripgrep | None = None) -> None:
        self.workspace = EditorWorkspace([Root(folder.name, folder) for folder in folders], texts)
        program = ripgrep or Ripgrep()
        lister = Lister(program)
        self.read_file = ReadFile(self.workspace, lister)
        self.list_dir = ListDir(self.workspace)
        self.find_files = FindFiles(self.workspace, lister)
        self.search = Search(self.workspace, Searcher(program, lister))

    async def read(self, path: str, **arguments: object) -> str:
        """Return what ``read_file`` shows."""
        return (await call(self.read_file, path=path, **arguments)).content

    async def list(self, path: str = ".", **arguments: object) -> list[str]:
        """Return the lines that ``list_dir`` shows."""
        return (await call(self.list_dir, path=path, **arguments)).content.split("\n")

    async def find(self, pattern: str, **arguments: object) -> list[str]:
        """Return the lines that ``find_files`` shows."""
        return (await call(self.find_files, pattern=pattern, **arguments)).content.split("\n")

    async def grep(self, pattern: str, **arguments: object) -> str:
        """Return what ``search`` shows."""
        return (await call(self.search, pattern=pattern, **arguments)).content


async def call(tool: Tool, /, **arguments: object) -> ToolResult:
    """Prepare and run one call, as the loop does."""
    return await run_call(tool, CancelSignal(), arguments)


async def run_call(tool: Tool, signal: CancelSignal, arguments: Mapping[str, object]) -> ToolResult:
    """Prepare and run one call that can be cancelled."""
    plan = await tool.prepare(tool.parameters.model_validate(arguments))
    assert isinstance(plan, Plan)
    return await tool.run(plan, signal, lambda _: None)


def plant(root: Path, *names: str, **contents: str | bytes) -> Path:
    """Write files below a folder: names with some text, keyword contents under their name (``__`` is a dot)."""
    files: dict[str, str | bytes] = dict.fromkeys(names, "some text\n")
    files |= {name.replace("__", "."): content for name, content in contents.items()}
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root
