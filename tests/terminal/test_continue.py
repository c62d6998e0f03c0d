"""``steersman run --continue`` goes on with what there is, and never quietly begins anew (PROTOCOL §7)."""

import sqlite3
from contextlib import closing

import pytest


def run(steersman, *args):
    return steersman("run", *args, "-C", str(steersman.folder))


def test_with_no_session_there_is_nothing_to_continue_and_nothing_is_begun(steersman):
    done = run(steersman, "go on", "--continue", "--model", steersman.script(["1"]))
    assert (done.returncode, done.stdout) == (64, "")
    assert "There is no session in this folder to go on with." in done.stderr
    assert (
        steersman("sessions", "list", "-C", str(steersman.folder), "--json").stdout == '{"sessions": [], "total": 0}\n'
    )


def test_below_a_folder_with_sessions_continue_names_that_folder(steersman):
    run(steersman, "one", "--model", steersman.script(["1"]))
    below = steersman.folder / "a" / "b"
    below.mkdir(parents=True)
    done = steersman("run", "go on", "--continue", "-C", str(below))
    above = steersman.folder.resolve()
    assert done.returncode == 64
    assert f"The folder above ({above}) has 1 session; use -C {above}." in done.stderr


@pytest.fixture
def below(steersman, edited, monkeypatch):
    """In a folder below one with a session; returns what is said of that one."""
    folder = steersman.folder / "src" / "deep"
    folder.mkdir(parents=True)
    monkeypatch.chdir(folder)
    above = steersman.folder.resolve()
    return f"There is no session in this folder yet. The folder above ({above}) has 1 session; use -C {above}.\n"


def test_listing_and_searching_there_succeed_or_find_nothing_and_name_that_folder(typed, below):
    assert typed("sessions", "list") == (0, "", below)
    assert typed("sessions", "search", "alpha") == (1, "", below)


@pytest.mark.parametrize("words", [["show", "latest"], ["export", "latest"], ["rewind", "latest"], ["show", "abc"]])
def test_what_wants_a_session_there_names_that_folder(typed, below, words):
    assert typed("sessions", *words) == (1, "", f"steersman: {below}")


def test_a_session_s_id_from_above_is_not_found_there_and_says_where_it_may_be(typed, below, edited):
    assert typed("run", "go on", "--session", edited[:8]) == (1, "", f"steersman: {below}")


def test_following_the_words_finds_it(typed, below, edited):
    assert edited[:8] in typed("sessions", "list", "-C", below.split()[-1].rstrip(".\n")).out


def test_the_nearest_folder_with_sessions_is_the_one_that_is_named(steersman, typed, below, monkeypatch):
    near = (steersman.folder / "src").resolve()
    steersman("run", "near", "-C", str(near), "--model", steersman.script(["1"]))
    assert f"The folder above ({near}) has 1 session" in typed("sessions", "list").err


def test_sessions_above_that_cannot_be_read_are_no_failure_here(steersman, typed, below):
    [database] = steersman.state.glob("workspaces/*/sessions.db")
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("PRAGMA user_version = 99")
    assert typed("sessions", "list") == (0, "", "There is no session in this folder yet.\n")


def test_a_folder_with_sessions_of_its_own_says_nothing_of_others(steersman, typed, below):
    typed("run", "mine", "--model", steersman.script(["1"]))
    assert typed("sessions", "list").err == ""
    assert typed("sessions", "search", "nowhere") == (1, "", "Nothing found.\n")
