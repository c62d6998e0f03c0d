"""``steersman sessions check`` says what is damaged, what still can be read, and what to do (DESIGN S6)."""

import json
import sqlite3

import pytest


@pytest.fixture
def database(steersman, typed):
    """The database of a folder with two sessions."""
    for prompt in ("the first", "the second"):
        typed("run", prompt, "--model", steersman.script(["Done."]))
    [path] = steersman.state.glob("workspaces/*/sessions.db")
    return path


def spoil(path, statement):
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_sound_folder_is_told_to_be_sound(typed, database):
    printed = typed("sessions", "check")
    assert printed.code == 0
    assert printed.out.startswith(f"{database}\n2 sessions, 4 messages, ")
    assert "all of it can be read" in printed.out


def test_a_session_that_cannot_be_read_is_named_and_the_others_can_be_saved(typed, database):
    spoil(database, "UPDATE message SET extra = '{not json' WHERE session = 1 AND seq = 1")
    printed = typed("sessions", "check")
    assert printed.code == 1
    assert "1 session cannot be read to the end:\n  " in printed.out
    assert "the first" in printed.out
    listed = json.loads(typed("sessions", "list", "--json").out)["sessions"]
    [sound] = [each["id"] for each in listed if each["title"] == "the second"]
    assert f"steersman sessions export {sound[:8]} --format json --output {sound[:8]}.json" in printed.out
    assert f"sqlite3 {database} .recover" in printed.out
    report = json.loads(typed("sessions", "check", "--json").out)
    assert (report["sound"], report["sessions"], len(report["unreadable"])) == (False, [sound], 1)


def test_the_export_that_is_advised_works(typed, database):
    spoil(database, "UPDATE message SET extra = '{not json' WHERE session = 1 AND seq = 1")
    printed = typed("sessions", "check")
    [advice] = [line.split() for line in printed.out.splitlines() if line.strip().startswith("steersman ")]
    assert typed(*advice[1:]).code == 0


def test_a_database_that_was_set_aside_is_told_when_it_happens_and_found_later(typed, database):
    database.write_bytes(b"this was a database once" * 1000)
    for companion in ("-wal", "-shm"):
        database.with_name(database.name + companion).unlink(missing_ok=True)
    told = typed("sessions", "list")
    assert "damaged" in told.err
    [kept] = database.parent.glob("sessions.damaged-*.db")
    assert str(kept) in told.err
    found = typed("sessions", "check")
    assert (found.code, str(kept) in found.out) == (0, True)
