"""How much of a tree a glob needs to be looked at (DESIGN W9). Pure.

Listing is quick where little has to be listed: only below a folder that the glob names, only so deep, only files whose
names fit. What is left out here cannot match; what is let in need not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from steersman_tools.kit.globs import Glob, alternatives_of, compile_glob
from steersman_tools.kit.ignore import IGNORE_FILE

# What ripgrep reads as we do. Its "?" is a byte and ours a character, so that becomes a star: rather too many names.
_PLAIN_NAME = re.compile(r"[\w.*?+@~%=-]+(?<!\.)", re.ASCII)
_SET_WITH_SLASH = re.compile(r"\[[^\]]*/")
_GLOBS_KEPT = 64
_SPECIAL = re.compile(r"[*?\[\]{}\\]")


@dataclass(frozen=True, slots=True)
class Narrowing:
    """Where to look, and for what.

    Attributes:
        folder: where all that match lie, below the folder that is looked through, with "/"; empty for that itself.
        names: patterns of plain characters and stars, one of which fits the name of each that matches; empty for any.
        depth: how many parts the path of one that matches has at most, from the folder that is looked through; None
            for any number.
        is_exact: every file in ``folder``, so deep, with such a name matches.
        shapes: what the paths of those that match look like below ``folder``, in the syntax of ignore files; empty
            where the rest says as much.
    """

    folder: str = ""
    names: tuple[str, ...] = ()
    depth: int | None = None
    is_exact: bool = False
    shapes: tuple[str, ...] = ()

    @property
    def takes_ignore_files(self) -> bool:
        """Whether the names let ``.gitignore`` in."""
        return not self.names or any(compile_glob(name).matches(IGNORE_FILE) for name in self.names)


EVERYTHING = Narrowing()


@lru_cache(_GLOBS_KEPT)
def narrow(glob: Glob) -> Narrowing:
    """Return what has to be looked at for the files that match a glob."""
    folder, rest = _named_folder(glob.pattern)
    alternatives = [each.split("/") for each in alternatives_of(rest)]
    is_anchored = [bool(folder) or len(parts) > 1 for parts in alternatives]
    depths = [_depth(parts) if anchored else None for parts, anchored in zip(alternatives, is_anchored, strict=True)]
    names = ["*" if parts[-1] == "**" else parts[-1] for parts in alternatives]
    is_plain = all(_PLAIN_NAME.fullmatch(name) and "**" not in name for name in names)
    is_alike = is_plain and not any("?" in name for name in names)
    at_any_depth = all(depth is None for depth in depths) and all(set(parts[:-1]) <= {"**"} for parts in alternatives)
    is_told_by_names = at_any_depth or all(depth == 1 for depth in depths)
    known = [depth for depth in depths if depth is not None]
    shapes = [_shape(parts, is_anchored=each) for parts, each in zip(alternatives, is_anchored, strict=True)]
    return Narrowing(
        folder,
        _superset(names) if is_plain else (),
        max(known) + len(folder.split("/")) * bool(folder) if len(known) == len(depths) else None,
        is_exact=is_alike and is_told_by_names,
        shapes=() if is_told_by_names or "" in shapes else tuple(dict.fromkeys(shapes)),
    )


def _named_folder(pattern: str) -> tuple[str, str]:
    """Split off the parts at the beginning that are plain names, except the last part."""
    parts = pattern.split("/")
    count = 0
    while count < len(parts) - 1 and parts[count] not in {"", "."} and not _SPECIAL.search(parts[count]):
        count += 1
    return "/".join(parts[:count]), "/".join(parts[count:])


def _depth(parts: list[str]) -> int | None:
    return None if any("**" in part for part in parts) else len(parts)


def _superset(names: list[str]) -> tuple[str, ...]:
    plain = dict.fromkeys(re.sub(r"[*?]+", "*", name) for name in names)
    return () if "*" in plain else tuple(plain)


def _shape(parts: list[str], *, is_anchored: bool) -> str:
    """Return an ignore pattern for all paths that match and maybe others; empty when it would be for every path."""
    if _SET_WITH_SLASH.search("/".join(parts)):
        return ""
    shape = ["**" if "**" in part else re.sub(r"[*?]+", "*", part) for part in parts]
    shape = [part if _PLAIN_NAME.fullmatch(part) else "*" for part in shape]
    if set(shape) <= {"*", "**"} and (not is_anchored or "**" in shape):
        return ""
    return "/".join(shape if is_anchored else ["**", *shape])
