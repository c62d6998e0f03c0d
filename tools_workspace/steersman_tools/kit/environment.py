"""What a command finds in its environment: the person's, without secrets, and nothing that waits for a person (W10)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

_WORDS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_SECRET_WORDS = frozenset(
    {"key", "keys", "token", "tokens", "pass", "pat", "pwd", "auth", "bearer", "jwt", "cookie", "signature"}
)
_SECRET_PARTS = ("apikey", "secret", "password", "passwd", "passphrase", "credential", "privatekey", "accesskey")
_SECRET_ENDS = ("token", "key")
_HARMLESS = frozenset({"SSH_AUTH_SOCK", "PWD", "OLDPWD", "XAUTHORITY"})
_EDITOR_LINKS = re.compile(r"VSCODE_|NVIM\b|NVIM_LISTEN|INSIDE_EMACS|(?:GIT|SSH|SUDO)_ASKPASS", re.IGNORECASE)
_CHANGES_WORDS = frozenset({"CDPATH", "GLOBIGNORE"})
"""Would make ``cd`` or a glob mean something else than the words that a person approved."""

_MIN_SECRET_CHARS = 8

UNATTENDED: Mapping[str, str] = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_EDITOR": ":",
    "DEBIAN_FRONTEND": "noninteractive",
    "PYTHONUNBUFFERED": "1",
}
"""What keeps programs from colouring, paging, opening an editor and asking."""


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name is likely to hold a key, a token or a password."""
    if name.upper() in _HARMLESS:
        return False
    words = {word.lower() for part in name.split("_") for word in [part, *_WORDS.findall(part)]}
    joined = re.sub(r"[^a-z]", "", name.lower())
    return (
        bool(words & _SECRET_WORDS)
        or any(part in joined for part in _SECRET_PARTS)
        or name.lower().rstrip("0123456789_").endswith(_SECRET_ENDS)
    )


def command_environment(environ: Mapping[str, str], secret_names: Iterable[str] = ()) -> dict[str, str]:
    """Return the environment for a command.

    Args:
        environ: the server's own.
        secret_names: variables that hold the server's keys, whatever they are called. Another variable that holds the
            same value goes as well. So does what lets a program talk to the editor, or ask the person through it.
    """
    named = {name.upper() for name in secret_names}
    keys = {value for name, value in environ.items() if name.upper() in named and len(value) >= _MIN_SECRET_CHARS}
    kept = {
        name: value
        for name, value in environ.items()
        if name.upper() not in named
        and not is_secret_name(name)
        and not _EDITOR_LINKS.match(name)
        and name.upper() not in _CHANGES_WORDS
        and not any(key in value for key in keys)
    }
    return {**kept, **UNATTENDED}
