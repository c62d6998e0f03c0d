"""JSON-RPC envelopes: every body is a message or an error with the id it had."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.envelope import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    PARSE_ERROR,
    ErrorBody,
    Invalid,
    Notification,
    Request,
    Response,
    encode_message,
    parse_message,
)

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def parse(data: Any) -> Any:
    return parse_message(json.dumps(data).encode())


@given(st.binary(max_size=60) | JSON.map(lambda data: json.dumps(data).encode()))
def test_no_body_whatever_raises(body: bytes) -> None:
    parse_message(body)


@given(JSON)
def test_what_is_sent_is_what_is_read(params: Any) -> None:
    message = {"jsonrpc": "2.0", "method": "m", "params": {"p": params}}
    assert parse_message(encode_message(message)) == Notification("m", {"p": params})


def test_requests_notifications_and_responses_are_told_apart() -> None:
    assert parse({"jsonrpc": "2.0", "id": 1, "method": "m", "params": {}}) == Request(1, "m", {})
    assert parse({"jsonrpc": "2.0", "id": "a", "method": "m"}) == Request("a", "m", None)
    assert parse({"jsonrpc": "2.0", "method": "m", "params": [1]}) == Notification("m", [1])
    assert parse({"jsonrpc": "2.0", "id": 1, "result": None}) == Response(1)
    assert parse({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}}) == Response(
        1, error=ErrorBody(-1, "no")
    )


def test_a_nested_jsonrpc_key_is_just_data() -> None:
    params = {"jsonrpc": "2.0", "id": 3, "method": "exit"}
    assert parse({"jsonrpc": "2.0", "id": 1, "method": "m", "params": params}) == Request(1, "m", params)


def test_a_whole_number_written_as_a_fraction_is_an_id() -> None:
    """Lua's JSON libraries write numbers so."""
    assert parse_message(b'{"jsonrpc":"2.0","id":1.0,"method":"m"}') == Request(1, "m", None)


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"\xff\xfe", b"nul", b'{"a":NaN}', b"[" * 100_000, b"1" * 5000, b'{"a":1}x'],
    ids=["empty", "cut", "not utf-8", "word", "NaN", "deep", "huge number", "trailing"],
)
def test_what_is_not_json_is_a_parse_error_without_an_id(body: bytes) -> None:
    message = parse_message(body)
    assert isinstance(message, Invalid)
    assert (message.id, message.code) == (None, PARSE_ERROR)


@pytest.mark.parametrize(
    ("data", "message_id"),
    [
        ([], None),
        (7, None),
        ({}, None),
        ({"id": 4}, 4),
        ({"jsonrpc": "1.0", "id": 4, "method": "m"}, 4),
        ({"jsonrpc": "2.0", "id": 4, "method": 7}, 4),
        ({"jsonrpc": "2.0", "id": 4}, 4),
        ({"jsonrpc": "2.0", "id": None, "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": [1], "method": "m"}, None),
        ({"jsonrpc": "2.0", "id": True, "method": "m"}, None),
    ],
)
def test_what_is_no_request_is_invalid_with_the_id_it_had(data: Any, message_id: object) -> None:
    message = parse(data)
    assert isinstance(message, Invalid)
    assert (message.id, message.code) == (message_id, INVALID_REQUEST)


def test_params_that_are_no_structure_are_invalid_params() -> None:
    message = parse({"jsonrpc": "2.0", "id": 4, "method": "m", "params": 3})
    assert isinstance(message, Invalid)
    assert (message.id, message.code) == (4, INVALID_PARAMS)


def test_an_error_of_a_wrong_shape_is_still_an_error() -> None:
    assert parse({"jsonrpc": "2.0", "id": 1, "error": "boom"}).error.message == "boom"
    assert parse({"jsonrpc": "2.0", "id": 1, "error": {"code": "x"}}).error.code == -32603


def test_lone_surrogates_are_replaced_and_pairs_joined() -> None:
    """Strict JSON readers (Helix, Neovim) drop the whole message otherwise."""
    assert encode_message({"a": "\ud83d\ude00 \ud83d"}) == '{"a":"😀 \ufffd"}'.encode()
