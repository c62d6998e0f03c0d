"""A call that changes several files makes all of its changes or none, whatever goes wrong meanwhile (DESIGN W6).

Where an editor makes that impossible, the error says so; an error that says nothing of the kind is held to its word.
"""

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.tool import ToolError
from support.editor_scene import EditorScene
from support.fake_editor import EGLOT, HELIX, NEOVIM, VSCODE, Habits
from support.virtual_time import run_virtual

NAMES = ("a.txt", "b.txt", "c.txt")
TEXT = "one\ntwo\nthree\nfour\nfive\n"
EDITED = TEXT.replace("three", "THREE")
DOUBTS = ("partly applied", "could not be confirmed", "not meant for", "was closed")

HABITS = st.sampled_from(
    [
        NEOVIM,
        EGLOT,
        VSCODE,
        HELIX,
        Habits(answers="never"),
        Habits(answers="no"),
        Habits(does_nothing=True, answers="yes"),
    ]
)
MISHAPS = st.sampled_from(
    ["type above", "type inside", "type below", "close", "change on disk", "delete on disk", "save"]
)
PLAN = st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(["before", "after"]), MISHAPS), max_size=3)


def befall(it, name, mishap):
    """Something happens to a file while the call is at work."""
    uri, is_open = it.uri(name), it.uri(name) in it.editor.buffers
    if mishap == "change on disk":
        it.write(name, f"formatted\n{TEXT}")
    elif mishap == "delete on disk":
        (it.folder / name).unlink(missing_ok=True)
    elif is_open and mishap == "close":
        it.editor.close(uri)
    elif is_open and mishap == "save":
        it.editor.save_file(uri)
    elif is_open:
        text = it.buffer(name)
        place = {"type above": 0, "type inside": text.lower().index("three") + 2, "type below": len(text) - 1}[mishap]
        it.editor.type(uri, place, "~")


def standing(it, name):
    """Return what stands at a path: the buffer, else the disk; without what was typed or formatted meanwhile."""
    path = it.folder / name
    text = it.buffer(name) if it.uri(name) in it.editor.buffers else path.read_text() if path.exists() else None
    return text and text.replace("~", "").removeprefix("formatted\n")


@given(HABITS, st.sets(st.sampled_from(NAMES)), PLAN)
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_all_of_a_calls_changes_are_there_or_none_is(habits, opened, plan):
    async def main(folder):
        it = EditorScene(folder, habits)
        for name in NAMES:
            it.write(name, TEXT)
        for name in sorted(opened):
            await it.open(name)
        changes = [await it.change(name, "three", "THREE") for name in NAMES]
        touched = {name for name, _, _ in plan}

        def at(moment):
            def happens(edit):
                for name, when, mishap in plan.copy():
                    if when == moment and edit.uri == it.uri(name) and any(one.text for one in edit.edits):
                        plan.remove((name, when, mishap))
                        befall(it, name, mishap)

            return happens

        it.editor.before_edit, it.editor.after_edit = at("before"), at("after")
        try:
            await it.apply(*changes, it.creation("new.txt", "new\n"))
        except ToolError as error:
            if not any(doubt in str(error) for doubt in DOUBTS):
                assert [standing(it, name) for name in NAMES if name not in touched] == [TEXT] * (
                    3 - len(touched & set(NAMES))
                )
                assert all(standing(it, name) in {TEXT, None} for name in touched)
            assert not (folder / "new.txt").exists()
        else:
            untouched = [name for name in NAMES if name not in touched]
            assert [standing(it, name) for name in untouched] == [EDITED] * len(untouched)
            assert all(standing(it, name) == EDITED for name in touched & opened if it.uri(name) in it.editor.buffers)
            assert (folder / "new.txt").read_text() == "new\n"
        assert sorted(path.name for path in folder.iterdir() if path.suffix != ".txt") == []

    plan = list(plan)
    with tempfile.TemporaryDirectory() as folder:
        run_virtual(main(Path(folder).resolve()))
