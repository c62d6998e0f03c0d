"""``steersman sessions rewind`` and ``undo-rewind`` (DESIGN S7)."""

import asyncio
import json

import pytest

from steersman.agent.changes import Change, ChangeSummary, text_digest
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.rewind import UNSAVED_EDIT_REASON
from steersman_tools.kit.workspace import Snapshot
from support.session_store import Stores


def call(name, **arguments):
    return {"call": name, "arguments": arguments}


def as_json(printed):
    assert printed.code == 0, printed.err
    return json.loads(printed.out)


def test_rewind_goes_back_before_the_last_prompt_and_says_how_to_undo_it(steersman, typed, edited):
    printed = typed("sessions", "rewind", edited)
    assert printed.out == "restored  a.txt\n"
    assert "undo it with: steersman sessions undo-rewind " in printed.err
    assert (steersman.folder / "a.txt").read_text() == "alpha\n"
    assert as_json(typed("sessions", "show", edited, "--json"))["messages"] == []


def test_a_file_that_was_changed_since_is_a_conflict_until_forced(steersman, typed, edited):
    (steersman.folder / "a.txt").write_text("mine\n")
    conflict = typed("sessions", "rewind", edited, "--files-only", "--to", "0")
    assert (conflict.code, conflict.out.startswith("conflict  a.txt: ")) == (1, True)
    assert conflict.err == "put back all the same with: --force\n"
    assert (steersman.folder / "a.txt").read_text() == "mine\n"
    forced = typed("sessions", "rewind", edited, "--files-only", "--to", "0", "--force")
    assert forced.code == 0
    assert (steersman.folder / "a.txt").read_text() == "alpha\n"


def test_a_rewind_of_nothing_is_wrong_usage_and_an_unknown_one_is_not_found(typed, edited):
    assert typed("sessions", "rewind", edited, "--files-only", "--conversation-only").code == 64
    unknown = typed("sessions", "undo-rewind", "nope")
    assert (unknown.code, unknown.out) == (1, "")
    assert unknown.err.startswith(
        "steersman: There is no rewind 'nope' in this folder. `steersman sessions show latest`"
    )
    assert "There is nothing to take back" in typed("sessions", "undo-rewind", "latest").err
    assert typed("sessions", "rewind", edited, "--to", "99").code == 64


def test_a_file_that_a_rewind_takes_away_is_removed_and_undoing_it_restores_it(steersman, typed):
    model = steersman.script([call("write_file", path="new.txt", content="x\n")], ["Done."])
    typed("run", "Write it", "--model", model, "--yes")
    assert typed("sessions", "rewind", "latest").out == "removed  new.txt\n"
    assert not (steersman.folder / "new.txt").exists()
    assert typed("sessions", "undo-rewind", "latest").out == "restored  new.txt\n"
    assert (steersman.folder / "new.txt").exists()


def test_where_nothing_was_changed_nothing_can_be_undone(typed, edited):
    printed = typed("sessions", "rewind", edited, "--files-only", "--to", "3")
    assert printed == (0, "No file had to be put back.\n", "")


def test_a_rewound_session_says_so_until_the_rewind_is_taken_back(typed, edited):
    assert "rewound at" not in typed("sessions", "show", edited).out
    rewind_id = typed("sessions", "rewind", edited).err.split()[-1]
    assert f"; undo with: steersman sessions undo-rewind {rewind_id}\n" in typed("sessions", "show", edited).out
    undone = typed("sessions", "undo-rewind", "latest")
    assert (undone.code, "The conversation has its 4 messages again.\n" in undone.err) == (0, True)
    assert "rewound at" not in typed("sessions", "show", edited).out


