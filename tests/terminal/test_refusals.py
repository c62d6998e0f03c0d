"""What is said of calls that nobody could allow: what it was, and what would allow exactly that (DESIGN A5, A7)."""

import json

import pytest


def refused(steersman, name, *options, **arguments):
    """Run one call with nobody to ask; returns what is said of its refusal."""
    model = steersman.script([{"call": name, "arguments": arguments}], ["I may not."])
    done = steersman("run", "do it", "-C", str(steersman.folder), "--model", model, *options)
    assert (done.returncode, done.stdout) == (0, "I may not.\n")
    return [line for line in done.stderr.splitlines() if line.startswith("steersman: refused: ")]


def test_an_edit_is_named_and_accept_edits_would_allow_it(steersman):
    (said,) = refused(steersman, "write_file", path="n.txt", content="x")
    assert "refused: write_file n.txt. " in said
    assert "--mode accept-edits would allow it" in said


@pytest.mark.parametrize("options", [[], ["--mode", "accept-edits"]])
def test_a_command_is_named_and_accept_edits_is_not_offered_for_it(steersman, options):
    (said,) = refused(steersman, "run_command", *options, command="touch made.txt")
    assert "refused: `touch made.txt`. " in said
    assert "accept-edits" not in said
    assert "--yes would allow it" in said
    assert 'tool = "run_command", match = "touch made.txt", action = "allow"' in said


def test_the_rule_that_is_offered_allows_the_command(steersman):
    rule = '[[permissions]]\ntool = "run_command"\nmatch = "touch made.txt"\naction = "allow"\n'
    (steersman.state.parent / "config.toml").write_text(rule)
    assert refused(steersman, "run_command", command="touch made.txt") == []


def test_no_rule_is_offered_for_a_command_that_only_a_mode_can_allow(steersman):
    (said,) = refused(steersman, "run_command", command="touch $(cat names)")
    assert "match =" not in said
    assert "--yes would allow it" in said


@pytest.mark.parametrize("options", [[], ["--yes"]])
def test_what_asks_in_every_mode_is_offered_a_terminal_only(steersman, options):
    (said,) = refused(steersman, "write_file", *options, path=".git/config", content="x")
    assert "asks in every mode" in said
    assert "--mode" not in said
    assert "--yes" not in said


def test_in_plan_mode_no_rule_helps(steersman):
    (said,) = refused(steersman, "write_file", "--mode", "plan", path="n.txt", content="x")
    assert "Plan mode only reads. --mode accept-edits would allow it" in said


def test_a_call_that_was_allowed_is_not_mentioned(steersman):
    assert refused(steersman, "write_file", "--yes", path="n.txt", content="x") == []


@pytest.mark.parametrize("output", ["json", "stream-json"])
def test_programs_get_a_list_of_what_was_refused_and_why(steersman, output):
    arguments = {"path": "n.txt", "content": "x"}
    model = steersman.script([{"call": "write_file", "arguments": arguments}], ["I may not."])
    done = steersman("run", "do it", "-C", str(steersman.folder), "--model", model, "--output", output)
    (refused,) = json.loads(done.stdout.splitlines()[-1])["refused"]
    assert (refused["tool"], json.loads(refused["arguments"])) == ("write_file", arguments)
    assert refused["callId"]
    assert refused["reason"].startswith("this needs a person's approval, and there is nobody to ask.")


def test_programs_are_told_too_that_nothing_was_refused(steersman):
    done = steersman("run", "x", "-C", str(steersman.folder), "--model", steersman.script(["1"]), "--output", "json")
    assert json.loads(done.stdout)["refused"] == []


def test_what_was_refused_stands_in_the_result_of_a_run_that_failed_as_well(steersman):
    model = steersman.script([{"call": "write_file", "arguments": {"path": "n.txt", "content": "x"}}])
    done = steersman("run", "do it", "-C", str(steersman.folder), "--model", model, "--output", "json")
    result = json.loads(done.stdout)
    assert (done.returncode, "error" in result, len(result["refused"])) == (1, True, 1)
