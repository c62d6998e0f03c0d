"""The one place where a provider's failure becomes an error for a person (DESIGN M5).

Every message says what happened, to what, and (in ``hint``) what to do next. It never holds a key: what a provider
says is cleaned before it is shown. Nothing here knows HTTP's library; ``http_errors`` translates its exceptions.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from steersman.agent.errors import (
    AuthenticationError,
    ContentFilterError,
    ContextOverflowError,
    ModelError,
    ModelNotFoundError,
    QuotaError,
    RateLimitedError,
    RejectedError,
    StreamBrokenError,
    UnavailableError,
)
from steersman.agent.messages import JsonValue
from steersman.models.endpoint import Endpoint
from steersman.models.json_values import as_count, as_object, as_text, parse_json

MAX_SHOWN = 600
_KEY_LIKE = r"\b(?:(?:sk|pk|gsk|xai|hf)[-_][\w*.…-]{8,}|AIza[\w*.…-]{8,}|bearer \S{8,})"
_CONTROL = r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]+"

_OVERFLOW = (
    r"context[ _](?:length|window|size|limit)|exceed_context_size|maximum context|prompt is too long|"
    r"input is too long|too many (?:input )?tokens|reduce the length|request too large|longer than the maximum|"
    r"exceeds? the (?:maximum|max) (?:number of )?(?:input )?tokens|input tokens exceed|prompt too long"
)
_QUOTA = (
    r"insufficient[ _](?:quota|balance|credits?|funds)|exceeded your current quota|credit balance|billing|"
    r"payment required|out of credits|quota exceeded|more credits"
)
_AUTH = (
    r"invalid[ _]api[ _]key|incorrect api key|authentication|unauthorized|invalid x-api-key|invalid_token|"
    r"api key not valid"
)
_FILTER = r"content[ _](?:filter|policy|management)|responsibleai|moderation|safety system"
_NO_MODEL = (
    r"model[ _]not[ _]found|(?:no such|unknown|invalid|unsupported) model|"
    r"model\b.{0,120}?(?:not found|does not exist|doesn't exist|not exist|is not a valid|not supported|no longer)|"
    r"not a valid model|no models? loaded|no endpoints found"
)
_OVERLOADED = r"overloaded|over capacity|temporarily unavailable|loading model|server_busy"
_BROKEN_TYPES = r"server_error|api_error|internal_error|internal server error|timeout|unavailable"
_RATE = r"rate[ _-]?limit|too many requests|resource_exhausted|throttl"


def _says(pattern: str, text: str) -> bool:
    """Whether the text has it, in any case; patterns are compiled when something has failed, not at each start."""
    return re.search(pattern, text, re.IGNORECASE | re.DOTALL) is not None


class LoadingError(UnavailableError):
    """The server is up and loads the model: worth a longer wait than another failure."""


class UnreachableError(UnavailableError):
    """No connection could be made at all."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a provider says about a failure, taken from whatever form it chose.

    Attributes:
        message: cleaned, at most ``MAX_SHOWN`` characters; "" when it says nothing.
        kind: its type and code in one text, for matching.
        payload: the inner error object.
    """

    message: str
    kind: str = ""
    payload: Mapping[str, JsonValue] | None = None

    @property
    def text(self) -> str:
        """All there is to match against."""
        return f"{self.kind} {self.message}"


def read_report(body: str, key: str | None) -> Report:
    """Read an error body: JSON in any of the usual forms, HTML (named as such, not shown), or plain text."""
    try:
        return report_of(parse_json(body), key)
    except ValueError:
        pass
    if re.match(r"\s*(?:<!doctype|<html|<\?xml|<head|<body)", body, re.IGNORECASE):
        title = re.search(r"<title[^>]*>(.*?)</title>", body[:20_000], re.IGNORECASE | re.DOTALL)
        shown = f" titled “{clean(title.group(1), key, 100)}”" if title and title.group(1).strip() else ""
        return Report(f"it answered with a web page{shown} instead of JSON", "html")
    return Report(clean(body, key))


def report_of(payload: JsonValue, key: str | None) -> Report:
    """Read an error object: OpenAI's, Anthropic's, Mistral's, FastAPI's, Google's list, or a bare string."""
    if isinstance(payload, list):
        payload = payload[0] if payload else None
    if isinstance(payload, str):
        return Report(clean(payload, key))
    outer = as_object(payload)
    inner = outer.get("error") or as_object(outer.get("response")).get("error") or outer
    if isinstance(inner, str):
        return Report(clean(inner, key), payload=outer)
    error = as_object(inner)
    message = error.get("message") or outer.get("message") or error.get("detail") or outer.get("detail")
    raw = as_text(as_object(error.get("metadata")).get("raw"))
    kinds = [error.get("type"), error.get("code"), error.get("status"), as_object(error.get("innererror")).get("code")]
    kind = " ".join(str(part) for part in kinds if isinstance(part, (str, int)) and part != "")
    text = _words(message) + (f" ({raw})" if raw and raw not in _words(message) else "")
    return Report(clean(text, key), kind, error)


