"""``steersman sessions export``: a session as a file, or as a page in the browser."""

from __future__ import annotations

import argparse
import asyncio
import errno
import tempfile
import webbrowser
from pathlib import Path

from steersman.agent.errors import InvalidRequestError, StorageError
from steersman.sessions.records import SessionRecord
from steersman.terminal.output import exits, print_json, print_warning
from steersman.terminal.sessions_folder import SessionsFolder
from steersman.terminal.streams import say

_SUFFIXES = {"json": "json", "markdown": "md", "html": "html"}


@exits
def export(args: argparse.Namespace) -> int:
    """Write a session out."""
    format_name: str = args.format or ("html" if args.open else "json" if args.json else "markdown")
    with SessionsFolder(args, only_reads=True) as folder:
        record = folder.session(args.id)
        text = asyncio.run(
            folder.app.sessions.export(
                record.id, format=format_name, mask_secrets=not args.keep_secrets, with_files=args.with_files
            )
        )
    if args.output:
        target = Path(args.output)
        _write(target, text, overwrite=args.force)
    elif args.open:
        target = _place_to_look(record, format_name)
        target.touch(mode=0o600)  # nobody was asked where to put it, so nobody else may read it there
        _write(target, text, overwrite=True)  # an earlier look at the same session, by its name
    else:
        say(text, end="" if text.endswith("\n") else "\n")
        return 0
    print_json({"path": str(target.resolve())}) if args.json else say(str(target))
    if args.open and not webbrowser.open(target.resolve().as_uri()):
        print_warning(f"no browser could be started; open {target.resolve()} yourself.")
    return 0


def _place_to_look(record: SessionRecord, format_name: str) -> Path:
    """Return a file outside the workspace, where browsers that are shut in by their packaging can read it too."""
    from platformdirs import user_downloads_dir  # noqa: PLC0415 - only here

    downloads = Path(user_downloads_dir())
    folder = downloads if downloads.is_dir() else Path(tempfile.mkdtemp(prefix="steersman-"))
    return folder / f"steersman-{record.id[:8]}.{_SUFFIXES[format_name]}"


def _write(target: Path, text: str, *, overwrite: bool) -> None:
    if target.is_dir():
        raise InvalidRequestError(f"{target} is a folder.", hint="Name a file in it.")
    try:
        with target.open("w" if overwrite else "x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError:
        raise InvalidRequestError(f"{target} is there already.", hint="Add --force to overwrite it.") from None
    except FileNotFoundError:
        raise InvalidRequestError(
            f"{target} could not be written: there is no folder {target.parent}.", hint="Make it first."
        ) from None
    except OSError as error:
        message = f"{target} could not be written ({error.strerror})."
        if error.errno in {errno.ENOSPC, errno.EDQUOT, errno.EIO}:
            raise StorageError(message) from error
        raise InvalidRequestError(message) from error
