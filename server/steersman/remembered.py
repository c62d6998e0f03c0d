"""What "always allow" and "for this session" left behind, as the wire's objects: listed and forgotten (DESIGN A5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Protocol

from steersman.permissions.grants import Grant
from steersman.permissions.ground import Ground
from steersman.permissions.store import AlwaysStore, grant_to_json
from steersman_tools.kit.workspace import Root


class Remembering(Protocol):
    """Whoever keeps permissions (``app.Application``)."""

    def roots(self) -> tuple[Root, ...]:
        """The workspace folders."""
        ...

    def ground(self, roots: tuple[Root, ...]) -> Ground:
        """What policy has to know of the place."""
        ...

    def always(self, folder: Path) -> AlwaysStore:
        """What is always allowed in a folder."""
        ...

    def session_grants(self) -> Mapping[str, tuple[Grant, ...]]:
        """What each session of this process was allowed, by session id."""
        ...

    def forget_sessions(self) -> int:
        """Forget what was allowed for sessions of this process."""
        ...


class RememberedPermissions:
    """Lists and forgets what was allowed beyond one call."""

    def __init__(self, app: Remembering) -> None:
        self._app = app

    def list(self, folder: Path | None) -> list[dict[str, Any]]:
        """Return what is always allowed in the folder, or in all workspace folders; then what sessions were allowed.

        Each is told in ``words``. Its ``scope``: ``always`` (with a ``folder``) or ``session`` (with a ``sessionId``).
        """
        found: list[dict[str, Any]] = []
        for each in self._folders(folder):
            ground = self._app.ground((Root(each.name or "root", each),))
            found.extend(
                {**grant_to_json(grant), "words": grant.words(ground), "scope": "always", "folder": each.as_uri()}
                for grant in self._app.always(each).grants
            )
        return [*found, *self._of_sessions()]

    def _of_sessions(self) -> Iterator[dict[str, Any]]:
        ground = self._app.ground(self._app.roots())
        for session_id, grants in self._app.session_grants().items():
            for grant in grants:
                told = grant_to_json(grant)
                if "folder" in told:  # where a command starts: a path as it is kept, a URI as everywhere on the wire
                    told["folder"] = Path(told["folder"]).as_uri()
                yield {**told, "words": grant.words(ground), "scope": "session", "sessionId": session_id}

    def reset(self, folder: Path | None) -> int:
        """Forget them, and what was allowed for a session; return how many there were."""
        kept = sum(self._app.always(each).reset() for each in self._folders(folder))
        return kept + self._app.forget_sessions()

    def _folders(self, folder: Path | None) -> list[Path]:
        return [folder] if folder is not None else [root.path for root in self._app.roots()]
