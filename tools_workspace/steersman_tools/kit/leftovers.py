"""What would outlive this process if it were killed, noted before it is made, so that whoever comes next removes it.

Each record is a file that its owner keeps locked. A record without its lock is a dead owner's: what it names is removed
if it still is what was made (DESIGN S4, W10). Owners that share a place count: it goes with the last of them. Commands
never see these records; everything here blocks.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import secrets
import stat
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias, cast

TryLock: TypeAlias = Callable[[int], bool]
"""Locks an open file until it is closed; False when somebody else has it. May raise ``OSError``."""

StoreMaker: TypeAlias = "Callable[[], LeftoverStore]"
"""Gives the store where things are noted, when something is."""

Kind: TypeAlias = Literal["place", "scratch", "temporary", "aside"]

_KINDS = frozenset({"place", "scratch", "temporary", "aside"})
_SUFFIX = ".record"
_LOCK = "lock"
_NOBODY_MAY = frozenset({errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR})
_LOOK_S = 0.005
_LOOKS = 2000
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0)
SCRATCH_PREFIX = "steersman-"
"""What the names of scratch folders begin with; nothing else is ever removed with all that is in it."""


@dataclass(frozen=True, slots=True)
class Leftover:
    """Something that is to be removed.

    Attributes:
        kind: ``place`` an empty folder or file that keeps a path away, ``scratch`` a folder with all that is in it,
            ``temporary`` a file, ``aside`` a file that gets its name back unless that is taken.
        path: absolute path.
        text: of a ``place`` that is a file its content, of what is ``aside`` its name before; otherwise None.
    """

    kind: Kind
    path: str
    text: str | None = None

    def is_untouched(self) -> bool:
        """Whether a place still is as empty as it was made."""
        try:
            if self.text is None:
                with os.scandir(self.path) as entries:
                    return not Path(self.path).is_symlink() and next(entries, None) is None
            return Path(self.path).lstat().st_size == len(self.text) and Path(self.path).read_text() == self.text
        except (OSError, ValueError):
            return False

    def make(self) -> None:
        """Make a place. Where nobody may write, nobody has to be kept away, and there is none.

        Raises:
            OSError: it could be made by others, and not by us now: the disk is full, say.
        """
        try:
            if self.text is None:
                Path(self.path).mkdir()
            else:
                self._make_file(self.text)
        except OSError as error:
            if error.errno not in _NOBODY_MAY and not os.path.lexists(self.path):
                raise

    def _make_file(self, text: str) -> None:
        """Make it with its content at once: an empty file may mean something else to whoever reads it meanwhile."""
        beside = Path(f"{self.path}.{SCRATCH_PREFIX}{secrets.token_hex(4)}")
        try:
            with beside.open("x") as file:
                file.write(text)
            try:
                os.link(beside, self.path)
            except OSError:  # a file system without links, or somebody was quicker
                if os.path.lexists(self.path):
                    raise
                beside.rename(self.path)
        finally:
            beside.unlink(missing_ok=True)

    def remove(self) -> None:
        """Remove it, if it still is what it was."""
        with contextlib.suppress(OSError):
            if self.kind == "place" and self.is_untouched():
                Path(self.path).unlink() if self.text is not None else Path(self.path).rmdir()
            elif self.kind == "scratch" and Path(self.path).name.startswith(SCRATCH_PREFIX):
                import shutil  # noqa: PLC0415 - every change loads this module, and few need that

                shutil.rmtree(self.path, ignore_errors=True)
            elif self.kind == "temporary":
                Path(self.path).unlink()
            elif self.kind == "aside" and self.text is not None:
                _give_back(Path(self.path), Path(self.text))


class Record:
    """What one owner has made, locked as long as it lives."""

    def __init__(self, store: LeftoverStore, file: Path, descriptor: int, leftovers: tuple[Leftover, ...]) -> None:
        self._store = store
        self._file = file
        self._descriptor = descriptor
        self.leftovers = leftovers

    def forget(self) -> None:
        """All of it is where it belongs: nothing is to be removed. Never raises."""
        with contextlib.suppress(OSError):
            self._file.unlink(missing_ok=True)
        os.close(self._descriptor)

    def end(self) -> None:
        """Remove what is left, except the places that others hold as well; then forget it. Never raises."""
        for each in self.leftovers:
            if each.kind == "scratch":  # may take long, and nobody has to wait for it
                each.remove()
        with contextlib.suppress(OSError), self._store.alone(but=self._file) as others:
            _remove(self.leftovers, others)
            self._file.unlink(missing_ok=True)
        os.close(self._descriptor)


class LeftoverStore:
    """The records of all processes that share a folder.

    Args:
        folder: where the records are; made when needed.
        try_lock: the system's lock on a file; None where no other process uses the folder.
        token: gives names.
        pause: waits that many seconds for another process.
    """

    def __init__(
        self,
        folder: Path,
        try_lock: TryLock | None,
        *,
        token: Callable[[], str] = lambda: secrets.token_hex(8),
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._folder = folder
        self._try_lock = try_lock
        self._token = token
        self._pause = pause

    def begin(self, wanted: Iterable[Leftover], shared: Iterable[Path] = ()) -> Record:
        """Note what will be made, and make the places of it. First remove what dead owners left.

        Args:
            wanted: places that are there already become ours too only if another owner made them.
            shared: paths that are there, and may be places of others: then they are ours as well.

        Raises:
            OSError: it cannot be noted, or a place cannot be made; nothing is there.
        """
        asked = {str(path) for path in shared}
        with self.alone() as others:
            theirs = {each.path: each for each in others if each.kind == "place"}
            noted = [each for each in wanted if each.path in theirs or not os.path.lexists(each.path)]
            noted += (theirs[path] for path in sorted(asked & theirs.keys() - {each.path for each in noted}))
            file = self._folder / f"{self._token()}{_SUFFIX}"
            descriptor = os.open(file, _FLAGS | os.O_EXCL, 0o600)
            try:
                self._lock(descriptor)
                os.write(descriptor, _written(noted))
            except BaseException:
                os.close(descriptor)
                file.unlink(missing_ok=True)
                raise
            try:
                for each in noted:
                    if each.kind == "place":
                        each.make()
            except BaseException:
                _remove(noted, others)
                file.unlink(missing_ok=True)
                os.close(descriptor)
                raise
        return Record(self, file, descriptor, tuple(noted))

    def sweep(self) -> None:
        """Remove what dead owners left, whole scratch folders too. Never raises."""
        if not self._folder.is_dir():
            return
        adopted: list[tuple[Path, int]] = []
        with contextlib.suppress(OSError), self.alone():
            for file in self._folder.glob(f"*{_SUFFIX}"):  # all that are dead still: those with scratch folders
                descriptor = self._take(file)
                if descriptor is not None:
                    adopted.append((file, descriptor))
        for file, descriptor in adopted:  # nobody has to wait for this, and nobody else does it
            _remove(_read(file), ())
            file.unlink(missing_ok=True)
            os.close(descriptor)

    def is_usable(self) -> bool:
        """Whether anything can be noted and locked there."""
        try:
            with self.alone():
                return True
        except OSError:
            return False

    def places(self) -> frozenset[Path]:
        """Return the places that owners keep now."""
        try:
            with self.alone() as others:
                return frozenset(Path(each.path) for each in others if each.kind == "place" and each.is_untouched())
        except OSError:
            return frozenset()

    @contextlib.contextmanager
    def alone(self, *, but: Path | None = None) -> Generator[list[Leftover]]:
        """Keep all other owners waiting; yield what living ones have noted, having removed what dead ones left.

        Args:
            but: a record that is not counted.

        Raises:
            OSError: nothing can be noted or locked there, or somebody else does not come to an end.
        """
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor = os.open(self._folder / _LOCK, _FLAGS, 0o600)
        try:
            for _ in range(_LOOKS):
                if self._lock(descriptor):
                    break
                self._pause(_LOOK_S)
            else:
                raise TimeoutError(errno.ETIMEDOUT, "another process keeps it locked", str(self._folder / _LOCK))
            yield self._living(but)
        finally:
            os.close(descriptor)

    def _living(self, but: Path | None) -> list[Leftover]:
        living: list[Leftover] = []
        dead: list[tuple[Path, list[Leftover]]] = []
        for file in sorted(self._folder.glob(f"*{_SUFFIX}")):
            if file == but:
                continue
            noted = _read(file)
            if self._is_held(file):
                living += noted
            else:
                dead.append((file, noted))
        for file, noted in dead:
            _remove([each for each in noted if each.kind != "scratch"], living)
            if all(each.kind != "scratch" for each in noted):
                file.unlink(missing_ok=True)
        return living

    def _lock(self, descriptor: int) -> bool:
        return self._try_lock is None or self._try_lock(descriptor)

    def _is_held(self, file: Path) -> bool:
        descriptor = self._take(file)
        if descriptor is None:
            return True
        os.close(descriptor)
        return False

    def _take(self, file: Path) -> int | None:
        """Return a dead owner's record, open and locked; None when its owner lives, or it is not ours to judge."""
        if self._try_lock is None:
            return None
        descriptor: int | None = None
        try:
            descriptor = os.open(file, os.O_RDWR | getattr(os, "O_CLOEXEC", 0))
            if self._try_lock(descriptor):
                return descriptor
        except OSError:
            pass
        if descriptor is not None:
            os.close(descriptor)
        return None