def test_a_dry_run_tells_what_each_file_and_the_conversation_would_become_and_does_nothing(steersman, typed, edited):
    printed = typed("sessions", "rewind", edited, "--dry-run")
    assert printed.code == 0
    first, *diff, last = printed.out.rstrip("\n").split("\n")
    assert first == "would be restored  a.txt (+1 −1)"
    assert diff[-2:] == ["-omega", "+alpha"]
    assert last == "The conversation would go on without its last 4 messages."
    assert printed.err == "Nothing was done; leave out --dry-run to do it.\n"
    assert (steersman.folder / "a.txt").read_text() == "omega\n"
    assert len(as_json(typed("sessions", "show", edited, "--json"))["messages"]) == 4


def test_a_dry_run_tells_conflicts_and_what_forcing_them_would_do(steersman, typed, edited):
    (steersman.folder / "a.txt").write_text("mine\n")
    printed = typed("sessions", "rewind", edited, "--dry-run", "--files-only")
    assert (printed.code, printed.out.startswith("conflict  a.txt: ")) == (1, True)
    assert printed.out.endswith("\n-mine\n+alpha\n")
    forced = typed("sessions", "rewind", edited, "--dry-run", "--files-only", "--force")
    assert forced.code == 0
    assert "\n-mine\n+alpha\n" in forced.out
    assert "conversation" not in forced.out
    assert (steersman.folder / "a.txt").read_text() == "mine\n"


def test_a_dry_run_as_json_is_what_editors_get(typed, edited):
    result = as_json(typed("sessions", "rewind", edited, "--dry-run", "--json"))
    assert result.keys() == {"restored", "conflicts", "uncovered", "preview", "files"}


def test_a_later_change_stands_in_the_way_of_undoing_until_it_is_forced(steersman, typed, edited):
    rewind_id = typed("sessions", "rewind", edited).err.split()[-1]
    (steersman.folder / "a.txt").write_text("mine\n")
    conflict = typed("sessions", "undo-rewind", rewind_id)
    assert (conflict.code, conflict.out.startswith("conflict  a.txt: ")) == (1, True)
    assert f"put back all the same with: steersman sessions undo-rewind --force {rewind_id}\n" in conflict.err
    assert (steersman.folder / "a.txt").read_text() == "mine\n"
    assert "left alone" in typed("sessions", "undo-rewind", rewind_id).err
    assert typed("sessions", "undo-rewind", rewind_id, "--force")[:2] == (0, "restored  a.txt\n")
    assert (steersman.folder / "a.txt").read_text() == "omega\n"


def test_what_is_to_be_typed_next_names_the_folder_that_was_named(steersman, edited):
    printed = steersman("sessions", "rewind", edited, "-C", str(steersman.folder))
    assert f"undo it with: steersman sessions undo-rewind -C {steersman.folder} " in printed.stderr


def write_and_rewind(steersman, typed, name):
    """Let a new session write a file and rewind it; return the session's id."""
    model = steersman.script([call("write_file", path=name, content="x\n")], ["Done."])
    ran = typed("run", f"Write {name}", "--model", model, "--yes", "--output", "json")
    assert typed("sessions", "rewind", "latest").out == f"removed  {name}\n"
    return json.loads(ran.out)["sessionId"]


def test_the_latest_is_what_was_done_last_and_never_the_rewind_of_an_older_conversation(steersman, typed):
    write_and_rewind(steersman, typed, "a.txt")
    later = write_and_rewind(steersman, typed, "b.txt")
    for expected in ("restored  b.txt\n", "removed  b.txt\n", "restored  b.txt\n"):
        printed = typed("sessions", "undo-rewind", "latest")
        assert (printed.code, printed.out) == (0, expected)
        assert printed.err.startswith(f"session {later[:8]} Write b.txt\n")
    assert not (steersman.folder / "a.txt").exists()


