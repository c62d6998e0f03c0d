"""docs/protocol.md says what the server does: every command, field, event and error kind, in both directions."""

import ast
import asyncio
import re
from pathlib import Path
from typing import get_args

import pytest

from steersman.agent import errors, events
from steersman.agent.approval import Option
from steersman.agent.changes import Change, ChangeSummary, text_digest
from steersman.agent.messages import Outcome, ToolCall, UserMessage
from steersman.agent.model import Usage
from steersman.agent.result import EXIT_CODES, RunResult, StopReason
from steersman.lsp import params
from steersman.lsp.commands.names import NAMES
from steersman.lsp.commands.table import COMMANDS
from steersman.permissions.modes import Mode
from steersman.wire import EventWire
from support.documents import ROOT, code_words, read_page
from support.wire_scene import play
from support.wire_types import WireTypes, fields_of, read_fields, read_objects

pytestmark = pytest.mark.xdist_group("protocol")  # they share one scene

PAGE = read_page(ROOT / "docs" / "protocol.md")
TYPES = WireTypes(read_objects(PAGE))
LSP_SOURCES = sorted((ROOT / "server" / "steersman" / "lsp").rglob("*.py"))

PATH = str(Path("/ws/a.py").absolute())
CHANGE = Change(PATH, "edit", text_digest("x\n"), "x\n", "y\n", display="a.py")
SUMMARY = ChangeSummary(PATH, "move", 1, 1, saved=False, moved_from=PATH)
RESULT = RunResult((UserMessage("go"),), StopReason.COMPLETE, 1, Usage(5, output_tokens=2))
CALL = ToolCall("c1", "echo", "{}")
BODIES = [
    events.RunStarted("go", "demo/rules", "ask", PATH),
    events.UserMessageAdded(0, "go", steered=False),
    events.TurnStarted(40),
    events.TextDelta("do"),
    events.ReasoningDelta("hm"),
    events.StreamDiscarded("cancelled"),
    events.RetryWaiting("rate limited", 4.0, 1),
    events.AssistantMessageCommitted(1, "done", (CALL,)),
    events.ToolCallBegan(CALL),
    events.ApprovalRequested("c1", "edit_file", "edit a.py", (CHANGE,), None, (Option("reject", "Reject"),)),
    events.ApprovalDecided("c1", "allow_once", "person"),
    events.ToolStarted("c1", "edit_file", "edit a.py"),
    events.ToolOutput("c1", "line\n"),
    events.ToolResultCommitted("c1", "t", "x", is_error=False, outcome="returned", duration_ms=3, changes=(SUMMARY,)),
    events.ContextTrimmed(4, 1000),
    events.UsageReported(Usage(9, 3, 2, 5, 1, estimated=True), 0.5),
    events.Warned("note", "careful"),
    events.TurnEnded(),
    events.RunEnded(RESULT),
]


@pytest.fixture(scope="module")
def scene(tmp_path_factory):
    """A real server, played through every command."""
    return asyncio.run(asyncio.wait_for(play(tmp_path_factory.mktemp("scene")), 110))


def sections_of_commands():
    return {section.title.strip("`"): section for section in PAGE.below("Commands")}


def test_every_command_of_the_server_is_described_and_no_other():
    assert set(sections_of_commands()) == set(NAMES) == set(COMMANDS)


@pytest.mark.parametrize("name", NAMES)
def test_the_fields_of_a_command_are_those_that_the_server_reads(name):
    section = sections_of_commands()[name]
    documented = fields_of(section.tables[0]) if section.tables else {}
    model = getattr(params, COMMANDS[name].params)
    read = {field.alias: field.is_required() for field in model.model_fields.values()}
    assert {field.removesuffix("?"): not field.endswith("?") for field in documented} == read


@pytest.mark.parametrize(("name", "model"), [("Context", params.ContextParams), ("Limits", params.LimitsParams)])
def test_the_objects_in_a_command_s_fields_are_those_that_the_server_reads(name, model):
    documented = read_objects(PAGE)[name]
    read = {field.alias: field.is_required() for field in model.model_fields.values()}
    assert {field.removesuffix("?"): not field.endswith("?") for field in documented} == read


def documented_answer(section):
    """The type of what a command answers."""
    said = re.search(r"^Answers (`.+)", section.text, re.MULTILINE)[1]
    return read_fields(said) if "`{" in said else code_words(said)[0]


@pytest.mark.parametrize("name", NAMES)
def test_each_command_answers_what_is_described(scene, name):
    kind = documented_answer(sections_of_commands()[name])
    answer = scene.results[name]
    if isinstance(kind, str):
        assert list(TYPES.problems(answer, kind)) == []
    else:
        assert list(TYPES.object_problems(answer, kind)) == []


