"""``steersman mock-llm``."""

from __future__ import annotations

import argparse

from steersman.terminal.output import exits


@exits
def serve(args: argparse.Namespace) -> int:
    """Serve the rule-based model until interrupted."""
    from steersman.mock_llm import serving  # noqa: PLC0415 - only this command needs it

    return serving.serve(args.port)
