"""Finds text that looks like a secret, so that an export does not carry it away (issue "Conversations that survive").

Keys of known forms, private keys, passwords in addresses, and values that are assigned to something named like a
secret. It errs a little on the side of masking; it is no proof that nothing secret is left, and nobody may say so.
Every pattern begins with plain text and repeats within bounds, so that megabytes of anything take no time.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, cast

Mask: TypeAlias = Callable[[str], str]
"""``mask_secrets`` or ``mask_nothing``."""

_BEGIN = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_END = re.compile(r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----")
_KEY_BODY = re.compile(r"[A-Za-z0-9+/=\s\\:,-]{0,20000}")
_MAX_KEY_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class _Form:
    """A known form of secret. ``hints``: one of these plain texts stands in every secret of the form."""

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]


def _form(name: str, hints: str, pattern: str) -> _Form:
    return _Form(name, tuple(hints.split()), re.compile(rf"(?<![A-Za-z0-9_-])(?:{pattern})"))


_FORMS = (
    _form("private key", "PuTTY-User-Key", r"PuTTY-User-Key-File-\d:[^\"']{0,20000}?Private-MAC: ?[0-9a-f]{1,128}"),
    _form("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[A-Z0-9]{20,80}"),
    _form("Anthropic key", "sk-ant-", r"sk-ant-[A-Za-z0-9_-]{16,256}"),
    _form("OpenRouter key", "sk-or-", r"sk-or-[A-Za-z0-9_-]{16,256}"),
    _form("OpenAI key", "sk-", r"sk-(?=[A-Za-z_-]{0,256}[0-9])[A-Za-z0-9_-]{20,256}"),
    _form("Stripe key", "k_live_ k_test_", r"[spr]k_(?:live|test)_[A-Za-z0-9]{10,256}"),
    _form("AWS key", "AKIA ASIA AGPA AROA AIDA ANPA", r"A(?:KIA|SIA|GPA|ROA|IDA|NPA)[A-Z0-9]{16}\b"),
    _form("GitHub token", "ghp_ gho_ ghu_ ghs_ ghr_", r"gh[pousr]_[A-Za-z0-9]{30,256}"),
    _form("GitHub token", "github_pat_", r"github_pat_[A-Za-z0-9_]{22,256}"),
    _form("GitLab token", "gl", r"gl(?:pat|ptt|dt|rt|soat|cbt|imt|agent)-[A-Za-z0-9_.-]{20,256}"),
    _form("Slack token", "xox", r"xox[abeoprs]-[A-Za-z0-9-]{10,256}"),
    _form("Slack token", "xapp-", r"xapp-\d-[A-Za-z0-9-]{10,256}"),
    _form("Slack address", "hooks.slack", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9/+_-]{20,256}"),
    _form("Google key", "AIza", r"AIza[A-Za-z0-9_-]{35}"),
    _form("Google secret", "GOCSPX-", r"GOCSPX-[A-Za-z0-9_-]{20,256}"),
    _form("Google token", "ya29.", r"ya29\.[A-Za-z0-9_-]{20,512}"),
    _form("Hugging Face token", "hf_", r"hf_[A-Za-z0-9]{30,256}"),
    _form("npm token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    _form("PyPI token", "pypi-", r"pypi-[A-Za-z0-9_-]{50,512}"),
    _form("Docker token", "dckr_", r"dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,256}"),
    _form("DigitalOcean token", "_v1_", r"do[opr]_v1_[a-f0-9]{64}"),
    _form("SendGrid key", "SG.", r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}"),
    _form("Twilio key", "SK", r"SK[0-9a-f]{32}\b"),
    _form("Telegram token", ":AA", r"\d{8,10}:AA[A-Za-z0-9_-]{33}"),
    _form("Groq key", "gsk_", r"gsk_[A-Za-z0-9]{40,256}"),
    _form("xAI key", "xai-", r"xai-[A-Za-z0-9]{40,256}"),
    _form("Replicate token", "r8_", r"r8_[A-Za-z0-9]{30,256}"),
    _form("Vault token", "hvs. hvb. hvr.", r"hv[sbr]\.[A-Za-z0-9_-]{24,512}"),
    _form("Shopify token", "shpat_ shpca_ shppa_ shpss_", r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}"),
    _form("Sentry token", "sntrys_", r"sntrys_[A-Za-z0-9+/=_-]{30,512}"),
    _form("Linear key", "lin_", r"lin_(?:api|oauth)_[A-Za-z0-9]{30,256}"),
    _form("Databricks token", "dapi", r"dapi[a-f0-9]{32}"),
    _form("signed token", "eyJ", r"eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}"),
)

_NAMES = (
    "apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "private_key", "privatekey", "secret",
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
    for form in _FORMS:
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
