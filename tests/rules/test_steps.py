"""How a task is split into steps."""

import pytest

from steersman.agent.context import LEFT_OUT_NOTE
from steersman.rules.steps import split_steps


@pytest.mark.parametrize(
    ("task", "steps"),
    [
        ("add 2 and 40, then get the weather in Siem Reap", ["add 2 and 40", "get the weather in Siem Reap"]),
        ("read a.py; read b.py", ["read a.py", "read b.py"]),
        ("Read a.py. Then, list the files. THEN stop!", ["Read a.py", "list the files", "stop"]),
        ("read a.py and then list the files", ["read a.py", "list the files"]),
        ("first read a.py; and finally list b", ["read a.py", "list b"]),
        ("first 5 lines of a.py", ["first 5 lines of a.py"]),
        ("list the files in .; list ..", ["list the files in .", "list .."]),
        ("run ./build.sh then read .env", ["run ./build.sh", "read .env"]),
        ('write "a; then b" to c.txt; read c.txt', ['write "a; then b" to c.txt', "read c.txt"]),
        ("write 'one; two' to c.txt", ["write 'one; two' to c.txt"]),
        ("write “one; then two” to c.txt", ["write “one; then two” to c.txt"]),
        ("write ```\nx = 1; y = 2\n``` to c.py; read c.py", ["write ```\nx = 1; y = 2\n``` to c.py", "read c.py"]),
        ('ping {"x": "a; then b"} then ping', ['ping {"x": "a; then b"}', "ping"]),
        ("don't read a.py; don't read b.py", ["don't read a.py", "don't read b.py"]),
        ('say "never closed; read a.py', ['say "never closed', "read a.py"]),
        ("read src/then.py then read a-then-b.txt", ["read src/then.py", "read a-then-b.txt"]),
        ("strengthen authentication", ["strengthen authentication"]),
        ("; then ;; , then", []),
        ("", []),
        ("   \n ", []),
        (f"{LEFT_OUT_NOTE}\n\nread a.py; read b.py", ["read a.py", "read b.py"]),
        (LEFT_OUT_NOTE, []),
    ],
)
def test_a_task_is_split_at_then_and_semicolons_outside_quotes(task, steps):
    assert split_steps(task) == steps


def test_a_long_task_is_split_in_no_time():
    """Every scan is linear: neither many marks nor long white space make it slow."""
    nasty = "'a " * 20_000 + " " * 50_000 + '"' * 5_001 + "“" * 5_000 + ";" * 20_000
    assert split_steps(nasty)
    assert split_steps(f"never {nasty}" + " " * 50_000 + "," * 50_000 + "!" * 50_000 + "a but" * 10_000)
