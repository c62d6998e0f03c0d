"""``steersman doctor`` and ``steersman models``: what is configured, from where, what works. Never prints a key."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic.alias_generators import to_camel

from steersman import __version__
from steersman.agent.errors import InvalidRequestError, SteersmanError, StorageError
from steersman.app import HeadlessApp, headless_settings, model_to_wire
from steersman.configuration import config_file, load_settings, state_dir
from steersman.sessions.housekeeping import disk_bytes
from steersman.sessions.opening import DATABASE_NAME, all_set_aside
from steersman.sessions.places import store_folder
from steersman.settings import Settings
from steersman.terminal.output import exits, print_json, print_warning, printable, table
from steersman.terminal.sessions_check import recovery
from steersman.terminal.streams import say
from steersman_tools.kit.sandbox_probe import SandboxProbe

if TYPE_CHECKING:
    from steersman.models.doctor import ModelsReport
    from steersman.models.provider_config import ProviderConfig


_TRIED_BYTES = 64 * 1024
"""A state folder that has no room for so much keeps nothing; SQLite wants half of it before anything is written."""


@exits
def examine(args: argparse.Namespace) -> int:
    """Print the findings. Exit code 1 when something that runs need does not work."""
    report = asyncio.run(_examine(online=args.online))
    if args.json:
        print_json(report)
    else:
        _print_report(report, online=args.online)
    return 1 if report["problems"] else 0


@exits
def list_models(args: argparse.Namespace) -> int:
    """Print what the configured providers offer. Exit code 1 when one is configured and none could be asked."""
    from steersman.models.catalog import list_models as ask  # noqa: PLC0415 - brings the HTTP client

    app = HeadlessApp(".", headless_settings()).app
    listings = asyncio.run(ask(_with_the_model_s_own(app.providers(), app.model), os.environ))
    models = [model_to_wire(facts) for listing in listings for facts in listing.models]
    if args.json:
        print_json({"models": models})
    else:
        rows = [
            [model["id"], _tokens(model), _price(model, "inputPrice"), _price(model, "outputPrice")] for model in models
        ]
        say(table(rows, ["model", "context", "input $/M", "output $/M"]))
    configured = [listing for listing in listings if listing.provider != "demo"]
    errors = [(listing.provider, listing.error) for listing in configured if listing.error is not None]
    for provider, error in errors:
        print_warning(f"{provider}: {_in_words(error)}")
    if not configured:
        print_warning("no provider is configured, so only demo/rules is there. `steersman doctor` says what to set.")
    return 1 if errors and len(errors) == len(configured) else 0


def _with_the_model_s_own(configs: Mapping[str, ProviderConfig], model: str) -> Mapping[str, ProviderConfig]:
    """Count the provider of the chosen model as configured: choosing it is setting it up, as ``doctor`` sees it."""
    from steersman.models.provider_config import ProviderConfig  # noqa: PLC0415 - brings pydantic models

    name = model.partition("/")[0]
    return configs if name in {*configs, "demo", "scripted", ""} else {**configs, name: ProviderConfig()}


async def _examine(*, online: bool) -> dict[str, Any]:
    from steersman.models.doctor import examine_providers  # noqa: PLC0415 - brings the HTTP client

    settings = load_settings(os.environ)
    configs, broken = _sound_providers(settings)
    found = await examine_providers(settings.model, configs, os.environ, online=online)
    reports = [report for report in found.providers if report.name not in broken]
    sandbox = await SandboxProbe().find()
    place = state_dir(os.environ)
    problems = [*_own_sessions(place, settings), *HeadlessApp(".", settings).app.warnings, *broken.values()]
    if (reason := _why_not_writable(place)) is not None:
        problems.append(f"The state folder {place} cannot be written ({reason}); nothing would be kept.")
    problems.extend(f"{report.name}: {problem}" for report in reports for problem in report.problems)
    return {
        "version": __version__,
        "python": sys.version.split()[0],
        "model": settings.model,
        "modelSource": settings.model_source,
        "mode": settings.mode.value,
        "sources": {_setting(name): source for name, source in settings.sources.items()},
        "configFile": str(config_file(os.environ)),
        "stateDir": str(place),
        "stateBytes": _size(place),
        "setAside": [{"path": str(path), "bytes": disk_bytes(path)} for path in all_set_aside(place)],
        "providers": [{to_camel(name): value for name, value in asdict(report).items()} for report in reports],
        "offer": found.ollama.sentence if found.ollama is not None else _what_to_set(found, settings.model_source),
        "sandbox": None if sandbox.sandbox is None else sandbox.sandbox.name,
        "sandboxReason": sandbox.reason,
        "problems": problems,
    }


def _own_sessions(place: Path, settings: Settings) -> list[str]:
    """Return what is wrong with the sessions of this folder, if it has any."""
    app = HeadlessApp(".", settings, allow_memory=False).app
    folder = app.roots()[0].path
    if not (store_folder(place, folder) / DATABASE_NAME).exists():
        return []
    try:
        app.stores.of(folder)
        return list(app.stores.notices(folder))
    except StorageError as error:
        return [_in_words(error)]
    finally:
        app.stores.close()


def _setting(name: str) -> str:
    """Return what the user calls one of ``Settings.sources``."""
    limits = {"max_tokens": "limits.maxTokens", "max_cost": "limits.maxCost", "deadline_s": "limits.deadlineSeconds"}
    return limits.get(name) or to_camel(name)


def _sound_providers(settings: Settings) -> tuple[dict[str, ProviderConfig], dict[str, str]]:
    """Return the providers whose configuration makes sense, and what is wrong with each of the others."""
    from steersman.models.provider_reading import read_providers  # noqa: PLC0415 - brings pydantic models

    sound: dict[str, ProviderConfig] = {}
    broken: dict[str, str] = {}
    for name, raw in settings.providers.items():
        try:
            sound.update(read_providers({name: raw}))
        except InvalidRequestError as error:
            broken[name] = _in_words(error)
    return sound, broken


def _what_to_set(found: ModelsReport, source: str) -> str | None:
    if source != "built-in" or found.providers:
        return None
    return (
        "No model is configured. Set STEERSMAN_MODEL (for example anthropic/… or openai/…) and the provider's key. "
        "With Ollama nothing is needed but STEERSMAN_MODEL=ollama/qwen3-coder; start Ollama with "
        "OLLAMA_CONTEXT_LENGTH=32768. Another local server's address goes "
        "into config.toml. Then `steersman doctor --online` tries it."
    )


def _print_report(report: dict[str, Any], *, online: bool) -> None:
    say(f"steersman {report['version']} on Python {report['python']}")
    say(f"model        {report['model']}  (from: {report['modelSource']})")
    say(f"mode         {report['mode']}")
    say(f"settings     {report['configFile']}{'' if Path(report['configFile']).exists() else '  (not there)'}")
    say(f"state        {report['stateDir']}  ({report['stateBytes'] / 1e6:.1f} MB)")
    held = f"held by {report['sandbox']}" if report["sandbox"] else f"without a sandbox: {report['sandboxReason']}"
    say(f"commands     {held}")
    for provider in report["providers"]:
        _print_provider(provider)
    if report["providers"] and not online:
        say("\n`steersman doctor --online` also tries streaming and tools, which costs a few tokens.")
    if report["offer"]:
        say(f"\n{report['offer']}")
    _print_set_aside(report["setAside"])
    for problem in report["problems"]:
        say(f"\nproblem: {printable(problem)}")
    if not report["problems"]:
        say("\nNothing is wrong.")


def _print_set_aside(databases: list[dict[str, Any]]) -> None:
    if not databases:
        return
    say("\nDamaged session databases that were set aside, and are never deleted by Steersman:")
    for each in databases:
        say(printable(f"  {each['path']}  ({each['bytes'] / 1e6:.1f} MB)"))
    say(printable(f"{recovery(databases[-1]['path'])}\nDelete those of which you need nothing more."))


def _print_provider(provider: dict[str, Any]) -> None:
    key = (
        f"key from {provider['keySource']}: {'set' if provider['keySet'] else 'not set'}"
        if provider["keySource"]
        else "no key"
    )
    say(f"\n{provider['name']}  {provider['address']}  ({provider['kind']}, {provider['addressSource']}; {key})")
    named = f"has {provider['model']}" if provider["model"] else "has the model"
    tried = {
        "reachable": provider["reachable"],
        "key accepted": provider["keyAccepted"],
        "models": "not tried" if provider["models"] is None else provider["models"],
        named: provider["modelThere"],
        "streaming": provider["streaming"],
        "tools": provider["tools"],
    }
    told = [f"{what}: {found}" for what, found in tried.items() if found != "not tried"]
    say(f"  {'   '.join(told) or 'not asked'}")


def _in_words(error: SteersmanError) -> str:
    return f"{error.message} {error.hint or ''}".rstrip()


def _size(folder: Path) -> int:
    total = 0
    for file in folder.rglob("*"):
        with suppress(OSError):  # gone meanwhile, as a database's companions go, or not ours to look at
            total += file.lstat().st_size if file.is_file() else 0
    return total


def _why_not_writable(folder: Path) -> str | None:
    """Try it: permissions alone do not tell (a read-only file system, a full disk). None: it can be written."""
    existing = next((each for each in [folder, *folder.parents] if os.path.lexists(each)), None)
    if existing is None or not existing.is_dir():
        return "a file is where a folder should be"
    try:
        with tempfile.TemporaryFile(dir=existing) as file:
            file.write(bytes(_TRIED_BYTES))
            file.flush()
    except OSError as error:
        return error.strerror or type(error).__name__
    return None


def _tokens(model: dict[str, Any]) -> str:
    return f"{model['contextWindow']:,}" if "contextWindow" in model else "–"


def _price(model: dict[str, Any], key: str) -> str:
    return f"{model[key]:g}" if key in model else "–"