def test_what_went_with_its_session_is_not_taken_back_and_nothing_older_is(steersman, typed):
    older = write_and_rewind(steersman, typed, "a.txt")
    later = write_and_rewind(steersman, typed, "b.txt")
    typed("sessions", "delete", later)
    refused = typed("sessions", "undo-rewind", "latest")
    assert (refused.code, refused.out) == (1, "")
    assert "There is nothing to take back" in refused.err
    assert not (steersman.folder / "a.txt").exists()
    rewind_id = typed("sessions", "show", older).out.split("undo-rewind ")[1].split()[0]
    assert typed("sessions", "undo-rewind", rewind_id).out == "restored  a.txt\n"


def test_a_rewind_of_an_earlier_session_is_still_the_latest_when_another_without_one_is_deleted(steersman, typed):
    write_and_rewind(steersman, typed, "a.txt")
    typed("run", "Say hello", "--model", steersman.script(["Hello."]))
    typed("sessions", "delete", "latest")
    assert typed("sessions", "undo-rewind", "latest").out == "restored  a.txt\n"


def test_an_undo_that_left_everything_alone_can_still_be_forced_as_the_latest(steersman, typed, edited):
    typed("sessions", "rewind", edited, "--files-only", "--to", "0")
    (steersman.folder / "a.txt").write_text("mine\n")
    assert typed("sessions", "undo-rewind", "latest").code == 1
    assert typed("sessions", "undo-rewind", "latest", "--force").out == "restored  a.txt\n"
    assert (steersman.folder / "a.txt").read_text() == "omega\n"


def test_a_dry_run_of_an_undo_shows_each_change_and_does_nothing(steersman, typed, edited):
    typed("sessions", "rewind", edited)
    printed = typed("sessions", "undo-rewind", "latest", "--dry-run")
    assert printed.code == 0
    first, *diff, last = printed.out.rstrip("\n").split("\n")
    assert (first, diff[-2:]) == ("would be restored  a.txt (+1 −1)", ["-alpha", "+omega"])
    assert last == "The conversation would have its 4 messages again."
    assert (steersman.folder / "a.txt").read_text() == "alpha\n"
    assert as_json(typed("sessions", "show", edited, "--json"))["messages"] == []


@pytest.fixture
def unsaved(steersman):
    """A session in which an editor's buffer of a.txt was edited and not saved; returns its id."""
    path = str((steersman.folder / "a.txt").resolve())
    (steersman.folder / "a.txt").write_text("alpha\n")
    stores = Stores(steersman.state, steersman.folder)
    store = stores.open()
    session_id = store.create("go").id

    async def snapshot(path):
        return Snapshot(path, b"alpha\n", 0o644, "alpha\n")

    async def edit():
        edit = Change(path, "edit", text_digest("alpha\n"), "alpha\n", "omega\n")
        with store.acquire(session_id, "editor", snapshot=snapshot) as handle:
            handle.append(UserMessage("go"))
            handle.append(AssistantMessage("", (ToolCall("c1", "edit_file", "{}"),)))
            await handle.checkpoint(ToolCall("c1", "edit_file", "{}"), (edit,))
            changes = (ChangeSummary(path, "edit", 1, 1, saved=False),)
            handle.append(ToolMessage("c1", "done", changes=changes, seen={path: text_digest("omega\n")}))

    asyncio.run(edit())
    stores.close()
    return session_id


@pytest.mark.parametrize("options", [[], ["--dry-run"]])
def test_an_edit_that_an_editor_may_still_hold_is_told_and_no_force_is_offered(typed, unsaved, options):
    printed = typed("sessions", "rewind", unsaved, *options)
    assert (printed.code, printed.out.split("\n")[0]) == (1, f"unsaved   a.txt: {UNSAVED_EDIT_REASON}")
    assert "force" not in printed.out + printed.err


def test_an_edit_that_an_editor_may_still_hold_is_marked_for_programs(typed, unsaved):
    for options in (["--dry-run"], []):
        (conflict,) = json.loads(typed("sessions", "rewind", unsaved, "--json", *options).out)["conflicts"]
        assert (conflict["neverSaved"], conflict["uri"].endswith("/a.txt")) == (True, True)
