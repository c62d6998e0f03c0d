"""Every failure has its name, the provider's words, and what to do; never a key (DESIGN M5)."""

import pytest

from steersman.agent.errors import (
    AuthenticationError,
    ContentFilterError,
    ContextOverflowError,
    ModelNotFoundError,
    QuotaError,
    RateLimitedError,
    RejectedError,
    UnavailableError,
)
from steersman.models.endpoint import Endpoint
from steersman.models.failures import (
    LoadingError,
    Report,
    clean,
    error_from_report,
    overflow_numbers,
    read_report,
    report_of,
    unreachable,
)

KEY = "sk-live-abcdefghijklmnop"
WITH_KEY = Endpoint("p", "https://api.test/v1", "gpt-x").with_key(KEY, "P_KEY")
WITHOUT = Endpoint("p", "https://api.test/v1", "gpt-x", key_source="P_KEY")


def openai(message: str, kind: str | None = None, code: str | int | None = None) -> dict:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def anthropic(kind: str, message: str) -> dict:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


CASES = [
    (401, openai("Incorrect API key provided", "invalid_request_error", "invalid_api_key"), AuthenticationError),
    (401, anthropic("authentication_error", "invalid x-api-key"), AuthenticationError),
    (401, openai("Invalid API Key", "authentication_error", 401), AuthenticationError),
    (403, openai("Country, region, or territory not supported"), AuthenticationError),
    (
        400,
        {"error": {"message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}},
        AuthenticationError,
    ),
    (402, openai("Insufficient Balance"), QuotaError),
    (429, openai("You exceeded your current quota, please check your plan", "insufficient_quota"), QuotaError),
    (400, anthropic("invalid_request_error", "Your credit balance is too low to access the API."), QuotaError),
    (429, openai("Rate limit reached for gpt-x", "tokens", "rate_limit_exceeded"), RateLimitedError),
    (429, {"message": "Requests rate limit exceeded"}, RateLimitedError),
    (429, None, RateLimitedError),
    (200, openai("Slow down.", None, "rate_limit_exceeded"), RateLimitedError),
    (200, openai("Provider returned error", None, 429), RateLimitedError),
    (
        404,
        openai("The model `gpt-x` does not exist or you do not have access to it.", None, "model_not_found"),
        ModelNotFoundError,
    ),
    (404, anthropic("not_found_error", "model: gpt-x"), ModelNotFoundError),
    (404, {"error": 'model "gpt-x" not found, try pulling it first'}, ModelNotFoundError),
    (400, openai("gpt-x is not a valid model ID", None, 400), ModelNotFoundError),
    (
        400,
        {"object": "error", "message": "Invalid model: gpt-x", "type": "invalid_model", "code": "1500"},
        ModelNotFoundError,
    ),
    (404, None, ModelNotFoundError),
    (
        400,
        openai("This model's maximum context length is 8192 tokens.", None, "context_length_exceeded"),
        ContextOverflowError,
    ),
    (
        400,
        anthropic("invalid_request_error", "prompt is too long: 215000 tokens > 200000 maximum"),
        ContextOverflowError,
    ),
    (400, openai("input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000"), ContextOverflowError),
    (
        413,
        openai("Request too large for model, Limit 6000, Requested 8000", "tokens", "rate_limit_exceeded"),
        ContextOverflowError,
    ),
    (413, anthropic("request_too_large", "Request exceeds the maximum size"), ContextOverflowError),
    (413, None, ContextOverflowError),
    (500, openai("Requested tokens (5000) exceed context window of 4096"), ContextOverflowError),
    (
        400,
        openai("The response was filtered due to the prompt triggering a policy", None, "content_filter"),
        ContentFilterError,
    ),
    (
        400,
        {"error": {"code": "content_filter", "message": "x", "innererror": {"code": "ResponsibleAIPolicyViolation"}}},
        ContentFilterError,
    ),
    (529, anthropic("overloaded_error", "Overloaded"), UnavailableError),
    (200, anthropic("overloaded_error", "Overloaded"), UnavailableError),
    (200, anthropic("api_error", "Internal server error"), UnavailableError),
    (200, openai("bad upstream", None, 502), UnavailableError),
    (500, openai("The server had an error", "server_error"), UnavailableError),
    (503, openai("Loading model", "unavailable_error", 503), LoadingError),
    (408, None, UnavailableError),
    (409, None, UnavailableError),
    (400, openai("'messages' must contain the word"), RejectedError),
    (422, {"detail": [{"loc": ["body", "x"], "msg": "Extra inputs are not permitted"}]}, RejectedError),
    (200, openai("something else entirely"), RejectedError),
    (405, None, RejectedError),
]


@pytest.mark.parametrize(("status", "body", "kind"), CASES)
def test_a_failure_has_its_name(status: int, body, kind: type):
    report = report_of(body, KEY) if body is not None else read_report("", KEY)
    assert type(error_from_report(WITH_KEY, status, report)) is kind


def test_a_rejection_that_comes_with_a_time_to_wait_is_a_rate_limit_and_no_empty_purse():
    report = report_of(openai("You exceeded your current quota. Please retry in 20 s."), KEY)
    assert isinstance(error_from_report(WITH_KEY, 429, report, retry_after_s=20.0), RateLimitedError)


def test_the_message_tells_what_happened_to_what_and_in_whose_words():
    error = error_from_report(WITH_KEY, 429, report_of(openai("Slow down."), KEY), request_id="req_9")
    assert error.message == "p limits the rate of requests (429): Slow down. [request req_9]"
    assert error.hint


@pytest.mark.parametrize(
    ("message", "numbers"),
    [
        ("request (4626 tokens) exceeds the available context size (4096 tokens), try increasing it", (4626, 4096)),
        (
            "This model's maximum context length is 8192 tokens. However, your messages resulted in 10,437 tokens.",
            (10437, 8192),
        ),
        ("prompt is too long: 215000 tokens > 200000 maximum", (215000, 200000)),
        ("Requested tokens (5000) exceed context window of 4096", (5000, 4096)),
        (
            "you requested 9000 tokens (8000 in the messages, 1000 in the completion); maximum context length is 4096",
            (9000, 4096),
        ),
        ("the prompt is too long", (None, None)),
        ("maximum context length is 8192", (None, None)),
    ],
)
def test_an_overflow_tells_its_numbers(message: str, numbers: tuple):
    assert overflow_numbers(Report(message)) == numbers


def test_a_missing_key_says_what_to_set():
    error = error_from_report(WITHOUT, 401, Report("no key"))
    assert (error.message, error.hint) == ("p wants a key and none is set (401): no key", "Set P_KEY, then try again.")


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        (
            "<!DOCTYPE html><title>502 Bad Gateway</title>",
            "it answered with a web page titled “502 Bad Gateway” instead of JSON",
        ),
        ("  <html><body>x", "it answered with a web page instead of JSON"),
        ("upstream connect error", "upstream connect error"),
        ('"just a string"', "just a string"),
        ('[{"error": {"message": "in a list"}}]', "in a list"),
        ('{"detail": "Not Found"}', "Not Found"),
        (
            '{"error": {"message": "Provider returned error", "metadata": {"raw": "no capacity"}}}',
            "Provider returned error (no capacity)",
        ),
        ('{"error": {"message": {"message": "nested"}}}', "nested"),
        ("{}", ""),
        ("null", ""),
        ("", ""),
    ],
)
def test_errors_are_read_in_whatever_form_they_come(body: str, shown: str):
    assert read_report(body, None).message == shown


