"""``steersman mock-llm``."""

from __future__ import annotations

import argparse
from functools import partial

from steersman.terminal.output import exits
from steersman.terminal.streams import say


@exits
def serve(args: argparse.Namespace) -> int:
    """Serve the rule-based model until interrupted."""
    from steersman.mock_llm import serving  # noqa: PLC0415 - only this command needs it

    return serving.serve(args.port, announce=partial(say, flush=True))
