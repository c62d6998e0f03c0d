"""What the README and the pages show is tried: shell commands, the capture of the demo, the lines for Neovim."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.command_line import CommandLine
from support.documents import ROOT, code_words, pages, read_page
from support.neovim import Neovim
from support.typed import typed_in

README = read_page(ROOT / "README.md")

NOT_RUN_HERE = {
    r"make [a-z-]+": "a target of the Makefile; that it is there is checked below",
    r"pipx install \.|pip install \.": "downloads the dependencies; `make setup` installs the same way",
    r"code --install-extension .*": "needs VS Code; tests/editors/vscode",
    r"export [A-Z_]+=.*": "sets a key",
}
"""What a page tells a person to type and no test of the pages runs, and why."""


def shell_lines(path):
    return [
        line for fence in read_page(path).fences if fence.language == "sh" for line in fence.text.splitlines() if line
    ]


def is_run(line):
    return not any(re.fullmatch(pattern, line) for pattern in NOT_RUN_HERE)


def of_steersman(path):
    return [line for line in shell_lines(path) if is_run(line)]


@pytest.fixture
def steersman(tmp_path):
    """The command line over a folder with a README.md and a greet.py."""
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "README.md").write_text("# A project\n")
    (folder / "greet.py").write_text('def greet(name):\n    return "Hello, " + name\n')
    return CommandLine(folder, tmp_path / "state")


@pytest.fixture
def shell(steersman):
    """Run a line of shell there, with ``steersman`` on the PATH; return exit code and what was printed."""
    environment = steersman.environment()
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment.get('PATH', '')}"

    def run(line):
        done = subprocess.run(
            line, shell=True, cwd=steersman.folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=60, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout + done.stderr

    return run


@pytest.mark.timeout(300)
@pytest.mark.skipif(os.name == "nt", reason="the page shows lines of a POSIX shell")
def test_the_shell_commands_of_the_readme_work_one_after_the_other(steersman, shell):
    texts = []
    for line in of_steersman(README.path):
        code, printed = shell(line)
        assert code == 0, f"{line}\n{printed}"
        texts.append((steersman.folder / "greet.py").read_text())
    assert any("Good day" in text for text in texts), "the edit is made"
    assert "Hello" in texts[-1], "and taken back"


WITH_COMMANDS = [path for path in pages() if of_steersman(path) and path != README.path]


@pytest.mark.skipif(os.name == "nt", reason="the pages show lines of a POSIX shell")
@pytest.mark.parametrize("path", WITH_COMMANDS, ids=[str(path.relative_to(ROOT)) for path in WITH_COMMANDS])
def test_the_shell_commands_of_a_page_work_one_after_the_other(path, steersman, shell, monkeypatch, capsys):
    """Plain ones in this process, which is quicker; those with a pipe in a shell."""
    typed = typed_in(steersman, monkeypatch, capsys)
    typed("run", "Read README.md")
    for line in of_steersman(path):
        program, *args = shlex.split(line)
        if program == "steersman" and "|" not in args:
            code, *printed = typed(*args)
        else:
            code, printed = shell(line)
        assert code == 0, f"{line}\n{printed}"


def test_every_make_target_that_a_page_names_is_there():
    makefiles = [ROOT / "Makefile", *ROOT.glob("editors/*/targets.mk")]
    targets = {name for file in makefiles for name in re.findall(r"^([a-z][a-z-]*):", file.read_text(), re.MULTILINE)}
    shown = [line for path in pages() for fence in read_page(path).fences for line in fence.text.splitlines()]
    shown += [word for path in pages() for section in read_page(path).sections for word in code_words(section.text)]
    named = {found[1] for line in shown if (found := re.match(r"make ([a-z][a-z-]*)", line))}
    assert named >= {"demo", "test", "vsix"}
    assert named - targets == set()


@pytest.mark.timeout(300)
def test_the_capture_of_the_demo_is_what_it_prints(tmp_path):
    (capture,) = [fence.text for fence in README.fences if fence.info == "text demo"]
    done = subprocess.run(
        [sys.executable, "-P", str(ROOT / "tests" / "demo" / "demo.py")],
        cwd=tmp_path, env={**os.environ, "PYTHONUTF8": "1"}, capture_output=True, text=True, encoding="utf-8",
        timeout=240, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    printed = iter(done.stdout.splitlines())
    missing = [line for line in capture.splitlines() if line.strip() != "…" and line not in printed]
    assert missing == []


@pytest.mark.editor
def test_the_readme_s_lines_for_neovim_offer_what_can_be_done_at_the_cursor(tmp_path):
    (lua,) = [fence.text for fence in README.fences if fence.language == "lua"]
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "greet.py").write_text("# steersman: handle an empty list\n")
    (tmp_path / "init.lua").write_text(lua)
    with Neovim(tmp_path / "home") as editor:
        editor.command(f"luafile {tmp_path / 'init.lua'}")
        editor.edit(folder / "greet.py")
        editor.wait('#vim.lsp.get_clients({ name = "steersman", bufnr = 0 }) > 0')
        editor.watch_prompts()
        editor.keys("\\s")
        editor.wait_for_prompt("Steersman: do this")
        editor.keys("<Esc>")


def test_no_command_is_excused_that_no_page_shows():
    shown = {line for path in pages() for line in shell_lines(path)}
    for pattern in NOT_RUN_HERE:
        assert any(re.fullmatch(pattern, line) for line in shown), pattern
    assert shutil.which("sh") or os.name == "nt"
