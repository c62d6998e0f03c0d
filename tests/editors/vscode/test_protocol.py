"""The extension's own description of the wire and of its settings is the server's."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from steersman.lsp.commands.names import NAMES
from steersman.models.provider_check import CheckedProvider
from steersman.permissions.modes import Mode
from steersman.setting_parts import LimitsPart, PermissionPart, SettingsPart
from steersman.settings import DEFAULT_MAX_TURNS, DEFAULT_MODE

EXTENSION = Path(__file__).resolve().parents[3] / "editors" / "vscode"


@pytest.fixture(scope="module")
def manifest() -> dict[str, Any]:
    return json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def settings(manifest: dict[str, Any]) -> dict[str, Any]:
    """Every setting, without the name in front."""
    found: dict[str, Any] = {}
    for page in manifest["contributes"]["configuration"]:
        found.update({key.removeprefix("steersman."): value for key, value in page["properties"].items()})
    return found


def test_the_generated_types_are_what_the_servers_code_says() -> None:
    """Whoever changes the wire writes the types anew: ``make vscode-protocol``."""
    script = EXTENSION / "scripts" / "protocol_types.py"
    check = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True, check=False)
    assert (check.returncode, check.stderr) == (0, "")


def test_no_command_of_the_extension_is_called_like_one_of_the_servers(manifest: dict[str, Any]) -> None:
    """VS Code would then fail to start the client, which registers the server's commands by their names."""
    commands = {each["command"] for each in manifest["contributes"]["commands"]}
    assert not commands & set(NAMES)
    assert all(each.startswith("steersman.ui.") for each in commands)


def test_every_command_of_the_manifest_is_registered(manifest: dict[str, Any]) -> None:
    code = (EXTENSION / "src" / "commands.ts").read_text(encoding="utf-8")
    for each in manifest["contributes"]["commands"]:
        name = each["command"].removeprefix("steersman.ui.")
        assert re.search(rf"^    (?:'{re.escape(name)}'|{re.escape(name)})[:,]", code, re.MULTILINE), name


def test_every_server_command_that_is_used_exists() -> None:
    code = (EXTENSION / "src" / "server" / "commands.ts").read_text(encoding="utf-8")
    used = set(re.findall(r"^  '(steersman\.[\w.]+)': Call<", code, re.MULTILINE))
    assert used
    assert used <= set(NAMES)


def test_the_settings_are_the_servers(settings: dict[str, Any]) -> None:
    """All of PROTOCOL §1 but what a client with a conversation of its own has no use for."""
    own = {"progress", "server.path", "server.environment", "trace.server"}
    theirs = {field.alias for field in SettingsPart.model_fields.values()} - {"showAnswer", "client"}
    assert set(settings) - own == theirs


def test_what_a_workspace_must_not_set_is_of_machine_scope(settings: dict[str, Any]) -> None:
    """DESIGN A6: a clone may tighten mode, turns and limits, and choose how progress looks; nothing else."""
    open_to_workspaces = {key for key, value in settings.items() if value["scope"] != "machine"}
    assert open_to_workspaces == {"mode", "maxTurns", "limits", "progress", "trace.server"}


def test_choices_and_defaults_are_the_servers(settings: dict[str, Any]) -> None:
    assert settings["mode"]["enum"] == [mode.value for mode in Mode]
    assert settings["mode"]["default"] == DEFAULT_MODE.value
    assert settings["maxTurns"]["default"] == DEFAULT_MAX_TURNS


def test_the_parts_of_settings_have_the_servers_fields(settings: dict[str, Any]) -> None:
    def fields(model: Any) -> set[str | None]:
        return {field.alias for field in model.model_fields.values()}

    assert set(settings["limits"]["properties"]) == fields(LimitsPart)
    assert set(settings["permissions"]["items"]["properties"]) == fields(PermissionPart)
    assert set(settings["providers"]["additionalProperties"]["properties"]) == fields(CheckedProvider)


def test_every_setting_and_command_is_described(manifest: dict[str, Any], settings: dict[str, Any]) -> None:
    for key, value in settings.items():
        assert value.get("description") or value.get("markdownDescription"), key
        assert len(value.get("enumDescriptions", [])) == len(value["enum"] if "enumDescriptions" in value else []), key
    for each in manifest["contributes"]["commands"]:
        assert each["title"], each["command"]
        assert each["category"] == "Steersman", each["command"]


def test_every_package_is_pinned() -> None:
    """Nothing is installed that was not tried; and no lock file names a registry."""
    for file in (EXTENSION / "package.json", EXTENSION / "test" / "real" / "package.json"):
        manifest = json.loads(file.read_text(encoding="utf-8"))
        packages = {**manifest.get("dependencies", {}), **manifest.get("devDependencies", {})}
        assert packages
        assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in packages.values())
    assert not list(EXTENSION.glob("package-lock.json"))


def test_files_of_the_walkthrough_are_there(manifest: dict[str, Any]) -> None:
    for walkthrough in manifest["contributes"]["walkthroughs"]:
        for step in walkthrough["steps"]:
            assert (EXTENSION / step["media"]["markdown"]).is_file(), step["id"]
