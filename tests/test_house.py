"""The house stays tidy: sizes, layers, and what may be imported where (ARCHITECTURE.md)."""

import ast
import re
import statistics
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = sorted([*ROOT.glob("server/**/*.py"), *ROOT.glob("tools_workspace/**/*.py")])
ALL_PYTHON = sorted([*SOURCES, *ROOT.glob("tests/**/*.py")])


def functions(path):
    """Yield each function's name and its lines, docstring left out."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            doc = node.body[0] if ast.get_docstring(node) is not None else None
            yield node.name, node.end_lineno - node.lineno + 1 - (doc.end_lineno - doc.lineno + 1 if doc else 0)


def test_files_stay_small():
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in SOURCES}
    assert {str(path): length for path, length in lengths.items() if length > 500} == {}
    assert statistics.median(lengths.values()) <= 150


def test_functions_stay_small():
    lengths = sorted((length, f"{path.name}:{name}") for path in SOURCES for name, length in functions(path))
    assert [name for length, name in lengths if length > 60] == []
    assert lengths[int(len(lengths) * 0.9)][0] <= 30


def test_every_module_says_why_it_exists():
    assert [str(p) for p in SOURCES if not ast.get_docstring(ast.parse(p.read_text(encoding="utf-8")))] == []


def test_the_layers_hold():
    script = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


NAMED_ONLY_IN = {
    "subprocess": {
        "steersman_tools/run_command.py",
        "steersman_tools/kit/process_group.py",
        "steersman_tools/kit/sandbox.py",
        "steersman_tools/kit/ripgrep.py",
        "steersman/models/key_command.py",
    },
    "fcntl": {"steersman/sessions/oslock.py"},
    "msvcrt": {"steersman/sessions/oslock.py", "steersman/terminal/keyboard.py"},
    "termios": {"steersman/terminal/keyboard.py"},
}


@pytest.mark.parametrize("module", sorted(NAMED_ONLY_IN))
def test_a_module_of_one_system_or_power_is_named_in_its_own_places_only(module):
    found = set()
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
            if module in {name.split(".")[0] for name in names}:
                found.add("/".join(path.relative_to(ROOT).parts[1:]))
    assert found <= NAMED_ONLY_IN[module]


def test_nothing_names_this_machine_or_where_packages_come_from():
    """Paths of one machine and hosts of package registries have no place in the repository."""
    pattern = re.compile(r"(^|[^a-z])/(wor[k]|far[m])/|https?://[a-z0-9.-]*(py[p]i|pytho[n]hosted|np[m]js|de[b]ian)")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    kinds = (".py", ".toml", ".md", ".txt", ".json", ".lua", ".el", ".ts", ".mjs", ".sh", ".yml", "run", "Makefile")
    found = []
    for name in listed:
        path = ROOT / name
        if name.endswith(kinds) and path.is_file():
            text = path.read_text(encoding="utf-8", errors="replace")
            found += [f"{name}: {line.strip()[:100]}" for line in text.splitlines() if pattern.search(line)]
    assert found == []


def test_no_test_hides_a_gap_or_blocks_by_sleeping():
    """A gap is not hidden by a skip (another system is no gap); races are made by gates."""
    pattern = re.compile(
        r"pytest\.skip\(|mark\.(skip\b|xfail)|mark\.skipif\((?!os\.name|(not )?sys\.platform)|importorskip"
    )
    tests = [path for path in ALL_PYTHON if "tests" in path.parts and path.name != Path(__file__).name]
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in tests
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    found += [f"{path.relative_to(ROOT)}:{line}" for path in tests for line in sleeping_lines(path)]
    assert found == []


def sleeping_lines(path):
    """Yield the lines that call ``time.sleep``; the script of a child process that shall hang is only a text."""
    if path.name == "gates.py":
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "time.sleep":
            yield node.lineno
