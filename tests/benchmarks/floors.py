"""Runs the bare reader (``bare_reader.py``) as a process."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchmarks.model import Model
from benchmarks.processes import PYTHON


@dataclass(frozen=True, slots=True)
class Bare:
    """What it took: CPU and wall seconds, without its start and imports, and how many characters it read."""

    cpu: float
    wall: float
    chars: int


def bare(kind: Literal["stream", "loop"], model: Model, name: str) -> Bare:
    """Let it read a script."""
    program = Path(__file__).with_name("bare_reader.py")
    done = subprocess.run([*PYTHON, program, kind, f"{model.origin(name)}/v1"], capture_output=True, check=True)
    return Bare(**json.loads(done.stdout))
