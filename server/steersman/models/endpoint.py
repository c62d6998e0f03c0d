"""Where a model is reached and with what, as far as messages for people and requests need it."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from urllib.parse import quote, urlsplit, urlunsplit

from steersman.agent.errors import AuthenticationError


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One provider's address and key.

    Attributes:
        provider: its configured name.
        base_url: address up to the version, such as ``https://api.openai.com/v1``; a query string is kept, and
            ``{model}`` in it is replaced.
        model: the provider's own name of the model.
        key: the secret, or None. Never shown: not in ``repr``, not in errors.
        key_source: where the key came from or would come from, such as ``OPENAI_API_KEY``; "" when none is wanted.
        key_header: header that carries the key; ``authorization`` takes it as a bearer token, others as it is.
        key_command: program and arguments that print the key, or None; run before the first request.
        headers: more headers, as configured.
    """

    provider: str
    base_url: str
    model: str
    key: str | None = field(default=None, repr=False)
    key_source: str = ""
    key_header: str = "authorization"
    key_command: tuple[str, ...] | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)

    def with_key(self, key: str, source: str) -> Endpoint:
        """Return the endpoint with this key.

        Raises:
            AuthenticationError: it holds characters that no key has, such as line breaks.
        """
        if not key.isascii() or not key.isprintable() or " " in key:
            raise AuthenticationError(
                f"What {source} holds cannot be a key: it has spaces, line breaks or other odd characters in it.",
                hint=f"Set {source} to the key alone.",
            )
        return replace(self, key=key, key_source=source)

    def request_headers(self) -> dict[str, str]:
        """Return the configured headers and the one with the key."""
        headers = {name.lower(): value for name, value in self.headers.items()}
        if self.key is not None:
            bearer = self.key_header.lower() == "authorization"
            headers.setdefault(self.key_header.lower(), f"Bearer {self.key}" if bearer else self.key)
        return headers

    @property
    def full_model(self) -> str:
        """``provider/model``."""
        return f"{self.provider}/{self.model}"

    @property
    def is_loopback(self) -> bool:
        """Whether the address is this machine."""
        return is_loopback(self.base_url)

    def url(self, path: str) -> str:
        """Return the address of ``path`` below the base; a base that already ends in it is taken as it is."""
        parts = urlsplit(self.base_url.replace("{model}", quote(self.model, "/:@+,;=~")))
        base = parts.path.rstrip("/")
        if path.startswith("/v1/"):
            base = base.removesuffix("/v1")
        return urlunsplit(parts._replace(path=base if base.endswith(path) else base + path))

    @property
    def origin(self) -> str:
        """Scheme, host and port, for messages: no path, no query, no user name."""
        parts = urlsplit(self.base_url)
        host = f"[{parts.hostname}]" if parts.hostname and ":" in parts.hostname else parts.hostname or ""
        return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port else "")

    @property
    def shown_url(self) -> str:
        """The address for messages, with its path."""
        return self.origin + urlsplit(self.base_url).path


def is_loopback(url: str) -> bool:
    """Whether the URL's host is this machine: ``localhost``, its subdomains, 127.0.0.0/8, ::1, and 0.0.0.0."""
    host = (urlsplit(url).hostname or "").rstrip(".").lower()
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return address.is_loopback or address.is_unspecified or (mapped is not None and mapped.is_loopback)
