"""What one command is held to, from what the run is allowed and what the folders hold now (DESIGN A1, W7, W10)."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ParamSpec, TypeVar

from steersman.agent.tool import ToolError
from steersman_tools.kit.git_disarming import HEAD, disarm, disarm_bare, identities, rebase_orders
from steersman_tools.kit.git_folders import GIT, GitHold, hold_repositories
from steersman_tools.kit.held import Held, Holding, News
from steersman_tools.kit.hiding import Hiding, hide, is_hidden
from steersman_tools.kit.leftovers import Leftover, LeftoverStore, Record
from steersman_tools.kit.protected_walk import ProtectedFound, ProtectedWalk
from steersman_tools.kit.sandbox import Confines, Sandbox
from steersman_tools.kit.sandbox_probe import Found
from steersman_tools.kit.scratch import Scratch

Params = ParamSpec("Params")
Result = TypeVar("Result")

_GIT = re.compile(r"\bgit\b(?:\s+-(?:[cC]\s+\S+|\S+))*\s+([a-z][a-z-]*)")
_GIT_READS = """
status diff log show blame grep shortlog describe rev-parse rev-list cat-file ls-files ls-tree ls-remote merge-base
name-rev whatchanged version help check-ignore for-each-ref show-ref diff-tree diff-files diff-index var count-objects
check-attr
"""


@dataclass(frozen=True, slots=True)
class CommandRules:
    """What the commands of a run may do, and what they find.

    Attributes:
        home: the user's home folder.
        network: they may reach the network.
        hidden: folders and files that no command may see, Steersman's own among them.
        scratch: a private folder for temporary files and caches, or None: one is made that lasts as long as the tool.
        leftovers: where is noted what others have to remove if this process is killed; shared by all of the user's
            processes. None: nobody shares it, and nobody will.
    """

    home: Path
    network: bool = False
    hidden: tuple[Path, ...] = ()
    scratch: Path | None = None
    leftovers: LeftoverStore | None = None


class Confiner:
    """Works out the confines of a run's commands.

    Args:
        roots: the workspace folders.
        rules: what the commands may do.
        walk: looks for protected paths below the roots.
    """

    def __init__(self, roots: tuple[Path, ...], rules: CommandRules, walk: ProtectedWalk) -> None:
        self._roots = roots
        self._rules = rules
        self._walk = walk
        self._scratch = Scratch(rules.scratch, rules.leftovers)

    async def hold(self, command: str, folder: Path, available: Found, *, read_only: bool = False) -> Held:
        """Return how the command is held by the sandbox there is, or that it is not.

        Raises:
            ToolError: it must write nothing (plan mode, A1), and there is no sandbox to see to that; or there is no
                place for its temporary files.
        """
        if available.sandbox is None and read_only:
            raise ToolError(f"Plan mode runs commands only inside a sandbox, and there is none: {available.reason}.")
        if available.sandbox is None:
            return Held("none", warnings=(f"It runs without a sandbox: {available.reason}.",))
        if read_only:
            return Held("read_only", available.sandbox, await asyncio.to_thread(self._read_only, folder))
        return await asyncio.to_thread(self._hold, command, folder, available.sandbox)

    async def begin(self, held: Held) -> Holding:
        """Keep away what must not come to be; ``end`` has to follow, whatever happens.

        Raises:
            ToolError: that is not possible.
        """
        making = asyncio.ensure_future(asyncio.to_thread(self._begin, held))
        try:
            return await asyncio.shield(making)
        except asyncio.CancelledError:
            await asyncio.wait({making})
            if making.exception() is None and (record := making.result().record) is not None:
                await _to_its_end(record.end)
            raise

    async def end(self, holding: Holding) -> News:
        """Let go, and return what came of what is protected; new orders for git are set aside."""
        return await _to_its_end(self._end, holding)

    def _read_only(self, folder: Path) -> Confines:
        return self._confines(folder, self._hide(), read_only=True)

    def _hold(self, command: str, folder: Path, sandbox: Sandbox) -> Held:
        if self._rules.leftovers is not None:
            self._rules.leftovers.sweep()
        found = self._walk.find()
        writes_git = may_write_git(command)
        dot_gits = [path for path in found.paths if path.name == GIT] if writes_git else []
        git = hold_repositories(dot_gits, self._roots, folder)
        hiding = self._hide()
        places = [Leftover("place", str(path)) for path in found.absent if not (writes_git and path.name == GIT)]
        places = [each for each in (*places, *git.absent) if not self._is_hidden(Path(each.path), hiding)]
        places += hiding.absent
        confines = replace(
            self._confines(folder, hiding),
            writable=tuple(git.writable),
            protected=self._seen(hiding, *(path for path in found.paths if path not in dot_gits), *git.protected),
            absent=tuple(Path(each.path) for each in places),
            pinned=self._seen(hiding, *git.pinned, *self._dotted_above(found.paths)) + hiding.pinned,
        )
        warnings = tuple(_warnings(found, git, self._walk.unseen(), writes_git=writes_git))
        return Held("none" if writes_git else "roots", sandbox, confines, found, git, tuple(places), warnings)

    def _begin(self, held: Held) -> Holding:
        if held.confines is None or held.found is None or held.sandbox is None:
            return Holding(held)
        watched = self._walk.watch().paths
        dot_gits = (path for path in (*held.found.paths, *watched) if path.name == GIT)
        begun = Holding(held, None, watched, identities(dot_gits, held.git.known), rebase_orders(held.git.known))
        if not held.sandbox.needs_places:
            return begun
        record = self._make_places(held)
        there = tuple(path for path in held.confines.absent if os.path.lexists(path))
        return replace(begun, record=record, held=replace(held, confines=replace(held.confines, absent=there)))

    def _make_places(self, held: Held) -> Record:
        assert held.confines is not None
        try:
            return self._leftovers().begin(held.places, (*held.confines.protected, *held.confines.pinned))
        except OSError as error:
            raise ToolError(
                f"The command was not started: what keeps it from protected files could not be noted in Steersman's "
                f"state folder ({error.strerror or error}). Tell the person."
            ) from None

    def _end(self, holding: Holding) -> News:
        if holding.record is not None:
            holding.record.end()
        before = holding.held.found
        if before is None:
            return News()
        now = self._walk.find()
        others = self._leftovers().places()
        made = [path for path, identity in now.paths.items() if before.paths.get(path) != identity]
        made = [path for path in made if path not in others]
        made += (path for path, sign in self._walk.watch().paths.items() if holding.watched.get(path) != sign)
        known = holding.held.git.known
        new = [path for path in made if path.name == GIT]
        heads = [path for path in made if path.name == HEAD]
        there = [path for path in before.paths if path.name == GIT and path not in made]
        set_aside = disarm(new, known, holding.known, within=self._roots, but_in=(*known, *there))
        set_aside += disarm_bare(heads, but_in=(*known, *there))
        made += (path for path, text in rebase_orders(known).items() if holding.rebases.get(path) != text)
        alone, crowds = self._walk.crowded(made)
        return News(alone, set_aside, crowds)

    def _leftovers(self) -> LeftoverStore:
        return self._rules.leftovers or LeftoverStore(self._scratch.folder() / "places", None)

    def _confines(self, folder: Path, hiding: Hiding, *, read_only: bool = False) -> Confines:
        return Confines(
            roots=self._roots,
            folder=folder,
            home=self._rules.home,
            read_only=read_only,
            network=self._rules.network,
            hidden=hiding.paths,
            scratch=self._scratch.folder(),
        )

    def _hide(self) -> Hiding:
        """Return what is not to be seen: always Steersman's own; without the network also keys, of no use then."""
        return hide(self._rules.hidden, self._rules.home, self._roots, keys=not self._rules.network)

    def _seen(self, hiding: Hiding, *paths: Path) -> tuple[Path, ...]:
        return tuple(path for path in dict.fromkeys(paths) if not self._is_hidden(path, hiding))

    def _is_hidden(self, path: Path, hiding: Hiding) -> bool:
        return is_hidden(path, hiding.paths, self._roots)

    def _dotted_above(self, paths: Iterable[Path]) -> Iterator[Path]:
        """Yield folders like ``.github`` around what is protected: nobody has to rename those."""
        for path in paths:
            for above in path.parents:
                if not above.name.startswith(".") or above in self._roots:
                    break
                yield above


async def _to_its_end(work: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs) -> Result:
    """Work in a thread. Whoever is cancelled meanwhile waits all the same: what was made has to be removed."""
    working = asyncio.ensure_future(asyncio.to_thread(work, *args, **kwargs))
    try:
        return await asyncio.shield(working)
    except asyncio.CancelledError:
        await asyncio.wait({working})
        raise


def _warnings(found: ProtectedFound, git: GitHold, unseen: Sequence[Path], *, writes_git: bool) -> Iterator[str]:
    if writes_git:
        yield "It may change the repository in .git, but not its hooks and configuration."
    if not git.is_whole:
        yield "Some repositories stay as they are: there are links in them, or there are too many."
    if not found.is_complete:
        yield "The folders are too large to keep every protected file in them read-only."
    if unseen:
        names = ", ".join(dict.fromkeys(path.name for path in unseen))
        yield f"Protected files in {names} are neither kept nor watched: there are too many files."


def may_write_git(command: str) -> bool:
    """Whether a command line calls a git command that changes the repository, as far as words can tell.

    Such a command is held all the same, but nobody may claim that ``.git`` is safe from it.
    """
    reads = _GIT_READS.split()
    return any(match[1] not in reads for match in _GIT.finditer(command))
