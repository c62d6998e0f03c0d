"""``steersman doctor`` and ``steersman models``: what is configured, from where, what works. Never prints a key."""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from steersman import __version__
from steersman.app import HeadlessApp, headless_settings, model_to_wire
from steersman.configuration import config_file, load_settings, state_dir
from steersman.terminal.output import exits, print_json, table

if TYPE_CHECKING:
    from steersman.models.doctor import ModelsReport, ProviderReport


@exits
def examine(args: argparse.Namespace) -> int:
    """Print the findings. Exit code 1 when something that runs need does not work."""
    report = asyncio.run(_examine(online=args.online))
    if args.json:
        print_json(report)
    else:
        _print_report(report)
    return 1 if report["problems"] else 0


@exits
def list_models(args: argparse.Namespace) -> int:
    """Print what the configured providers offer. Exit code 1 when none could be asked."""
    from steersman.models.catalog import list_models as ask  # noqa: PLC0415 - brings the HTTP client

    app = HeadlessApp(".", headless_settings()).app
    listings = asyncio.run(ask(app.providers(), os.environ))
    models = [model_to_wire(facts) for listing in listings for facts in listing.models]
    if args.json:
        print_json({"models": models})
    else:
        rows = [
            [model["id"], _tokens(model), _price(model, "inputPrice"), _price(model, "outputPrice")] for model in models
        ]
        print(table(rows, ["model", "context", "input $/M", "output $/M"]))
    failed = [listing for listing in listings if listing.error is not None]
    for listing in failed:
        assert listing.error is not None
        print(f"{listing.provider}: {listing.error.message} {listing.error.hint or ''}".rstrip(), file=sys.stderr)
    if not listings:
        print("No provider is configured; only demo/rules is there. See `steersman doctor`.", file=sys.stderr)
    return 1 if failed and not models else 0


async def _examine(*, online: bool) -> dict[str, Any]:
    from steersman.models.doctor import examine_providers  # noqa: PLC0415 - brings the HTTP client

    settings = load_settings(os.environ)
    app = HeadlessApp(".", settings).app
    found = await examine_providers(settings.model, app.providers(), os.environ, online=online)
    place = state_dir(os.environ)
    problems = list(settings.warnings)
    if not _is_writable(place):
        problems.append(f"The state folder {place} cannot be written; nothing would be kept.")
    problems.extend(f"{report.name}: {problem}" for report in found.providers for problem in report.problems)
    return {
        "version": __version__,
        "python": sys.version.split()[0],
        "model": settings.model,
        "modelSource": settings.model_source,
        "mode": settings.mode.value,
        "sources": dict(settings.sources),
        "configFile": str(config_file(os.environ)),
        "stateDir": str(place),
        "stateBytes": _size(place),
        "providers": [asdict(report) for report in found.providers],
        "offer": found.ollama.sentence if found.ollama is not None else _what_to_set(found, settings.model_source),
        "sandbox": _sandbox(),
        "problems": problems,
    }


def _what_to_set(found: ModelsReport, source: str) -> str | None:
    if source != "built-in" or found.providers:
        return None
    return (
        "No model is configured. Set STEERSMAN_MODEL (for example anthropic/…, openai/… or ollama/…) and the "
        "provider's key, or start a local server and set its address in config.toml."
    )


def _print_report(report: dict[str, Any]) -> None:
    print(f"steersman {report['version']} on Python {report['python']}")
    print(f"model        {report['model']}  (from: {report['modelSource']})")
    print(f"mode         {report['mode']}")
    print(f"settings     {report['configFile']}{'' if Path(report['configFile']).exists() else '  (not there)'}")
    print(f"state        {report['stateDir']}  ({report['stateBytes'] / 1e6:.1f} MB)")
    print(f"commands     {report['sandbox']}")
    for provider in report["providers"]:
        _print_provider(provider)
    if report["offer"]:
        print(f"\n{report['offer']}")
    for problem in report["problems"]:
        print(f"\nproblem: {problem}")
    if not report["problems"]:
        print("\nNothing is wrong.")


def _print_provider(provider: dict[str, Any] | ProviderReport) -> None:
    values = provider if isinstance(provider, dict) else asdict(provider)
    key = (
        f"key from {values['key_source']}: {'set' if values['key_set'] else 'not set'}"
        if values["key_source"]
        else "no key"
    )
    print(f"\n{values['name']}  {values['address']}  ({values['kind']}, {values['address_source']}; {key})")
    print(
        f"  reachable: {values['reachable']}  key accepted: {values['key_accepted']}  models: {values['models'] or '–'}"
        f"  model there: {values['model_there']}  streaming: {values['streaming']}  tools: {values['tools']}"
    )


def _sandbox() -> str:
    """Say how commands are confined here; what is found is tried when the first command runs."""
    program = shutil.which("bwrap") or shutil.which("sandbox-exec")
    return f"confined with {program}, where it works" if program else "not confined: bubblewrap is not installed"


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else 0


def _is_writable(folder: Path) -> bool:
    existing = next((each for each in [folder, *folder.parents] if each.exists()), None)
    return existing is not None and existing.is_dir() and os.access(existing, os.W_OK)


def _tokens(model: dict[str, Any]) -> str:
    return f"{model['contextWindow']:,}" if "contextWindow" in model else "–"


def _price(model: dict[str, Any], key: str) -> str:
    return f"{model[key]:g}" if key in model else "–"
