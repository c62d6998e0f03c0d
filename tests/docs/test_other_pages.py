"""docs/permissions.md, sessions.md and editing.md say what the code does, where that can be held against it."""

import json
import re
from typing import get_args

import pytest

from steersman.permissions.modes import Mode
from steersman.permissions.policy import MATRIX
from steersman.permissions.rule import Action
from steersman.sessions.export import export_session
from steersman.sessions.export.exporting import FORMATS
from steersman.sessions.store import SessionStore
from steersman.setting_parts import PermissionPart
from steersman.toolbox import CommandSettings, Toolbox
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.protected import protection_of
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Root
from support.documents import ROOT, code_words, read_page
from support.sample_session import SetClock, record_sample
from support.session_store import CountingIds
from support.wire_types import WireTypes, fields_of, read_objects

PERMISSIONS = read_page(ROOT / "docs" / "permissions.md")
SESSIONS = read_page(ROOT / "docs" / "sessions.md")
EDITING = read_page(ROOT / "docs" / "editing.md")

REACHES = {"reads": "read", "changes files": "change", "runs a command": "execute", "uses the network": "network"}


def test_the_table_of_modes_is_the_policy_s_own():
    for row in PERMISSIONS["Modes"].tables[0]:
        for mode in Mode:
            assert row[f"`{mode.value}`"] == MATRIX[REACHES[row["a call that"]]][mode]


def test_the_fields_of_a_rule_are_described():
    rows = {code_words(row["field"])[0]: row["meaning"] for row in PERMISSIONS["Your rules"].tables[0]}
    assert set(rows) == set(PermissionPart.model_fields)
    assert set(code_words(rows["action"])) == set(get_args(Action))


EXAMPLES = [
    name
    for row in PERMISSIONS["What always asks"].tables[0]
    if row["what"] != "Steersman's own"
    for name in code_words(row["examples"])
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_said_to_always_ask_does(name):
    path = name.replace("*", "x")
    assert protection_of(f"{path}file" if path.endswith("/") else path) is not None


def test_every_part_of_the_protected_list_has_a_row():
    kinds = {protection_of(name.replace("*", "x").rstrip("/")).kind for name in EXAMPLES}
    assert kinds == {"git", "editor", "agent", "startup", "ci", "secret"}


def test_every_tool_is_named_and_no_other(tmp_path):
    workspace = DiskWorkspace([Root("ws", tmp_path.resolve())])
    tools = Toolbox(CommandSettings({})).make_tools(workspace, SeenTexts(), read_only=lambda: False)
    named = code_words(re.search(r"The tools: ([^.]+)\.", EDITING["What is read"].text)[1])
    assert named == [*(tool.name for tool in tools), "get_diagnostics"]


def test_the_formats_of_an_export_are_described():
    assert {code_words(row["format"])[0] for row in SESSIONS["Export"].tables[0]} == set(FORMATS)


def test_the_json_of_an_export_is_as_described(tmp_path):
    clock = SetClock()
    with SessionStore.open(tmp_path / "state", tmp_path, clock=clock, new_id=CountingIds()) as store:
        session_id = record_sample(store, clock, str(tmp_path))
        exported = json.loads(export_session(store, session_id, "json", with_files=True))
    types = WireTypes(read_objects(SESSIONS))
    fields = fields_of(SESSIONS["The JSON of an export"].tables[0])
    assert list(types.object_problems(exported, fields)) == []
    assert (exported["format"], exported["version"]) == ("steersman-session", 1)
    assert {message["role"] for message in exported["messages"]} == {"user", "assistant", "tool"}
    assert exported["responses"]
    assert exported["timings"]
    assert any(message.get("changes") for message in exported["messages"])
