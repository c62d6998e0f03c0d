"""``steersman lsp``."""

from __future__ import annotations

import argparse


def serve(args: argparse.Namespace) -> int:
    """Serve the editor at the other end of standard input and output until it leaves."""
    from steersman.app import LspApp  # noqa: PLC0415 - kept late so that --help stays quick
    from steersman.lsp.server import serve as serve_lsp  # noqa: PLC0415 - likewise

    return serve_lsp(LspApp(), log_level=args.log_level)
