"""Writes a session in the format that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steersman.agent.errors import InvalidRequestError
from steersman.sessions.export.transcript import gather

if TYPE_CHECKING:
    from steersman.sessions.store import SessionStore

FORMATS = ("json", "markdown", "html")


def export_session(
    store: SessionStore,
    session_id: str,
    format: str,  # noqa: A002 - the wire's word
    *,
    mask_secrets: bool = True,
    with_files: bool = False,
) -> str:
    """Return the session as one document. May take a second for a very long one: belongs in a thread.

    Args:
        store: where it is.
        session_id: the session; it may have a run at work.
        format: one of ``FORMATS``.
        mask_secrets: mask text that looks like a secret.
        with_files: also what stood in files before calls changed them; in JSON only.

    Raises:
        InvalidRequestError: no such format, or files in another one than JSON.
        SessionNotFoundError: no such session.
        StorageError: the store cannot be read.
    """
    if format not in FORMATS:
        raise InvalidRequestError(f"There is no export format {format!r}; there are {', '.join(FORMATS)}.")
    if with_files and format != "json":
        raise InvalidRequestError(
            "Contents of files go into a JSON export only.", hint="Ask for the format json, or leave the files out."
        )
    transcript = gather(store, session_id, with_secrets=not mask_secrets, with_files=with_files)
    if format == "json":
        from steersman.sessions.export.as_json import to_json  # noqa: PLC0415 - only what is asked for

        return to_json(transcript)
    if format == "markdown":
        from steersman.sessions.export.as_markdown import to_markdown  # noqa: PLC0415 - only what is asked for

        return to_markdown(transcript)
    from steersman.sessions.export.html.page import to_html  # noqa: PLC0415 - only what is asked for

    return to_html(transcript)