@pytest.mark.parametrize(
    "text",
    [
        KEY,
        f"key={KEY}.",
        "sk-proj-aaaaaaaaaaaaaaaaaaaa",
        "Incorrect API key provided: sk-live-********mnop",
        "Bearer abcdefghijkl",
        "gsk_aaaaaaaaaaaa",
    ],
)
def test_nothing_that_looks_like_a_key_is_shown(text: str):
    shown = clean(text, KEY)
    assert "mnop" not in shown
    assert "aaaaaaaa" not in shown
    assert "abcdefgh" not in shown


def test_what_people_say_about_keys_is_shown():
    assert clean("Incorrect API key provided", KEY) == "Incorrect API key provided"


def test_control_and_direction_characters_are_not_shown():
    assert clean("a\x1b[31m\r\nb\u202ec\u2028d", None) == "a [31m b c d"


def test_long_words_are_cut():
    assert len(clean("x" * 10_000, None)) == 600


@pytest.mark.parametrize(
    ("provider", "url", "hint"),
    [
        ("ollama", "http://127.0.0.1:11434/v1", "Is Ollama running at http://127.0.0.1:11434?"),
        ("local", "http://[::1]:8080/v1", "Is the server running at http://[::1]:8080?"),
        ("openai", "https://user:pw@api.openai.com/v1?x=1", "Check the network"),
    ],
)
def test_somebody_who_is_not_there_is_named_with_what_to_do(provider: str, url: str, hint: str):
    error = unreachable(Endpoint(provider, url, "m"), "the connection was refused")
    assert hint in (error.hint or "")
    assert "pw" not in error.message


def test_an_address_is_shown_without_what_may_be_secret_in_it():
    where = Endpoint("p", "https://user:pw@api.test/v1?key=hidden", "m")
    error = error_from_report(where, 404, Report(""))
    assert "https://api.test/v1" in (error.hint or "")
    assert "pw" not in f"{error} {error.hint}"
    assert "hidden" not in f"{error} {error.hint}"