def _words(message: JsonValue) -> str:
    if isinstance(message, list):  # FastAPI lists what is wrong with each field
        return "; ".join(as_text(as_object(item).get("msg")) or str(item) for item in message)
    if isinstance(message, dict):
        return as_text(message.get("message")) or str(message)
    return "" if message is None else str(message)


def clean(text: str, key: str | None, limit: int = MAX_SHOWN) -> str:
    """Make a provider's words fit to be shown: no key, no control characters, bounded."""
    if key:
        text = text.replace(key, "***")
    text = re.sub(_KEY_LIKE, "***", text, flags=re.IGNORECASE)
    text = re.sub(_CONTROL, " ", text).strip()
    return text if len(text) <= limit else text[: limit - 1] + "…"


def error_from_report(
    endpoint: Endpoint,
    status: int,
    report: Report,
    *,
    request_id: str | None = None,
    retry_after_s: float | None = None,
) -> ModelError:
    """Name the failure. ``status`` is the HTTP status, 200 for an error inside a stream."""
    code = as_count(as_object(dict(report.payload or {})).get("code"))
    effective = code if status < 400 and 400 <= code < 600 else status
    make = _Maker(endpoint, status, report, request_id, retry_after_s)
    return make.error(effective)


@dataclass(frozen=True, slots=True)
class _Maker:
    endpoint: Endpoint
    status: int
    report: Report
    request_id: str | None
    retry_after_s: float | None

    def error(self, status: int) -> ModelError:
        text, where = self.report.text, self.endpoint
        if status == 401 or (status in {403, 200, 400} and _says(_AUTH, text)):
            return self._authentication()
        if status == 402 or (status not in {401, 404} and _says(_QUOTA, text) and self.retry_after_s is None):
            return self._make(QuotaError, f"{where.provider} says that the account has nothing left", _QUOTA_HINT)
        if status == 413 or (status not in {401, 403, 404} and _says(_OVERFLOW, text)):
            return self._overflow()
        if status not in {429, 404} and status < 500 and _says(_FILTER, self.report.kind):
            return self._make(ContentFilterError, f"{where.provider} filtered the request", _FILTER_HINT)
        if status == 404 or (status < 500 and status != 429 and _says(_NO_MODEL, text)):
            return self._not_found()
        if status == 429 or (status < 400 and _says(_RATE, text)):
            return self._make(RateLimitedError, f"{where.provider} limits the rate of requests", _RATE_HINT)
        if status >= 500 or status in {408, 409} or _says(_OVERLOADED, text):
            return self._unavailable()
        if status < 400 and _says(_BROKEN_TYPES, text):
            return self._unavailable()
        if status == 403:
            return self._make(AuthenticationError, f"{where.provider} does not allow this", _FORBIDDEN_HINT)
        return self._make(RejectedError, f"{where.provider} refused the request", None)

    def _make(self, kind: type[ModelError], what: str, hint: str | None) -> ModelError:
        status = f" ({self.status})" if self.status >= 300 else ""
        said = f": {self.report.message}" if self.report.message else "."
        asked = f" [request {self.request_id}]" if self.request_id else ""
        return kind(
            f"{what}{status}{said}{asked}",
            hint=hint,
            request_id=self.request_id,
            status=self.status,
            retry_after_s=self.retry_after_s,
        )

    def _authentication(self) -> ModelError:
        where = self.endpoint
        if where.key is None:
            source = where.key_source or "a key"
            what, hint = f"{where.provider} wants a key and none is set", f"Set {source}, then try again."
        else:
            what = f"{where.provider} did not accept the key from {where.key_source or 'the configuration'}"
            hint = f"Check that the key is complete and belongs to {where.origin}."
        return self._make(AuthenticationError, what, hint)

    def _overflow(self) -> ModelError:
        asked, window = overflow_numbers(self.report)
        what = f"The conversation is too long for {self.endpoint.full_model}"
        if asked and window:
            what += f": {asked:,} tokens, and its window holds {window:,}"
        return self._make(ContextOverflowError, what, _OVERFLOW_HINT)

    def _not_found(self) -> ModelError:
        where = self.endpoint
        if _says(_NO_MODEL, self.report.text) or where.model.lower() in self.report.message.lower():
            pull = f"`ollama pull {where.model}` fetches it." if where.provider == "ollama" else None
            return self._make(ModelNotFoundError, f"{where.provider} does not know the model “{where.model}”", pull)
        hint = f"Check the address {where.shown_url} (most end in /v1) and the model's name “{where.model}”."
        return self._make(ModelNotFoundError, f"{where.provider} knows neither this address nor this model", hint)

    def _unavailable(self) -> ModelError:
        where = self.endpoint
        if re.search(r"loading model", self.report.text, re.IGNORECASE):
            return self._make(LoadingError, f"{where.provider} is still loading the model", "Try again in a moment.")
        if _says(_OVERLOADED, self.report.text) or self.status == 529:
            return self._make(UnavailableError, f"{where.provider} is overloaded", "Try again in a few minutes.")
        return self._make(UnavailableError, f"{where.provider} has a problem of its own", "Try again later.")


