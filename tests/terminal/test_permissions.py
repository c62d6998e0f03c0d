"""``steersman permissions`` (DESIGN A5)."""

import json
import os

from steersman.permissions.grants import PathGrant
from steersman.permissions.places import always_file
from steersman.permissions.store import AlwaysStore
from steersman.sessions.places import folder_key


def allow_always(steersman):
    """Leave behind what “Always allow” on an edit of a.txt does."""
    folder = steersman.folder.resolve()
    key = folder_key(folder)
    AlwaysStore(always_file(steersman.state, key), key).add([PathGrant(str(folder / "a.txt"), "edit")])


def test_nothing_is_always_allowed_at_first(typed):
    assert typed("permissions", "list") == (0, "Nothing is always allowed in this folder.\n", "")


def test_list_and_reset_work_as_processes(steersman):
    allow_always(steersman)
    listed = steersman("permissions", "list", "-C", str(steersman.folder))
    assert listed.stdout == "always allowed here\nedits of a.txt\n"
    assert steersman("permissions", "reset", "-C", str(steersman.folder)).stdout == "Forgot 1 permission.\n"


def test_what_was_forgotten_is_gone(steersman, typed):
    allow_always(steersman)
    (rule,) = json.loads(typed("permissions", "list", "--json").out)["rules"]
    assert (rule["words"], rule["scope"], rule["kind"]) == ("edits of a.txt", "always", "edit")
    assert json.loads(typed("permissions", "reset", "--json").out) == {"removed": 1}
    assert json.loads(typed("permissions", "list", "--json").out)["rules"] == []


def test_the_rules_of_config_toml_are_listed_with_what_is_wrong_with_them(steersman, typed):
    (steersman.state.parent / "config.toml").write_text(
        '[[permissions]]\ntool = "run_command"\nmatch = "git push *"\naction = "deny"\n'
        '[[permissions]]\ntool = "run_command"\nmatch = "a | b"\naction = "allow"\n'
    )
    printed = typed("permissions", "list")
    assert "deny        run_command  git push *" in printed.out
    assert "“allow run_command a | b” allows no command" in printed.err


def test_a_file_that_others_may_write_grants_nothing_and_says_so(steersman, typed):
    allow_always(steersman)
    (file,) = (steersman.state / "permissions").iterdir()
    file.chmod(0o666)
    if os.name == "posix":
        printed = typed("run", "go", "--model", steersman.script(["ok"]))
        assert "others may write to it" in printed.err
    assert "edits of" not in typed("permissions", "list").out or os.name != "posix"


def test_a_rule_that_names_no_tool_is_told_wherever_somebody_looks_and_protects_by_asking(steersman, typed):
    (steersman.state.parent / "config.toml").write_text('[[permissions]]\ntool = "run_comand"\naction = "deny"\n')
    says = "There is no tool run_comand; did you mean run_command?"
    assert says in typed("permissions", "list").err
    assert says in typed("doctor").out
    model = steersman.script([{"call": "write_file", "arguments": {"path": "a.txt", "content": "x"}}], ["Done."])
    printed = typed("run", "go", "--yes", "--model", model)
    assert says in printed.err
    assert not (steersman.folder / "a.txt").exists()