def test_what_initialize_announces_is_described(scene):
    documented = {name for row in PAGE["The connection"].tables[0] for name in code_words(row["capability"])}
    announced = scene.initialize["capabilities"]
    inner = {f"workspace.{name}" for name in announced.pop("workspace")}
    assert documented == announced.keys() | inner


def documented_events():
    rows = PAGE["Events"].tables[0]
    return {code_words(row["event"])[0]: read_fields(row["fields"]) for row in rows}


ENVELOPE = {"type", "runId", "sessionId", "seq", "turn", "time"}


def test_every_event_is_described_with_its_fields_and_no_other():
    assert {type(body) for body in BODIES} == set(get_args(events.EventBody))
    failed = events.RunEnded(None, "storage", "disk full")
    wire = EventWire("r1", "s1")
    sent = [wire(events.Event("r1", seq, 1, 0.0, body)) for seq, body in enumerate([*BODIES, failed])]
    documented = documented_events()
    assert {each["type"] for each in sent} == set(documented)
    assert set(code_words(PAGE["Events"].text)) >= ENVELOPE
    for each in sent:
        fields = {name: value for name, value in each.items() if name not in ENVELOPE}
        assert list(TYPES.object_problems(fields, documented[each["type"]], each["type"])) == []


def test_events_and_requests_of_a_real_run_are_as_described(scene):
    documented = documented_events()
    for notification in scene.notifications["steersman/event"]:
        assert notification.keys() == {"runId", "sessionId", "seq", "event"}
        event = notification["event"]
        fields = {name: value for name, value in event.items() if name not in ENVELOPE}
        assert list(TYPES.object_problems(fields, documented[event["type"]], event["type"])) == []
    assert list(TYPES.problems(scene.requests["steersman/requestApproval"], "Question")) == []


def kinds(error):
    yield error.kind
    for child in error.__subclasses__():
        yield from kinds(child)


def test_every_error_kind_is_described_and_no_other():
    (table,) = [table for table in PAGE["Errors"].tables if "kind" in table[0]]
    assert {code_words(row["kind"])[0] for row in table} == set(kinds(errors.SteersmanError))


def test_errors_carry_the_documented_data(scene):
    data = fields_of(PAGE["Errors"].tables[0])
    assert list(TYPES.object_problems(scene.errors["steersman.wait"].data, data)) == []
    assert (scene.errors["steersman.wait"].code, scene.errors["steersman.run"].code) == (-32803, -32602)
    assert scene.errors["steersman.run"].data == {"kind": "invalid_request", "fields": ["maxTruns"]}


def test_stop_reasons_and_exit_codes_are_described():
    rows = PAGE["Stop reasons"].tables[0]
    documented = {code_words(row["stop reason"])[0]: int(row["exit code of `steersman run`"]) for row in rows}
    assert documented == {reason.value: code for reason, code in EXIT_CODES.items()}


def test_modes_and_outcomes_are_described():
    assert [word.strip('"') for word in code_words(PAGE["Mode"].text)] == [mode.value for mode in Mode]
    outcome = next(row["meaning"] for row in PAGE["Message"].tables[0] if "outcome" in row["field"])
    assert set(code_words(outcome)) == set(get_args(Outcome))


def literals():
    """Every string in the sources of the LSP face."""
    for path in LSP_SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value


def test_every_method_of_our_own_is_described_and_no_other():
    sent = {text for text in literals() if re.fullmatch(r"steersman/[a-zA-Z]+", text)}
    documented = set(re.findall(r"steersman/[a-zA-Z]+", PAGE.path.read_text(encoding="utf-8")))
    assert documented == sent


def test_what_a_client_may_declare_is_described():
    from steersman.setting_parts import ClientPart

    rows = PAGE["For richer clients"].tables[0]
    declared = {field.alias for field in ClientPart.model_fields.values()}
    assert {code_words(row["declared"])[0] for row in rows} == declared


def test_every_option_of_a_question_is_described():
    """The ids stand in the permission folder's sources as literals."""
    sources = (ROOT / "server" / "steersman" / "permissions" / "approver.py").read_text(encoding="utf-8")
    offered = set(re.findall(r'"(reject|(?:allow|save)_[a-z_]+)"', sources))
    rows = PAGE["Questions"].tables[0]
    assert {word for row in rows for word in code_words(row["option id"])} == offered


def test_warnings_have_the_documented_kinds():
    sources = [path.read_text(encoding="utf-8") for path in (ROOT / "server").rglob("*.py")]
    sent = {kind for text in sources for kind in re.findall(r'Warned\("([a-z_]+)"', text)}
    row = next(row for row in PAGE["Events"].tables[0] if "`warning`" in row["event"])
    assert set(code_words(row["when"])) == sent
