"""Which proxy the environment names for an address, and for which addresses it names none (DESIGN M6)."""

from __future__ import annotations

import ipaddress
import sys
from collections.abc import Mapping
from urllib.parse import urlsplit

from steersman.models.endpoint import is_loopback
from steersman.models.http_address import DEFAULT_PORTS


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the address of the proxy to use for a URL, or None: none is set, or none for this host."""
    if is_loopback(url):
        return None
    if sys.platform not in {"win32", "darwin"} and not any(name.lower().endswith("_proxy") for name in environ):
        return None  # those two systems keep their proxies elsewhere too
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - brings a whole HTTP library

    parts, proxies = urlsplit(url), getproxies()
    proxy = (proxies.get(parts.scheme.lower()) or proxies.get("all") or "").strip()
    host, port = parts.hostname or "", parts.port or DEFAULT_PORTS.get(parts.scheme, 0)
    if not proxy or is_exempt(host, port, proxies.get("no", "")) or proxy_bypass(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def is_exempt(host: str, port: int, no_proxy: str) -> bool:
    """Whether ``NO_PROXY`` names a host.

    There is no standard; what the usual programs read is read here: ``*``; a name, which stands for what is below it,
    too, with or without ``.`` or ``*.`` before it; an address or a network (``10.0.0.0/8``); any of these with a port
    or with a scheme before it.
    """
    name = host.rstrip(".").lower()
    entries = (entry.strip().lower() for entry in no_proxy.split(","))
    return any(_names(entry.partition("://")[2] or entry, name, port) for entry in entries if entry)


def _names(entry: str, host: str, port: int) -> bool:
    if entry == "*":
        return True
    try:
        network = ipaddress.ip_network(entry[1:-1] if entry[0] + entry[-1] == "[]" else entry, strict=False)
    except ValueError:
        return _names_host(entry, host, port)
    address = _address(host)
    return address is not None and address in network


def _names_host(entry: str, host: str, port: int) -> bool:
    before, _, behind = entry.rpartition(":")
    if before and behind.isdecimal():
        return int(behind) == port and _names(before, host, port)
    name = entry.removeprefix("*").strip(".")
    is_below = host.endswith(f".{name}") and _address(host) is None
    return bool(name) and (host == name or is_below)


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
