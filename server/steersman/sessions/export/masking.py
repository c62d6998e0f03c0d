"""Finds text that looks like a secret, so that an export does not carry it away (issue "Conversations that survive").

Keys of known forms, private keys, passwords in addresses, and values that are assigned to something named like a
secret. It errs a little on the side of masking; it is no proof that nothing secret is left, and nobody may say so.
Every pattern begins with plain text and repeats within bounds, so that megabytes of anything take no time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TypeAlias, cast

from steersman.sessions.export.secret_forms import FORMS

Mask: TypeAlias = Callable[[str], str]
"""``mask_secrets`` or ``mask_nothing``."""

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/=\s\\:,-]{0,20000}")
_MAX_KEY_CHARS = 20_000


_NAMES = (
    "apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "accountkey", "account_key",
    "private_key", "privatekey", "secret",
    "token", "passwd", "password", "passphrase", "credential", "auth",
)  # fmt: skip
"""What something is named that holds a secret; such a word may stand in a longer name."""

_ASSIGNED = re.compile(
    rf"""(?ix)
    (?P<name> (?:{"|".join(_NAMES)}) [\w.-]{{0,40}}+ )
    (?P<between> (?:\\?["'])? \s{{0,8}}+ (?:=>|:=|[:=]) \s{{0,8}}+ )
    (?P<quote> \\?["'] )?
    (?P<value> (?(quote) [^"'\\\n]{{6,512}} | [^\s"'`,;(){{}}\[\]<>\\]{{8,512}} ) )
    """
)
"""``password = "…"``, ``"api_key": "…"``, ``API_TOKEN=…``; also inside JSON that stands in a string."""

_HEADER = re.compile(
    r"(?i)(authorization\\?[\"']?\s{0,8}[:=]\s{0,8}\\?[\"']?(?:bearer|basic|token|digest)\s{1,8})[A-Za-z0-9+/=._~:-]{8,4096}"
)
_ADDRESS = re.compile(r"(://[^\s/@:\"'<>]{1,100}:)([^\s/@\"'<>]{1,200})(?=@)")
"""``scheme://user:password@host``."""

_PLACEHOLDER = re.compile(
    r"(?i)(?:x+|\*+|\.+|…+|<.*>|\$\{?\w+\}?|%\w+%|your[_-].*|changeme|example.*|none|null|true|false)"
)


def mask_secrets(text: str) -> str:
    """Return the text with what looks like a secret replaced by ``[masked: what it looks like]``."""
    text = _mask_private_keys(text)
    for form in FORMS:
        if any(hint in text for hint in form.hints):
            text = form.pattern.sub(f"[masked: {form.name}]", text)
    lowered = text.lower()
    if "authorization" in lowered:
        text = _HEADER.sub(lambda match: f"{match[1]}[masked: credentials]", text)
    if "://" in text:
        text = _ADDRESS.sub(lambda match: f"{match[1]}[masked: password]", text)
    if any(name in lowered for name in _NAMES):
        text = _ASSIGNED.sub(_mask_assigned, text)
    return text


def mask_nothing(text: str) -> str:
    """Return the text as it is."""
    return text


def mask_json(text: str, mask: Mask) -> str:
    """Return a call's arguments masked: as text, and as what the JSON says, however it is escaped there."""
    if mask is mask_nothing:
        return text
    try:
        value: object = json.loads(text)
        masked = mask_values(value, mask)
    except (ValueError, RecursionError):
        return mask(text)  # no JSON, or none that can be told
    return mask(text if masked == value else json.dumps(masked, ensure_ascii=False))


def mask_values(value: object, mask: Mask) -> object:
    """Return the JSON value with every text in it masked, keys included."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        items = cast("dict[str, object]", value).items()
        return {mask(key): mask_values(item, mask) for key, item in items}
    if isinstance(value, list):
        return [mask_values(item, mask) for item in cast("list[object]", value)]
    return value


def _mask_private_keys(text: str) -> str:
    """Mask from each BEGIN to its END; where there is none (cut off), as far as it looks like a key."""
    pieces: list[str] = []
    position = 0
    begin = _BEGIN.search(text)
    while begin is not None:
        limit = begin.end() + _MAX_KEY_CHARS
        quote = min((at for sign in "\"'" if (at := text.find(sign, begin.end(), limit)) >= 0), default=limit)
        end = _END.search(text, begin.end(), quote) or _KEY_BODY.match(text, begin.end())
        assert end is not None
        pieces += [text[position : begin.start()], "[masked: private key]"]
        position = end.end()
        begin = _BEGIN.search(text, position)
    return "".join([*pieces, text[position:]])


def _mask_assigned(match: re.Match[str]) -> str:
    value, quote = match["value"], match["quote"] or ""
    if _PLACEHOLDER.fullmatch(value) or "[masked" in value:
        return match[0]
    if not (_is_setting(match) or _looks_secret(value, is_quoted=bool(quote))):
        return match[0]
    return f"{match['name']}{match['between']}{quote}[masked: secret]"


def _looks_secret(value: str, *, is_quoted: bool) -> bool:
    """Tell a secret from code that only deals with one: names and calls have no digits among their letters."""
    has_both = any(char.isdigit() for char in value) and any(char.isalpha() for char in value)
    if is_quoted:
        return has_both or not value.translate(_NO_JOINTS).isalpha()
    return has_both and len(value) >= 16 and "." not in value


_NO_JOINTS = str.maketrans("", "", "_- .")


def _is_setting(match: re.Match[str]) -> bool:
    """Say whether it is a line of a settings file, such as ``export DB_PASSWORD=…``."""
    earliest = max(0, match.start() - 200)
    start = max(earliest, match.string.rfind("\n", earliest, match.start()) + 1)
    before, name = match.string[start : match.start()], match["name"]
    words = before.split()
    own = words.pop() if words and not before[-1].isspace() else ""
    return match["between"] == "=" and (own + name).isupper() and words in ([], ["export"], ["set"], ["ENV"], ["-e"])
