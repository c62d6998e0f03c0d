"""The error tree.

What the model can mend is a ``ToolResult``; how a run ends is a ``StopReason``; what is broken is one of these::

    SteersmanError(kind)
    ├── InvalidRequestError           invalid_request       what the caller sent makes no sense
    ├── SessionError
    │   ├── SessionNotFoundError      session_not_found
    │   ├── SessionBusyError          session_busy          a run of this process has it
    │   ├── SessionLockedError        session_locked        another process has it, or took it over
    │   └── StorageError              storage               the store cannot be read or written
    │       └── StoreUnavailableError storage               … for a reason outside it: permission, a full disk
    ├── RunNotFoundError              run_not_found
    ├── NoActiveRunError              no_active_run
    ├── ModelError
    │   ├── AuthenticationError       provider_auth
    │   ├── ModelNotFoundError        provider_not_found
    │   ├── RateLimitedError          provider_rate_limited
    │   ├── QuotaError                provider_quota
    │   ├── UnavailableError          provider_unavailable
    │   ├── RejectedError             provider_rejected     the provider refused the request as such
    │   ├── ContextOverflowError      context_overflow
    │   ├── ContentFilterError        content_filter
    │   ├── StreamBrokenError         stream_broken
    │   └── EmptyResponseError        empty_response
    ├── ApprovalFailedError           approval_failed       the hook that approves raised
    ├── ToolCrashedError              tool_crashed          a tool raised something that is not a ToolError
    └── InternalError                 internal

The kinds are those of PROTOCOL §5. A message says what happened, to what, and what to do next; it never holds a key.
"""

from __future__ import annotations

from typing import ClassVar


class SteersmanError(Exception):
    """What is broken, for the person.

    Attributes:
        kind: one of PROTOCOL §5's failure kinds.
        message: what happened, to what, what to do next. Plain words, no stack trace, no secret.
        hint: one more sentence of help, or None.
    """

    kind: ClassVar[str] = "internal"

    def __init__(self, message: str, *, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class InvalidRequestError(SteersmanError):
    """The caller's request makes no sense as it is."""

    kind = "invalid_request"


class SessionError(SteersmanError):
    """Something about a session."""


class SessionNotFoundError(SessionError):
    """No session has this id in this workspace."""

    kind = "session_not_found"


class SessionBusyError(SessionError):
    """A run of this process is at work on the session."""

    kind = "session_busy"


class SessionLockedError(SessionError):
    """Another process holds the session, or took it over while this one slept."""

    kind = "session_locked"


class StorageError(SessionError):
    """The store could not be read or written."""

    kind = "storage"


class StoreUnavailableError(StorageError):
    """The store cannot be used for a reason outside it (permission, a full or failing disk).

    At the start, and only then, running in memory is the better choice; whoever does so announces it (DESIGN S4).
    """


class RunNotFoundError(SteersmanError):
    """No run has this id, or it ended too long ago to be remembered."""

    kind = "run_not_found"


class NoActiveRunError(SteersmanError):
    """The session has no run at work."""

    kind = "no_active_run"


class ModelError(SteersmanError):
    """A model provider failed.

    Attributes:
        request_id: the provider's id of the failed request, or None.
        status: the HTTP status, or None.
        retry_after_s: seconds the provider asked to wait, or None.
    """

    def __init__(
        self,
        message: str,
        *,
        hint: str | None = None,
        request_id: str | None = None,
        status: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.request_id = request_id
        self.status = status
        self.retry_after_s = retry_after_s


class AuthenticationError(ModelError):
    """The key is missing or was not accepted."""

    kind = "provider_auth"


class ModelNotFoundError(ModelError):
    """The provider does not know the model."""

    kind = "provider_not_found"


class RateLimitedError(ModelError):
    """Too many requests, and the retries are used up."""

    kind = "provider_rate_limited"


class QuotaError(ModelError):
    """The account has no money or quota left; waiting does not help."""

    kind = "provider_quota"


class UnavailableError(ModelError):
    """The provider cannot be reached or is overloaded."""

    kind = "provider_unavailable"


class RejectedError(ModelError):
    """The provider understood the request and refused it."""

    kind = "provider_rejected"


class ContextOverflowError(ModelError):
    """The request is larger than the model's context window."""

    kind = "context_overflow"


class ContentFilterError(ModelError):
    """The provider's filter stopped the answer."""

    kind = "content_filter"


class StreamBrokenError(ModelError):
    """The stream ended without the provider's own end mark, or could not be read."""

    kind = "stream_broken"


class EmptyResponseError(ModelError):
    """A response held neither text nor a tool call (DESIGN L4)."""

    kind = "empty_response"


class ApprovalFailedError(SteersmanError):
    """The hook that approves tool calls raised; nothing was executed."""

    kind = "approval_failed"


class ToolCrashedError(SteersmanError):
    """A tool raised something other than a ToolError."""

    kind = "tool_crashed"


class InternalError(SteersmanError):
    """A fault of Steersman's own."""