def note(stores: StoreMaker | None, leftovers: Sequence[Leftover]) -> Record | None:
    """Note files that are there for a moment. None where nothing can be noted: a change does not fail for that."""
    if stores is None or not leftovers:
        return None
    try:
        return stores().begin(leftovers)
    except OSError:
        return None


def sweep(stores: StoreMaker | None) -> None:
    """Remove what dead owners left, whole scratch folders too. Never raises."""
    if stores is not None:
        with contextlib.suppress(OSError):
            stores().sweep()


def usable_store(folder: Path, try_lock: TryLock) -> LeftoverStore:
    """Return the store in a folder; where nothing can be noted, one that the user's processes share all the same.

    A run goes on without its state folder, so its commands have to be held without it as well.
    """
    import getpass  # noqa: PLC0415 - likewise
    import tempfile  # noqa: PLC0415 - likewise

    wanted = LeftoverStore(folder, try_lock)
    if wanted.is_usable():
        return wanted
    try:
        own = str(os.getuid()) if hasattr(os, "getuid") else getpass.getuser()
        instead = Path(tempfile.gettempdir()) / f"steersman-leftovers-{own}"
        instead.mkdir(mode=0o700, exist_ok=True)
        status = instead.lstat()
    except OSError:
        return wanted
    if not stat.S_ISDIR(status.st_mode) or (hasattr(os, "getuid") and status.st_uid != os.getuid()):
        return wanted  # somebody else's: nothing can be noted there safely
    return LeftoverStore(instead, try_lock)


