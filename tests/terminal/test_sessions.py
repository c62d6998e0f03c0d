"""``steersman sessions …`` (DESIGN S5, S7; PROTOCOL §7)."""

import json

import pytest


def call(name, **arguments):
    return {"call": name, "arguments": arguments}


def as_json(printed):
    assert printed.code == 0, printed.err
    return json.loads(printed.out)


def test_the_whole_life_of_a_session_works_as_processes(steersman):
    """The commands as a person has them; what they print in detail is tested in this process."""
    at = ["-C", str(steersman.folder)]
    (steersman.folder / "a.txt").write_text("alpha\n")
    model = steersman.script([call("edit_file", path="a.txt", old_text="alpha", new_text="omega")], ["Done."])
    steersman("run", "Rename alpha", "--model", model, "--yes", *at)
    listed = steersman("sessions", "list", *at)
    assert "Rename alpha" in listed.stdout
    rewound = steersman("sessions", "rewind", "latest", *at)
    assert rewound.returncode == 0, rewound.stderr
    assert (steersman.folder / "a.txt").read_text() == "alpha\n"
    undone = steersman("sessions", "undo-rewind", rewound.stderr.split()[-1], *at)
    assert undone.returncode == 0, undone.stderr
    assert (steersman.folder / "a.txt").read_text() == "omega\n"


def test_list_shows_the_beginning_of_each_id_and_an_empty_folder_says_so(typed, edited):
    printed = typed("sessions", "list")
    assert printed.out.splitlines()[0].split() == ["id", "last", "used", "messages", "model", "cost", "title"]
    assert printed.out.splitlines()[1].startswith(edited[:8])
    assert typed("sessions", "list", "--json").out.count(edited) == 1


def test_an_empty_folder_says_so(typed):
    assert typed("sessions", "list") == (0, "", "There is no session in this folder yet.\n")
    assert typed("sessions", "show", "latest").code == 1


def test_list_says_how_many_more_there_are(steersman, typed):
    for prompt in ("one", "two", "three"):
        typed("run", prompt, "--model", steersman.script(["ok"]))
    printed = typed("sessions", "list", "--limit", "2")
    assert len(printed.out.splitlines()) == 3
    assert "1 more" in printed.err


@pytest.mark.parametrize("name", [lambda session: session, lambda session: session[:8], lambda session: "latest"])
def test_a_session_is_named_by_its_id_its_beginning_or_as_the_latest(typed, edited, name):
    assert as_json(typed("sessions", "show", name(edited), "--json"))["session"]["id"] == edited


def test_run_takes_the_beginning_of_an_id_too(steersman, typed, edited):
    done = typed("run", "And now?", "--model", steersman.script(["ok"]), "--session", edited[:8], "--output", "json")
    assert as_json(done)["sessionId"] == edited


def test_a_beginning_that_fits_several_or_none_is_an_error_that_says_so(steersman, typed, edited):
    typed("sessions", "fork", edited)
    several = typed("sessions", "show", "").err
    assert several.startswith("steersman: Several sessions begin with '': ")
    assert f"{edited[:8]} “Rename alpha”" in several
    missing = typed("sessions", "show", "zzz")
    assert (missing.code, "no session 'zzz'" in missing.err) == (1, True)
    assert "`steersman sessions list`" in missing.err


def test_show_prints_prompts_calls_and_results(typed, edited):
    printed = typed("sessions", "show", edited[:8])
    assert "[0] you\nRename alpha" in printed.out
    assert "→ edit_file(" in printed.out
    assert "result  Edited a.txt" in printed.out


def test_show_lets_no_stored_text_steer_the_terminal(steersman, typed):
    typed("run", "look", "--model", steersman.script(["\x1b]0;pwned\x07 safe \u202e"]))
    printed = typed("sessions", "show", "latest")
    assert "⟨U+001B⟩" in printed.out
    assert "\x1b" not in printed.out
    assert "\u202e" not in printed.out


