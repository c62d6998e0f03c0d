"""initializationOptions of any shape: defaults, unwrapping, warnings instead of errors."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.lsp.contracts import ClientOptions
from steersman.lsp.options import FaceOptions, read_options


def read(raw: object) -> FaceOptions:
    return read_options(raw, source="initializationOptions")


@pytest.mark.parametrize("raw", [None, {}, [], {"steersman": None}, {"steersman": {}}, {"client": None}])
def test_nothing_said_means_the_defaults(raw: object) -> None:
    assert read(raw) == FaceOptions()


def test_what_the_client_declares_is_read_and_the_rest_handed_on() -> None:
    raw = {"client": {"events": True, "saveDocuments": None}, "showAnswer": "none", "model": "a/b", "odd": 1}
    assert read(raw) == FaceOptions(ClientOptions(events=True), "none", {"model": "a/b", "odd": 1})


def test_a_wrapper_named_steersman_is_taken_off() -> None:
    assert read({"steersman": {"showAnswer": "document", "model": "a/b"}}) == read(
        {"showAnswer": "document", "model": "a/b"}
    )


def test_what_stands_beside_the_wrapper_is_told() -> None:
    assert read({"steersman": {"model": "a/b"}, "model": "c/d"}) == FaceOptions(
        rest={"model": "a/b"}, warnings=("initializationOptions: model beside “steersman” ignored.",)
    )


@pytest.mark.parametrize(
    ("raw", "word"),
    [
        ("text", "not an object"),
        ({"client": 3}, "client is not an object"),
        ({"client": {"event": True}}, "client.event"),
        ({"client": {"events": "yes"}}, "client.events"),
        ({"showAnswer": "loud"}, "showAnswer"),
    ],
)
def test_what_is_odd_is_a_warning_that_names_it(raw: object, word: str) -> None:
    options = read(raw)
    assert len(options.warnings) == 1
    assert word in options.warnings[0]
    assert options.client == ClientOptions()


JSON = st.recursive(
    st.none() | st.booleans() | st.text(max_size=5),
    lambda inner: st.dictionaries(st.text(max_size=5), inner, max_size=3) | st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(JSON)
def test_no_options_whatever_raise(raw: object) -> None:
    read({"client": raw, "showAnswer": raw})
    read(raw)
