"""``steersman doctor`` and ``steersman models``: what is set up, from where, and what is wrong (DESIGN M1, M5, A6)."""

import json
import os
import signal
import sqlite3

import pytest


def configure(steersman, text):
    (steersman.state.parent / "config.toml").write_text(text)


NOBODY_THERE = '[providers.local]\nbase_url = "http://127.0.0.1:9/v1"\n'


def test_with_nothing_configured_it_says_what_to_set_and_that_nothing_is_wrong(steersman):
    done = steersman("doctor")
    assert (done.returncode, done.stderr) == (0, "")
    assert "demo/rules  (from: built-in)" in done.stdout
    assert "Set STEERSMAN_MODEL" in done.stdout
    assert "STEERSMAN_MODEL=ollama/qwen3-coder; start Ollama with OLLAMA_CONTEXT_LENGTH=32768" in done.stdout
    assert "`steersman doctor --online` tries it" in done.stdout
    assert done.stdout.endswith("Nothing is wrong.\n")


def test_each_setting_is_told_with_its_source(steersman):
    configure(steersman, 'mode = "plan"\n[limits]\nmax_tokens = 5000\n')
    steersman.environ["STEERSMAN_MODEL"] = "demo/rules"
    done = steersman("doctor", "--json")
    report = json.loads(done.stdout)
    file = str(steersman.state.parent / "config.toml")
    assert report["sources"] == {"model": "environment", "mode": file, "limits.maxTokens": file}
    assert (report["mode"], report["problems"]) == ("plan", [])


def test_every_problem_is_found_in_one_go(steersman, typed):
    configure(
        steersman,
        'mode = "bold"\nfrobnicate = 1\n'
        '[providers.bad]\nbase_url = "ftp://x"\n[providers.typo]\nbase_urll = "x"\n'
        '[[permissions]]\ntool = "run_command"\nmatch = "a | b"\naction = "allow"\n' + NOBODY_THERE,
    )
    printed = typed("doctor")
    assert printed.code == 1
    for words in [
        "mode does not fit",
        "frobnicate is not a setting",
        "providers.bad.base_url: must begin with http:// or https://.",
        "providers.typo.base_urll is not a setting. A provider has: kind, base_url,",
        "allows no command",
        "local cannot be reached at http://127.0.0.1:9",
    ]:
        assert words in printed.out
    assert "Value error" not in printed.out


def test_a_broken_config_file_is_a_problem_with_its_line_and_stops_a_run(steersman, typed):
    configure(steersman, "model = \n")
    printed = typed("doctor")
    assert (printed.code, "not valid TOML" in printed.out, "line 1" in printed.out) == (1, True, True)
    assert typed("run", "go").code == 64


def test_a_run_is_told_what_is_wrong_with_the_settings_and_goes_on(steersman, typed):
    configure(steersman, "frobnicate = 1\n")
    printed = typed("run", "go", "--model", steersman.script(["ok"]))
    assert (printed.code, printed.out) == (0, "ok\n")
    assert "frobnicate is not a setting" in printed.err


def test_a_state_folder_that_cannot_be_written_is_a_problem(steersman, typed):
    steersman.state.write_text("a file where a folder should be")
    printed = typed("doctor")
    assert (
        printed.code,
        "cannot be written (a file is where a folder should be); nothing would be kept" in printed.out,
    ) == (1, True)


def test_damaged_databases_that_were_set_aside_are_named_with_what_to_do(steersman, typed):
    assert "set aside" not in typed("doctor").out
    typed("run", "hello", "--model", steersman.script(["Done."]))
    [database] = steersman.state.glob("workspaces/*/sessions.db")
    for companion in database.parent.glob("sessions.db*"):
        companion.unlink()
    database.write_bytes(b"this was a database once" * 100_000)
    assert typed("sessions", "list").code == 0
    [kept] = database.parent.glob("sessions.damaged-*.db")
    printed = typed("doctor")
    assert printed.code == 0
    assert f"\n  {kept}  (2.4 MB)\n" in printed.out
    assert f"sqlite3 {kept} .recover\n" in printed.out
    assert json.loads(typed("doctor", "--json").out)["setAside"] == [{"path": str(kept), "bytes": 2_400_000}]


def test_sessions_of_this_folder_that_cannot_be_used_are_a_problem(steersman, typed):
    typed("run", "hello", "--model", steersman.script(["Done."]))
    [database] = steersman.state.glob("workspaces/*/sessions.db")
    connection = sqlite3.connect(database)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    printed = typed("doctor")
    assert printed.code == 1
    assert f"problem: {database} was written by a newer Steersman (schema 99; " in printed.out


def test_no_report_ever_holds_a_key(typed):
    os.environ["ANTHROPIC_API_KEY"] = "sk-ant-very secret"
    printed = typed("doctor")
    assert "key from ANTHROPIC_API_KEY: not set" in printed.out
    assert "very secret" not in printed.out + printed.err


def test_models_lists_the_built_in_one_and_says_that_no_provider_is_configured(steersman):
    done = steersman("models")
    assert (done.returncode, done.stdout.split()[-4]) == (0, "demo/rules")
    assert "no provider is configured" in done.stderr


def test_models_fails_only_when_no_configured_provider_could_be_asked(steersman, typed):
    configure(steersman, NOBODY_THERE)
    printed = typed("models", "--json")
    assert (printed.code, json.loads(printed.out)["models"][0]["id"]) == (1, "demo/rules")
    assert "local: local cannot be reached" in printed.err


@pytest.fixture
def mock_model(steersman):
    """The mock model as a process of its own, configured in config.toml; yields nothing."""
    process = steersman.start("mock-llm", "--port", "0")
    address = next(word.rstrip(".,") for word in process.stdout.readline().split() if word.startswith("http://"))
    configure(
        steersman,
        f'model = "house/mock"\n[providers.house]\nbase_url = "{address}"\napi_key_env = "HOUSE_KEY"\n',
    )
    os.environ["HOUSE_KEY"] = "test-key"
    yield
    process.send_signal(signal.SIGTERM)
    process.communicate(timeout=60)


def test_a_local_endpoint_of_config_toml_is_examined_listed_and_used(steersman, typed, mock_model):
    (steersman.folder / "a.txt").write_text("alpha\n")
    report = json.loads(typed("doctor", "--online", "--json").out)
    (house,) = report["providers"]
    assert {
        key: house[key] for key in ("reachable", "keyAccepted", "modelThere", "streaming", "tools")
    } == dict.fromkeys(("reachable", "keyAccepted", "modelThere", "streaming", "tools"), "yes")
    assert report["problems"] == []
    assert "house/mock" in [model["id"] for model in json.loads(typed("models", "--json").out)["models"]]
    assert "alpha" in typed("run", "Read a.txt").out


def test_the_provider_of_the_chosen_model_counts_as_configured(monkeypatch, typed):
    monkeypatch.setitem(os.environ, "STEERSMAN_MODEL", "ollama/x")
    monkeypatch.setitem(os.environ, "OLLAMA_HOST", "127.0.0.1:9")
    printed = typed("models")
    assert printed.code == 1
    assert "ollama: ollama cannot be reached" in printed.err
    assert "no provider is configured" not in printed.err


def test_the_built_in_model_chosen_by_name_is_no_configured_provider(monkeypatch, typed):
    monkeypatch.setitem(os.environ, "STEERSMAN_MODEL", "demo/rules")
    printed = typed("models")
    assert (printed.code, "no provider is configured" in printed.err) == (0, True)
