"""A configuration with a provider for each of several scripts, so that one server can play them all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks.model import Model
from benchmarks.processes import clean_environment


def configured(folder: Path, model: Model, scripts: Mapping[str, str]) -> dict[str, str]:
    """Write the configuration below the folder; return the environment.

    A run then takes ``NAME/scripted`` as its model, for each name of ``scripts`` (name to the script opened for it).
    """
    tables = [
        f'[providers.{name}]\nkind = "openai-chat"\nbaseUrl = "{model.origin(script)}/v1"\n'
        for name, script in scripts.items()
    ]
    (folder / "config.toml").write_text("\n".join(tables), encoding="utf-8")
    return clean_environment(folder)