def _remove(noted: Sequence[Leftover], living: Sequence[Leftover]) -> None:
    """Remove it, what lies deeper first; but no place that somebody who lives holds too."""
    held = {each.path for each in living if each.kind == "place"}
    for each in sorted(noted, key=lambda each: -len(Path(each.path).parts)):
        if each.kind != "place" or each.path not in held:
            each.remove()


def _give_back(aside: Path, name: Path) -> None:
    if os.path.lexists(name):
        aside.unlink()  # something else has the name by now; a checkpoint has kept what this held
    else:
        aside.rename(name)


def _written(noted: Sequence[Leftover]) -> bytes:
    return "".join(f"{json.dumps([each.kind, each.path, each.text])}\n" for each in noted).encode("ascii")


def _read(file: Path) -> list[Leftover]:
    """Return what a record names; what is no sense (a half-written line) was not made yet."""
    try:
        lines = file.read_text(encoding="ascii").split("\n")
    except (OSError, ValueError):
        return []
    return [found for line in lines if (found := _parsed(line)) is not None]


def _parsed(line: str) -> Leftover | None:
    try:
        kind, path, text = cast("list[object]", json.loads(line))
    except (ValueError, TypeError):
        return None
    if kind not in _KINDS or not isinstance(path, str) or not (text is None or isinstance(text, str)):
        return None
    return Leftover(cast("Kind", kind), path, text) if Path(path).is_absolute() else None