_QUOTA_HINT = "Add credit or raise the limit in the provider's account, or choose another model."
_FILTER_HINT = "Put the request in other words, or choose another model."
_RATE_HINT = "Wait a little, or choose another model."
_OVERFLOW_HINT = "Start a new session, or choose a model with a larger window."
_FORBIDDEN_HINT = "Check that the key may use this model, and that the provider serves your region."


def overflow_numbers(report: Report) -> tuple[int | None, int | None]:
    """Return (tokens asked for, tokens that fit) as far as the provider tells them."""
    payload = as_object(dict(report.payload or {}))
    asked, window = as_count(payload.get("n_prompt_tokens")), as_count(payload.get("n_ctx"))
    if asked and window:
        return asked, window
    numbers = [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]{2,11}", report.message)]
    named = re.search(
        r"(?:maximum context length (?:is|of)|context (?:size|window|length|limit)(?: of| is|:)?|limit(?: of|:)?|>|"
        r"maximum(?: of|:)?)\s*\(?(\d[\d,]{2,11})",
        report.message,
        re.IGNORECASE,
    )
    window = int(named.group(1).replace(",", "")) if named else min(numbers, default=0)
    asked = max(numbers, default=0)
    return (asked, window) if asked > window > 0 else (None, None)


def broken(endpoint: Endpoint, how: str, *, request_id: str | None = None) -> StreamBrokenError:
    """The reply cannot be used: it broke off, or made no sense."""
    asked = f" [request {request_id}]" if request_id else ""
    return StreamBrokenError(
        f"The reply of {endpoint.full_model} broke off: {how}{asked}.",
        hint="Nothing of it was kept; ask again.",
        request_id=request_id,
    )


def unreachable(endpoint: Endpoint, how: str) -> UnreachableError:
    """No connection to the provider."""
    if endpoint.provider == "ollama":
        hint = f"Is Ollama running at {endpoint.origin}? Start it with `ollama serve`, or set OLLAMA_HOST."
    elif endpoint.is_loopback:
        hint = f"Is the server running at {endpoint.origin}?"
    else:
        hint = "Check the network, a proxy (HTTPS_PROXY, NO_PROXY) and the address."
    return UnreachableError(f"{endpoint.provider} cannot be reached at {endpoint.origin}: {how}.", hint=hint)


def redirected(endpoint: Endpoint, status: int, location: str) -> RejectedError:
    """The address has moved; following would hand the key to whoever the answer names."""
    shown = clean(location, endpoint.key, 200) or "nowhere"
    return RejectedError(
        f"{endpoint.provider} redirects to {shown} ({status}); that is not followed, so the key was not sent there.",
        hint="If that address is right, configure it as the provider's base_url.",
        status=status,
    )
