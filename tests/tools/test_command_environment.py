"""What a command finds in its environment (DESIGN W10)."""

from __future__ import annotations

import pytest

from steersman_tools.kit.environment import command_environment, is_secret_name


@pytest.mark.parametrize(
    "name",
    [
        *("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"),
        *("DB_PASSWORD", "PGPASSWORD", "MYSQL_PWD", "DB_PASS", "MY_SECRET", "SECRET2", "NPM_AUTH", "openaiApiKey"),
        *("SLACK_BOT_TOKEN", "GITHUBTOKEN", "STRIPE_KEY_2", "GOOGLE_APPLICATION_CREDENTIALS", "SIGNING_PASSPHRASE"),
    ],
)
def test_names_of_secrets_are_recognised(name: str):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        *("PATH", "HOME", "PWD", "OLDPWD", "LANG", "SSH_AUTH_SOCK", "TOKENIZERS_PARALLELISM", "KEYBOARD_LAYOUT"),
        *("GIT_AUTHOR_NAME", "XDG_CACHE_HOME", "COMPASS", "PYTHONPATH", "VIRTUAL_ENV", "NODE_ENV", "XAUTHORITY"),
    ],
)
def test_other_names_are_left_alone(name: str):
    assert not is_secret_name(name)


def test_secrets_are_not_there_and_the_rest_is():
    environment = command_environment({"PATH": "/bin", "OPENAI_API_KEY": "sk-1", "HOME": "/home/u"})

    assert environment["PATH"] == "/bin"
    assert environment["HOME"] == "/home/u"
    assert "OPENAI_API_KEY" not in environment


def test_a_configured_name_is_a_secret_whatever_it_is_called():
    environment = command_environment(
        {"LOCAL": "a-long-secret-value", "COPY": "x=a-long-secret-value", "A": "b"}, ["local"]
    )

    assert {"LOCAL", "COPY"}.isdisjoint(environment)
    assert environment["A"] == "b"


def test_a_short_value_takes_no_other_variable_with_it():
    assert "PATH" in command_environment({"LOCAL": "bin", "PATH": "/bin"}, ["LOCAL"])


def test_the_editor_cannot_be_reached():
    environment = command_environment({"NVIM": "/run/nvim.sock", "VSCODE_IPC_HOOK": "x", "GIT_ASKPASS": "y"})

    assert {"NVIM", "VSCODE_IPC_HOOK", "GIT_ASKPASS"}.isdisjoint(environment)


def test_nothing_waits_for_a_person():
    environment = command_environment({"PAGER": "less", "TERM": "xterm-256color", "GIT_EDITOR": "vi"})

    assert (environment["PAGER"], environment["TERM"], environment["GIT_EDITOR"]) == ("cat", "dumb", ":")
    assert environment["GIT_TERMINAL_PROMPT"] == "0"


def test_nothing_gives_an_approved_word_another_meaning():
    """With CDPATH, ``cd src`` may lead out of the workspace."""
    assert "CDPATH" not in command_environment({"CDPATH": "/elsewhere", "PATH": "/bin"})