def test_search_finds_by_all_words_and_ends_with_1_when_nothing_is_found(typed, edited):
    found = typed("sessions", "search", "rename", "ALPHA")
    assert (found.code, edited[:8] in found.out) == (0, True)
    assert as_json(typed("sessions", "search", "omega", "--json"))["hits"][0]["session"]["id"] == edited
    assert typed("sessions", "search", "nowhere") == (1, "", "Nothing found.\n")


def test_export_prints_or_writes_and_never_overwrites_unasked(steersman, typed, edited):
    assert typed("sessions", "export", edited).out.startswith("# Rename alpha\n")
    assert as_json(typed("sessions", "export", edited, "--format", "json"))["format"] == "steersman-session"
    written = typed("sessions", "export", edited, "--format", "html", "--output", "page.html")
    assert (written.code, written.out) == (0, "page.html\n")
    refused = typed("sessions", "export", edited, "--output", "page.html")
    assert (refused.code, "--force" in refused.err) == (64, True)
    assert (steersman.folder / "page.html").read_text().startswith("<!doctype html>")
    assert typed("sessions", "export", edited, "--output", "page.html", "--force").code == 0


def test_export_masks_secrets_unless_told_otherwise(steersman, typed):
    secret = "ghp_" + "a1B2" * 9
    typed("run", f"my token is {secret}", "--model", steersman.script(["ok"]))
    assert secret not in typed("sessions", "export", "latest").out
    assert secret in typed("sessions", "export", "latest", "--keep-secrets").out


def test_fork_copies_up_to_a_message_and_rename_and_delete_do_what_they_say(typed, edited):
    forked = as_json(typed("sessions", "fork", edited, "--at", "0", "--json"))["session"]
    assert (forked["parentId"], forked["messages"]) == (edited, 1)
    assert typed("sessions", "rename", forked["id"], "Another way").out.startswith("renamed ")
    assert typed("sessions", "delete", forked["id"]).out == f"deleted {forked['id'][:8]} Another way\n"
    assert typed("sessions", "show", forked["id"]).code == 1
    assert "no message 99" in typed("sessions", "fork", edited, "--at", "99").err


def test_show_folds_what_the_editor_sent_along(steersman, typed):
    typed("run", "Look\n\n<context>\nline one\nline two\n</context>", "--model", steersman.script(["ok"]))
    printed = typed("sessions", "show", "latest")
    assert "you\nLook\n    (with 2 lines from the editor; --json shows them)\n" in printed.out
    assert "line one" not in printed.out


def test_search_says_when_a_session_was_last_used(typed, edited):
    head, row = typed("sessions", "search", "omega").out.splitlines()[:2]
    assert head.split()[:3] == ["id", "last", "used"]
    assert row.split()[1].count("-") == 2


def test_json_is_a_format_of_its_own_for_an_export(typed, edited):
    assert as_json(typed("sessions", "export", edited, "--json"))["format"] == "steersman-session"


def test_prune_tells_first_and_deletes_then(typed, edited):
    kept = typed("sessions", "prune")
    assert (kept.out, kept.err) == ("", "0 sessions deleted, 0.0 MB freed.\n")
    told = typed("sessions", "prune", "--older-than", "0s", "--keep", "0", "--dry-run")
    assert told.err == "1 session would be deleted.\n"
    assert typed("sessions", "show", edited).code == 0
    done = as_json(typed("sessions", "prune", "--older-than", "0s", "--keep", "0", "--json"))
    assert [session["id"] for session in done["sessions"]] == [edited]
    assert typed("sessions", "show", edited).code == 1


@pytest.mark.parametrize("options", [["--older-than", "soon"], ["--older-than", "9" * 30 + "d"], ["--keep", "-1"]])
def test_an_age_or_a_number_that_makes_no_sense_is_wrong_usage(typed, options):
    assert typed("sessions", "prune", *options).code == 64
